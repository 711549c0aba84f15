import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { systemTime } from "../provider/api/time";
import { closedCheckout } from "./checkout/checkout";
import type { CliContext, Output } from "./command/context";
import { interruption } from "./command/failure";

/** The context of a real process. */
export function processContext(): CliContext {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    checkout: closedCheckout,
    isTTY: Boolean(process.stdin.isTTY && process.stdout.isTTY),
    clock: { now: Date.now, every },
    time: systemTime,
    signals: { listen },
    readStdin,
    ask,
    openCanvas,
    loadEngine: async () =>
      (require("./operation/embedded-engine") as typeof import("./operation/embedded-engine")).embeddedEngine(),
    exitCode: 0,
    exit: (code) => process.exit(code),
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  // A reader that went away (`| head`, a closed terminal) must not end an operation half-way.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return Boolean(stream.isTTY);
    },
    get columns() {
      return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}

function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

function listen(callback: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const heed = interruptions(callback, { parent: () => process.ppid, env: process.env, every });
  for (const signal of signals) process.on(signal, heed.signalled);
  return () => {
    heed.end();
    for (const signal of signals) process.off(signal, heed.signalled);
  };
}

/**
 * What a signal and the end of the parent come to. npx passes a SIGTERM on to the shell between it and this process,
 * and the shell to nobody: then the end of the shell is the signal. Where there was one before, it ends by that, too.
 */
export function interruptions(
  callback: () => void,
  { parent, env, every: repeat }: Around,
): { signalled(): void; end(): void } {
  let isOver = env["npm_command"] === undefined;
  const started = parent();
  const end = repeat(1000, () => {
    if (isOver || parent() === started) return;
    isOver = true;
    callback();
  });
  return {
    signalled: () => {
      isOver = true;
      callback();
    },
    end,
  };
}

interface Around {
  /** Process id of the parent. */
  parent(): number;
  env: { readonly [name: string]: string | undefined };
  every(ms: number, callback: () => void): () => void;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function ask(question: string, { hidden = false } = {}): Promise<string | undefined> {
  process.stdout.write(question);
  // Readline echoes what is typed: to nowhere, if nobody may see it.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stdout;
  const reader = createInterface({ input: process.stdin, output, terminal: true, prompt: "" });
  return new Promise<string | undefined>((answer, refuse) => {
    reader.on("SIGINT", () => refuse(interruption()));
    reader.on("close", () => answer(undefined));
    reader.on("line", answer);
  }).finally(() => {
    reader.close();
    if (hidden) process.stdout.write("\n");
  });
}

async function openCanvas(on: "stdout" | "stderr" = "stdout"): ReturnType<CliContext["openCanvas"]> {
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(process[on]);
  return {
    draw: (text) => update(text),
    erase: () => {
      update.clear();
      update.done();
    },
  };
}
