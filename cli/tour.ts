import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, open, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createColors } from "picocolors";
import { packageRoot as root } from "../io/files/package";

const account = "demo";
const apiKey = "demo-key";

/** The compiled command line of this package. */
const commandLine = join(__dirname, "main.js");

interface RunningEmulator {
  url: string;
  /** Live objects of the tour's account, by resource name. */
  objects(): Promise<Record<string, Record<string, unknown>>>;
  /** Changes an object outside every program. */
  change(name: string, change: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** An emulator in a process of its own, on a free port, with time that runs faster than ours. */
async function startEmulator(speed: number): Promise<RunningEmulator> {
  const args = [commandLine, "emulator", "--port", "0", "--speed", String(speed), "--account", `${account}=${apiKey}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await firstUrl(child);
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`${url}/_emulator/${path}`, body === undefined ? { method } : { method, ...json });
    if (!answer.ok)
      throw new Error(`the emulator answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    url,
    async objects() {
      const { objects } = (await control("GET", "objects")) as { objects: Record<string, Record<string, unknown>> };
      return Object.fromEntries(
        Object.entries(objects).filter(
          ([name, object]) => name.startsWith(`accounts/${account}/`) && !String(object["state"]).endsWith("DELETED"),
        ),
      );
    },
    async change(name, change) {
      await control("PATCH", `objects/${name}`, change);
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The emulator's first line names its address. */
async function firstUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => [""])])) as [string];
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) throw new Error("the emulator ended before it listened; its message is above");
  return url;
}

/** What runs the steps: the Pulumi CLI, or the engine that comes with this package. Both take the same arguments. */
interface TourEngine {
  command: string;
  args: readonly string[];
  /** What a user types in place of both. */
  typed: string;
  /** For users: what it is and why it was chosen. */
  title: string;
}

/** What a user types of this package's own commands. */
const ownCommand = "npx pulumi-modelplatform";

const oldest: readonly [number, number] = [3, 248];

/** The Pulumi CLI from PATH where it is new enough, else the built-in engine. */
export function chooseEngine(env: NodeJS.ProcessEnv): TourEngine {
  const builtIn = (why: string): TourEngine => ({
    command: process.execPath,
    args: [commandLine],
    typed: ownCommand,
    title: `the built-in engine (${why})`,
  });
  const versionCheck = spawnSync("pulumi", ["version"], { env, encoding: "utf8", timeout: 30_000 });
  if (versionCheck.error || versionCheck.status !== 0) return builtIn("no Pulumi CLI on PATH");
  const version = versionCheck.stdout.trim().replace(/^v/, "");
  const pulumi = { command: "pulumi", args: [], typed: "pulumi" };
  if (version === "") return { ...pulumi, title: "a development build of the Pulumi CLI from PATH" };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    return builtIn(`the Pulumi CLI on PATH is ${version}; ${oldest.join(".")} or newer is needed`);
  return { ...pulumi, title: `the Pulumi CLI ${version} from PATH` };
}

/** One step of the tour: what is done, why, and how to tell that it went as it should. */
interface TourStep {
  title: string;
  why: string;
  /** Arguments for the engine; a step without any only touches the world. */
  args?: readonly string[];
  /** Exit code of a step that went well. Default: 0. */
  exit?: number;
  /** Afterwards prints what the step costs, with the invented prices of the examples. */
  costs?: true;
  /** Done before the engine runs. */
  before?(emulator: RunningEmulator): Promise<void>;
  /** What is wrong with the world afterwards, in words; undefined where nothing is. */
  verify?(emulator: RunningEmulator): Promise<string | undefined>;
}

type LiveObjects = Record<string, Record<string, unknown>>;

const findNamed = (objects: LiveObjects, collection: string, prefix: string): [string, Record<string, unknown>] => {
  const match = Object.entries(objects).find(([name]) =>
    name.startsWith(`accounts/${account}/${collection}/${prefix}`),
  );
  if (!match) throw new Error(`there is no ${collection}/${prefix}… in the emulator`);
  return match;
};

const mismatch = (values: Readonly<Record<string, [is: unknown, should: unknown]>>): string | undefined => {
  const wrong = Object.entries(values).filter(([, [is, should]]) => JSON.stringify(is) !== JSON.stringify(should));
  return wrong.length === 0
    ? undefined
    : wrong
        .map(([what, [is, should]]) => `${what} is ${JSON.stringify(is)} and should be ${JSON.stringify(should)}`)
        .join("; ");
};

async function tamper(emulator: RunningEmulator): Promise<void> {
  const world = await emulator.objects();
  const [chat] = findNamed(world, "deployments", "chat");
  const [user] = Object.entries(world).find(([, object]) => object["email"] === "grace@example.com") ?? [""];
  await emulator.change(chat, { maxReplicaCount: 8 });
  await emulator.change(user, { role: "admin" });
  await emulator.change(`accounts/${account}/policySettings`, {
    zeroDataRetention: { inference: { enforcement: "NOT_ENFORCED" } },
  });
}

async function checkDeclared(emulator: RunningEmulator): Promise<string | undefined> {
  const world = await emulator.objects();
  const users = Object.values(world).filter((object) => object["email"] === "grace@example.com");
  const policy = world[`accounts/${account}/policySettings`] as
    | { zeroDataRetention?: { inference?: { enforcement?: string } } }
    | undefined;
  return mismatch({
    "the deployment's maxReplicaCount": [findNamed(world, "deployments", "chat")[1]["maxReplicaCount"], 2],
    "Grace's role": [users[0]?.["role"], "inference-user"],
    "retention of inference": [policy?.zeroDataRetention?.inference?.enforcement, "ENFORCED"],
    "number of deployments": [Object.keys(world).filter((name) => name.includes("/deployments/")).length, 2],
  });
}

/** What the program made and a destroy has to take away; a fine-tuned model outlives its job by design. */
async function checkNothingLeft(emulator: RunningEmulator): Promise<string | undefined> {
  const world = await emulator.objects();
  const policy = world[`accounts/${account}/policySettings`];
  const ours = Object.keys(world).filter((name) =>
    /\/(deployments|deployedModels|users|secrets|supervisedFineTuningJobs)\//.test(name),
  );
  const left = [
    ...ours,
    ...(policy && (policy["defaultPermissions"] || policy["zeroDataRetention"]) ? ["policySettings"] : []),
  ];
  return left.length === 0 ? undefined : `left behind: ${left.join(", ")}`;
}

const steps: readonly TourStep[] = [
  {
    title: "Preview",
    why: "Shows what would be created. Nothing is: a preview of a new stack sends no request at all.",
    args: ["preview"],
  },
  {
    title: "Cost",
    why: "Says what that would cost, at the invented prices of examples/cost/prices.yaml. It reads which hardware the shapes have, and leaves unknown what only `up` decides.",
    costs: true,
  },
  {
    title: "Up",
    why: "Makes it: policy first, then users, a secret, a deployment and a training job side by side, and a deployment of the model that the job trains.",
    args: ["up", "--yes", "--skip-preview"],
    verify: checkDeclared,
  },
  {
    title: "Up again",
    why: "Nothing has changed, so nothing is sent.",
    args: ["up", "--yes", "--skip-preview", "--expect-no-changes"],
  },
  {
    title: "Find drift",
    why: "Someone raises a deployment's limit, makes Grace an admin and loosens the policy, all by hand. A refresh reads the live objects and shows each field. The step ends with an error, which is its point: `--expect-no-changes` has a pipeline fail with exit code 7 where something differs.",
    before: tamper,
    args: ["refresh", "--preview-only", "--diff", "--expect-no-changes"],
    exit: 7,
  },
  {
    title: "Heal",
    why: "`up --refresh` records the drift and reverts everything to what the program says.",
    args: ["up", "--refresh", "--yes", "--skip-preview"],
    verify: checkDeclared,
  },
  {
    title: "Destroy",
    why: "Takes everything away again. The trained model stays: a job's outcome is never deleted with the job.",
    args: ["destroy", "--yes", "--skip-preview"],
    verify: checkNothingLeft,
  },
];

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
