import { existsSync } from "node:fs";
import { basename, join, parse, resolve } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import {
  checkpointIn,
  type FileBackend,
  importDeployment,
  isObject,
  openBackend,
  parsePacked,
  type RecordedState,
  type Snapshot,
} from "../../engine/state/index";
import { codeOf, describeSystemError } from "../../io/files/disk-error";
import { ceilings, readBounded } from "../../io/files/read";
import { runProgram } from "../../io/programs";
import { quotedCommand } from "../../io/text/command-line";
import { systemTime, type Time, within } from "../../provider/api/time";
import { messageOf } from "../../provider/core/errors";
import { hint } from "../../provider/core/values/did-you-mean";
import { groupBy } from "../../provider/core/values/grouping";
import { specOf } from "../../provider/resources/index";
import {
  type DependentReference,
  type RecordedObject,
  type RecordedStack,
  recordedObjects,
  summaryOf,
} from "./recorded-object";

/** What stacks record, by account: the objects of a stack with one account are in memory only while they are used. */
export class RecordsByAccount {
  private readonly holders = new Map<string, Pick<RecordedStack, "objects">[]>();
  private readonly referring = new Map<string, DependentReference[]>();

  constructor(stacks: readonly RecordedStack[]) {
    for (const stack of stacks) this.add(stack);
  }

  /** In which something is recorded. */
  get accounts(): string[] {
    return [...this.holders.keys()];
  }

  of(account: string): RecordedObject[] {
    return (this.holders.get(account) ?? []).flatMap(({ objects }) => objects);
  }

  /** What stacks record in other accounts that names objects of this one. */
  referringTo(account: string): readonly DependentReference[] {
    return this.referring.get(account) ?? [];
  }

  private add(stack: RecordedStack): void {
    const { accounts, references, isLeftOut } = summaryOf(stack);
    for (const { account, ...reference } of references) pushTo(this.referring, account, reference);
    if (isLeftOut || accounts.length === 1)
      for (const account of accounts) pushTo(this.holders, account, isLeftOut ? leftOut(stack) : stack);
    else
      for (const [account, objects] of groupBy(stack.objects, (object) => object.account))
        pushTo(this.holders, account, { objects });
  }
}

/** To take it for a stack without objects would show all that it has as unmanaged. */
const leftOut = ({ stack }: RecordedStack): Pick<RecordedStack, "objects"> => ({
  get objects(): never {
    throw new Error(`The stack ${stack} was read without its objects, and one of its accounts is to be scanned.`);
  },
});

function pushTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/**
 * The stack in a twentieth of the memory: its objects are made anew whenever they are asked for, so that a scan of many
 * stacks holds those that it is comparing, and no others.
 */
function packStack(read: RecordedStack): RecordedStack {
  if (read.summary?.isLeftOut) return read;
  const { objects, ...stack } = read;
  const text = JSON.stringify(objects.map(({ spec, ...object }) => [spec.kind, object]));
  // A copy: the result of zlib keeps the whole buffer that it was written to, several times its length.
  const bytes = Buffer.from(deflateRawSync(text, { level: 1 }));
  return {
    ...stack,
    summary: summaryOf(read),
    get objects() {
      return unpackObjects(bytes);
    },
  };
}

const unpackObjects = (bytes: Uint8Array): RecordedObject[] =>
  (JSON.parse(inflateRawSync(bytes).toString("utf8")) as [kind: string, object: Omit<RecordedObject, "spec">][]).map(
    ([kind, object]) => ({ spec: specOf(kind)!, ...object }),
  );

/** The sources of states; encrypted values stay encrypted. */
export interface StackSources {
  /** Documents of `pulumi stack export`, or state files; `.gz` and `.zst` too. */
  files?: readonly string[] | undefined;
  /** URLs of backends: `file://`, or one that the Pulumi CLI can read if `stacks` are named. */
  backends?: readonly string[] | undefined;
  /** Of the backends, only this project. */
  project?: string | undefined;
  /** The project at hand: a short name means its stack, where a backend has one of that name. */
  home?: string | undefined;
  /**
   * Of the backends, only these: `stack`, `project/stack` or `organization/project/stack`. The Pulumi CLI exports those
   * of another organization, which `file://` backends do not have, and all of them without a backend.
   */
  stacks?: readonly string[] | undefined;
}

export interface Surroundings {
  /** The folder that relative paths start from. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Where the Pulumi CLI runs, with what, and which file it is. It sends its token to the backend that the nearest
   * `Pulumi.yaml` names. Default: the root of the file system, where no project has one, with `env`, found on the PATH.
   */
  programs?: {
    cwd: string;
    env: Readonly<Record<string, string | undefined>>;
    find(program: string): string;
  };
  /** Runs a program without a shell and gives what it prints. */
  run?(file: string, args: readonly string[]): Promise<string>;
  /** For the deadline of such a program. */
  time?: Time;
  /** Of a stack none of whose accounts is needed, no objects are kept. Default: all are. */
  isNeeded?(account: string): boolean;
}

/** Reads the stacks, each with its objects of this provider. Throws an error that names the source at fault. */
export async function readStacks(sources: StackSources, environment: Surroundings): Promise<RecordedStack[]> {
  const { files = [], backends = [], stacks = [] } = sources;
  const local = backends.filter(isFolder);
  const remote = backends.filter((url) => !isFolder(url));
  const here = stacks.filter((stack) => local.length > 0 && !isElsewhere(stack));
  const named = stacks.length > 0;
  if (remote.length > 0 && !named)
    throw new Error(`${remote[0]} is read by the Pulumi CLI. Name its stacks with --stack.`);
  const exported = stacks.filter((stack) => !here.includes(stack));
  const read = await Promise.all([
    ...files.map(async (file) => [await fromFile(file, environment)]),
    ...(named && here.length === 0 ? [] : [fromBackends(local, { ...sources, stacks: here }, environment)]),
    ...exported.flatMap((stack) =>
      (remote.length === 0 ? [undefined] : remote).map(async (url) => [await fromCli(stack, environment, url)]),
    ),
  ]);
  return read.flat();
}

const isFolder = (url: string): boolean => url.startsWith("file://");

/** A stack whose full name has an organization of its own: every `file://` backend calls it `organization`. */
const isElsewhere = (stack: string): boolean => /^(?!organization\/)[^/]+\/[^/]+\/[^/]+$/.test(stack);

/** The whole state of one stack; undefined where no source has it. */
export async function readRecordedState(
  { project, stack }: { project: string; stack: string },
  { files = [], backends = [], stacks = [] }: StackSources,
  environment: Surroundings,
): Promise<Snapshot | undefined> {
  for (const url of backends.filter(isFolder)) {
    const state = await openBackend(url, environment).stack(project, stack).load("inspect");
    if (state) return state;
  }
  for (const file of files) {
    const snapshot = snapshotIn(await readBounded(resolve(environment.cwd, file), ceilings.state, { fromUser: true }));
    if (nameIn(snapshot) === `${project}/${stack}`) return snapshot;
  }
  const named = stacks.find((each) => each.endsWith(`/${project}/${stack}`));
  return named === undefined ? undefined : exportStack(named, environment);
}

async function exportStack(stack: string, environment: Surroundings, backend?: string): Promise<Snapshot> {
  const { run = runIn(environment, backend) } = environment;
  return importDeployment(
    parsePacked(Buffer.from(await run("pulumi", ["stack", "export", "--stack", stack]))),
    "inspect",
  );
}

async function fromFile(file: string, { cwd, isNeeded }: Surroundings): Promise<RecordedStack> {
  try {
    const snapshot = snapshotIn(await readBounded(resolve(cwd, file), ceilings.state, { fromUser: true }));
    const stack = nameIn(snapshot) ?? basename(file).replace(/\.json(\.gz|\.zst)?$/, "");
    return packStack(recordedObjects(stack, snapshot, isNeeded));
  } catch (cause) {
    const { reason, remedy } = describeSystemError(cause, "read");
    const why = remedy === undefined ? messageOf(cause) : `${reason}. ${remedy}.`;
    throw new Error(`The stack file ${file} cannot be read: ${why}`, { cause });
  }
}

/** An export, or a file of a backend. */
function snapshotIn(bytes: Uint8Array): Snapshot {
  const document = parsePacked(bytes);
  return isObject(document) && document["checkpoint"] !== undefined
    ? checkpointIn(document, "inspect")
    : importDeployment(document, "inspect");
}

/** `project/stack`, as the URNs have it. */
function nameIn({ resources, pendingOperations }: Snapshot): string | undefined {
  const urn = resources[0]?.urn ?? pendingOperations[0]?.resource.urn ?? "";
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined ? undefined : `${project}/${stack}`;
}

/** What is asked for of each backend. Each named stack has to be in one of them. */
async function fromBackends(
  urls: readonly string[],
  { project, home, stacks = [] }: StackSources,
  environment: Surroundings,
): Promise<RecordedStack[]> {
  const backends = urls.map((url) => openFolder(url, environment));
  const listed = await Promise.all(
    backends.map(async (backend) => ({ backend, references: await backend.listStates(project) })),
  );
  const all = listed.flatMap(({ references }) => references);
  const selected = stacks.length === 0 ? all : stacks.flatMap((stack) => namedBy(stack, all, home, backends));
  const read: RecordedStack[] = [];
  // One after the other: a whole state is much larger than what is kept of it.
  for (const { backend, references } of listed) {
    if (references.length === 0 && stacks.length === 0)
      throw new Error(`There is no stack${project === undefined ? "" : ` of project ${project}`} in ${backend.label}.`);
    for (const reference of references)
      if (selected.includes(reference)) read.push(await readStack(backend, reference, environment.isNeeded));
  }
  return read;
}

function openFolder(url: string, { cwd, env }: Surroundings): FileBackend {
  const backend = openBackend(url, { cwd, env });
  if (existsSync(join(backend.folder, ".pulumi"))) return backend;
  throw new Error(
    `There is no Pulumi state in ${url} (${backend.folder}). Give the URL that \`pulumi login\` was given, or make a stack there with \`stack init\`.`,
  );
}

/** A short name is one of the project at hand before it is one of others. */
function namedBy(
  stack: string,
  all: readonly RecordedState[],
  home: string | undefined,
  backends: readonly FileBackend[],
): RecordedState[] {
  const [name, owner] = stack.split("/").reverse();
  const project = owner === "organization" ? undefined : owner;
  const matches = all.filter((each) => each.name === name && (project === undefined || each.project === project));
  const own = matches.filter((each) => each.project === home);
  if (matches.length > 0) return project === undefined && own.length > 0 ? own : matches;
  const known = all.map((each) => (project === undefined ? each.name : `${each.project}/${each.name}`));
  const near = hint(project === undefined ? name! : `${project}/${name}`, known);
  const advice =
    near === undefined ? `It has ${[...new Set(known)].slice(0, 5).join(", ") || "none"}.` : `Did you mean ${near}?`;
  throw new Error(`There is no stack ${stack} in ${backends.map(({ label }) => label).join(" or ")}. ${advice}`);
}

/** Every stack of a backend, of one project if asked for. */
export async function stacksIn(backend: FileBackend, project?: string): Promise<RecordedStack[]> {
  const stacks: RecordedStack[] = [];
  for (const reference of await backend.listStates(project)) stacks.push(await readStack(backend, reference));
  return stacks;
}

async function readStack(
  backend: FileBackend,
  reference: RecordedState,
  isNeeded?: Surroundings["isNeeded"],
): Promise<RecordedStack> {
  const stack = `organization/${reference.project}/${reference.name}`;
  const load = () =>
    reference
      .load("inspect")
      .catch((cause: unknown) =>
        Promise.reject(
          new Error(`The stack ${stack} of ${backend.url} cannot be read: ${messageOf(cause)}`, { cause }),
        ),
      );
  const isRunning = async (): Promise<boolean> =>
    (await backend.lock(reference.project, reference.name).holders()).some(({ fate }) => fate !== "ended");
  let snapshot = await load();
  const mayRun = (snapshot?.pendingOperations.length ?? 0) > 0;
  const runs = mayRun && (await isRunning());
  // A run that has ended since the state was read has recorded what it did.
  if (mayRun && !runs) snapshot = await load();
  return snapshot
    ? packStack(recordedObjects(stack, snapshot, isNeeded, runs))
    : { stack, objects: [], unusable: [], warnings: [] };
}

async function fromCli(stack: string, environment: Surroundings, backend?: string): Promise<RecordedStack> {
  try {
    return packStack(recordedObjects(stack, await exportStack(stack, environment, backend), environment.isNeeded));
  } catch (cause) {
    throw new Error(
      (cause as NodeJS.ErrnoException).code === "ENOENT"
        ? `--stack ${stack} needs the Pulumi CLI, and there is no \`pulumi\` on the PATH outside of the checkout. Install it, or export the stack where it is and give --stack-file.`
        : `${quotedCommand(["pulumi", "stack", "export"], { flags: [["--stack", stack]] })} failed: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** A relative backend of the environment is one of the folder of work, wherever the CLI runs. */
function withAbsoluteBackend({ PULUMI_BACKEND_URL: url }: Surroundings["env"], cwd: string): Record<string, string> {
  const [, path, query = ""] = /^file:\/\/([^~/?][^?]*)(\?.*)?$/.exec(url ?? "") ?? [];
  return path === undefined ? {} : { PULUMI_BACKEND_URL: `file://${resolve(cwd, path)}${query}` };
}

/** A state of some hundred thousand resources. */
const longestExport = 1024 ** 3;

const runIn =
  ({ cwd, ...environment }: Surroundings, backend?: string): NonNullable<Surroundings["run"]> =>
  (file, args) => {
    const byName = { cwd: parse(resolve(cwd)).root, env: environment.env, find: (program: string) => program };
    const programs = environment.programs ?? byName;
    const commandEnv = backend === undefined ? programs.env : { ...programs.env, PULUMI_BACKEND_URL: backend };
    const env = { ...commandEnv, ...withAbsoluteBackend(commandEnv, cwd) };
    return within(exportTimeoutMs, environment.time ?? systemTime, async (signal) => {
      try {
        const options = { signal, cwd: programs.cwd, env, maxBuffer: longestExport };
        return await runProgram(programs.find(file), args, options);
      } catch (cause) {
        const line = `\`${[file, ...args.slice(0, 2)].join(" ")}\``;
        if (signal.aborted)
          throw new Error(`${line} did not end within ${exportTimeoutMs / 60_000} minutes.`, { cause });
        if (codeOf(cause) === "ENOENT") throw cause;
        const { stderr = "", message } = cause as Error & { stderr?: string };
        throw new Error(stderr.trim() || message, { cause });
      }
    });
  };

/** Time for a backend that is slow to answer, and a state of its size. */
const exportTimeoutMs = 10 * 60_000;
