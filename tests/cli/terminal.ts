import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { untrustedCheckout } from "../../cli/checkout/checkout";
import type { CliContext } from "../../cli/command/context";
import { run } from "../../cli/program";
import { openBackend } from "../../engine/state/backend";
import { systemTime } from "../../provider/api/time";
import { ManualClock } from "../engine/display/script";

export interface CommandOutput {
  code: number;
  stdout: string;
  /** What the command says first that it does, if it does. */
  began?: string;
  /** What follows that. */
  stderr: string;
  /** What was asked at the terminal. */
  questions: string[];
  /** The code with which the process was ended on the spot, if it was. */
  exited?: number;
}

export interface Setting {
  cwd?: string;
  env?: { [name: string]: string };
  isTTY?: boolean;
  stdin?: string | AsyncIterable<Uint8Array>;
  /** What the person types; undefined ends the input. */
  answers?: (string | undefined)[];
  engine?: CliContext["loadEngine"];
  time?: CliContext["time"];
  /** Called with the listener of signals when a command begins to listen. */
  onListen?: (interrupt: () => void) => void;
  /** Called with it when the command listens no more. */
  onSilence?: (interrupt: () => void) => void;
}

/** Runs a command line in this process, with everything around it made up. */
export async function modelplatform(line: string | string[], setting: Setting = {}): Promise<CommandOutput> {
  const { cwd = tmpdir(), env = {}, isTTY = false, stdin = "", answers = [], time = systemTime } = setting;
  const outcome: CommandOutput = { code: 0, stdout: "", stderr: "", questions: [] };
  const isFirst = (): boolean => outcome.began === undefined && outcome.stdout === "" && outcome.stderr === "";
  const output = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      // A line that is drawn over is gone in the end.
      if (name === "stderr" && text.startsWith("\r\u001b[K")) return;
      if (name === "stderr" && text.endsWith(" …\n") && isFirst()) outcome.began = text;
      else outcome[name] += text;
    },
    isTTY,
    columns: isTTY ? 80 : Number.POSITIVE_INFINITY,
    rows: 24,
  });
  const context: CliContext = {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env,
    cwd,
    checkout: untrustedCheckout,
    isTTY,
    clock: new ManualClock(),
    time,
    signals: {
      listen: (callback) => {
        setting.onListen?.(callback);
        return () => setting.onSilence?.(callback);
      },
      leave: (work) => work(),
    },
    stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
    prompt: (question) => {
      outcome.questions.push(question);
      if (answers.length === 0) throw new Error(`nobody answers: ${question}`);
      return Promise.resolve(answers.shift());
    },
    openCanvas: () => Promise.resolve({ draw: () => {}, erase: () => {} }),
    loadEngine: setting.engine ?? (() => Promise.reject(new Error("this test has no engine"))),
    exitCode: 0,
    exit: (code) => {
      outcome.exited = code;
      throw new Error("the process has ended");
    },
  };
  const args = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  outcome.code = await run(args, context, "1.2.3");
  return outcome;
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "modelplatform-cli-"));
  folders.push(folder);
  return folder;
}

/**
 * A project folder with the stacks, whose state lies in the folder too. They
 * have no secrets: those take long to set up.
 */
export async function project(...stacks: string[]): Promise<{ cwd: string; env: { [name: string]: string } }> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  const backend = openBackend("file://.", { cwd });
  for (const stack of stacks) await backend.createStack("shop", stack);
  const home = join(cwd, "home");
  return { cwd, env: { PULUMI_CONFIG_PASSPHRASE: "correct horse", PULUMI_HOME: home, NO_COLOR: "1" } };
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
