import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, open, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createColors } from "picocolors";
import { packageRoot as root } from "../../io/files/package";
import {
  account,
  apiKey,
  chooseEngine,
  commandLine,
  ownCommand,
  type RunningEmulator,
  startEmulator,
  type TourEngine,
} from "./emulator";
import { steps, type TourStep } from "./steps";

/**
 * The main job from end to end, on an emulator: what `npm start` runs. Everything
 * it writes lies in a folder that it removes.
 */

const stack = "tour";
/** An hour of the emulated service takes less than a minute. */
const speed = 80;

const pc = createColors(process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined);

/** The text in lines that fit the terminal. */
function wrapText(text: string): string {
  const width = Math.min(process.stdout.columns ?? 100, 100);
  return text.split(" ").reduce((lines, word) => {
    const line = lines.slice(lines.lastIndexOf("\n") + 1);
    return lines === "" ? word : `${lines}${line.length + word.length + 1 > width ? "\n" : " "}${word}`;
  }, "");
}

const print = (text = ""): void => void process.stdout.write(`${text}\n`);

function announce(step: TourStep, index: number): void {
  print();
  print(pc.bold(`${index + 1} of ${steps.length}  ${step.title}`));
  print(wrapText(step.why));
}

interface Place {
  project: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A project that runs the checkout's program: engines write their configuration beside
 * `Pulumi.yaml`, and the checkout stays clean.
 */
async function projectIn(folder: string): Promise<string> {
  await copyFile(join(root, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
  await symlink(join(root, "examples"), join(folder, "examples"), "junction");
  return folder;
}

/** Runs the engine with the terminal as its own, so that its live progress is seen. */
async function run(engine: TourEngine, args: readonly string[], { project, env }: Place): Promise<number> {
  return codeOf(spawn(engine.command, [...engine.args, ...args], { cwd: project, env, stdio: "inherit" }));
}

async function codeOf(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return code ?? (signal === "SIGINT" ? 130 : 1);
}

/** What a preview would cost: the engine's own, and the command that reads it. */
async function showCosts(engine: TourEngine, { project, env }: Place): Promise<number> {
  const preview = join(project, "preview.json");
  const file = await open(preview, "w");
  const prices = { MODELPLATFORM_PRICES: join(root, "examples", "cost", "prices.yaml") };
  try {
    const args = [...engine.args, "preview", "--json", "--stack", stack];
    const planned = spawn(engine.command, args, { cwd: project, env, stdio: ["ignore", file.fd, "inherit"] });
    if ((await codeOf(planned)) !== 0) return 1;
  } finally {
    await file.close();
  }
  const args = [commandLine, "cost", "--preview-json", preview];
  return codeOf(spawn(process.execPath, args, { cwd: project, env: { ...env, ...prices }, stdio: "inherit" }));
}

async function walk(engine: TourEngine, emulator: RunningEmulator, place: Place): Promise<boolean> {
  for (const [index, step] of steps.entries()) {
    announce(step, index);
    await step.before?.(emulator);
    if (step.args) {
      print(pc.dim(`$ ${engine.typed} ${step.args.join(" ")}`));
      const code = await run(engine, [...step.args, "--stack", stack], place);
      if (code !== (step.exit ?? 0))
        return printFailure(`"${step.title}" ended with exit code ${code}, not ${step.exit ?? 0}.`);
    }
    if (step.costs) {
      print(
        pc.dim(`$ ${engine.typed} preview --json > preview.json && ${ownCommand} cost --preview-json preview.json`),
      );
      if ((await showCosts(engine, place)) !== 0) return printFailure(`"${step.title}" did not go well.`);
    }
    const wrong = await step.verify?.(emulator);
    if (wrong !== undefined) return printFailure(`After "${step.title}" the world is not as it should be: ${wrong}.`);
  }
  return true;
}

function printFailure(text: string): false {
  print(pc.red(text));
  return false;
}

function environment(folder: string, url: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "only-for-the-tour",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNT_ID: account,
    MODELPLATFORM_API_KEY: apiKey,
    MODELPLATFORM_INTENTS: join(folder, "intents"),
  };
}

/** Walks through every step; the exit code. */
export async function tour(): Promise<number> {
  try {
    return await tourFrom(Date.now());
  } catch (error) {
    print(pc.red(error instanceof Error ? error.message : String(error)));
    return 1;
  }
}

async function tourFrom(begun: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "modelplatform-tour-"));
  const emulator = await startEmulator(speed);
  // The engine gets ^C from the terminal itself; the tour only has to outlive it and clean up.
  process.on("SIGINT", () => undefined);
  try {
    const place = { project: await projectIn(folder), env: environment(folder, emulator.url) };
    const engine = chooseEngine(place.env);
    print(`The emulator listens on ${emulator.url}; its time runs ${speed} times as fast as ours.`);
    print(`The steps run on ${engine.title}.`);
    if ((await run(engine, ["stack", "init", stack], place)) !== 0) return 1;
    const good = await walk(engine, emulator, place);
    if (!good) return 1;
    print();
    print(pc.green(`All ${steps.length} steps went as they should, in ${Math.round((Date.now() - begun) / 1000)} s.`));
    print(
      "Next: examples/quickstart/index.ts is the program that was run; README.md tells how to use it in a project of your own.",
    );
    return 0;
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
