import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, parse, resolve } from "node:path";
import {
  checkpointIn,
  type FileBackend,
  importDeployment,
  isObject,
  openBackend,
  parsePacked,
  type Snapshot,
} from "../../engine/state/index";
import { messageOf } from "../../provider/core/errors";
import { type RecordedStack, recordedObjects } from "./recorded-object";

/** The sources of states; encrypted values stay encrypted. */
export interface StackSources {
  /** Documents of `pulumi stack export`, or state files; `.gz` and `.zst` too. */
  files?: readonly string[] | undefined;
  /** `file://` URLs of DIY backends. */
  backends?: readonly string[] | undefined;
  /** Of the backends, only this project. */
  project?: string | undefined;
  /** Of the backends, only stacks of this name. */
  stackName?: string | undefined;
  /** Stacks that the Pulumi CLI exports: `organization/project/stack`. */
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
}

/** Reads the stacks, each with its objects of this provider. Throws an error that names the source at fault. */
export async function readStacks(sources: StackSources, around: Surroundings): Promise<RecordedStack[]> {
  const { files = [], backends = [], stacks = [] } = sources;
  const read = await Promise.all([
    ...files.map(async (file) => [await fromFile(file, around)]),
    ...backends.map((url) => fromBackend(url, sources, around)),
    ...stacks.map(async (stack) => [await fromCli(stack, around)]),
  ]);
  return read.flat();
}

/** The whole state of one stack; undefined where no source has it. */
export async function readRecordedState(
  { project, stack }: { project: string; stack: string },
  { files = [], backends = [], stacks = [] }: StackSources,
  around: Surroundings,
): Promise<Snapshot | undefined> {
  for (const url of backends) {
    const found = await openBackend(url, around).stack(project, stack).load("look");
    if (found) return found;
  }
  for (const file of files) {
    const snapshot = snapshotIn(await readFile(resolve(around.cwd, file)));
    if (nameIn(snapshot) === `${project}/${stack}`) return snapshot;
  }
  const named = stacks.find((each) => each.endsWith(`/${project}/${stack}`));
  return named === undefined ? undefined : exportStack(named, around);
}

async function exportStack(stack: string, around: Surroundings): Promise<Snapshot> {
  const { run = runIn(around) } = around;
  return importDeployment(JSON.parse(await run("pulumi", ["stack", "export", "--stack", stack])), "look");
}

async function fromFile(file: string, { cwd }: Surroundings): Promise<RecordedStack> {
  try {
    const snapshot = snapshotIn(await readFile(resolve(cwd, file)));
    return recordedObjects(nameIn(snapshot) ?? basename(file).replace(/\.json(\.gz|\.zst)?$/, ""), snapshot);
  } catch (cause) {
    throw new Error(`The stack file ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** An export, or a file of a backend. */
function snapshotIn(bytes: Uint8Array): Snapshot {
  const document = parsePacked(bytes);
  return isObject(document) && document["checkpoint"] !== undefined
    ? checkpointIn(document, "look")
    : importDeployment(document, "look");
}

/** `project/stack`, as the URNs have it. */
function nameIn({ resources, pendingOperations }: Snapshot): string | undefined {
  const urn = resources[0]?.urn ?? pendingOperations[0]?.resource.urn ?? "";
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined ? undefined : `${project}/${stack}`;
}

async function fromBackend(
  url: string,
  { project, stackName }: StackSources,
  { cwd, env }: Surroundings,
): Promise<RecordedStack[]> {
  const backend = openBackend(url, { cwd, env });
  if (!existsSync(join(backend.folder, ".pulumi")))
    throw new Error(
      `There is no Pulumi state in ${url} (${backend.folder}). Give the URL that \`pulumi login\` was given.`,
    );
  const stacks = await stacksIn(backend, project, stackName);
  if (stacks.length === 0)
    throw new Error(
      `There is no stack${stackName === undefined ? "" : ` ${stackName}`}${project === undefined ? "" : ` of project ${project}`} in ${backend.place}.`,
    );
  return stacks;
}

/** Every stack of a backend, of one project or name if asked for. */
export async function stacksIn(backend: FileBackend, project?: string, stackName?: string): Promise<RecordedStack[]> {
  const found = (await backend.listStacks(project)).filter(({ name }) => stackName === undefined || name === stackName);
  const stacks: RecordedStack[] = [];
  // One after the other: a whole state is much larger than what is kept of it.
  for (const reference of found) {
    const stack = `organization/${reference.project}/${reference.name}`;
    const snapshot = await backend
      .stack(reference.project, reference.name)
      .load("look")
      .catch((cause: unknown) =>
        Promise.reject(
          new Error(`The stack ${stack} of ${backend.url} cannot be read: ${messageOf(cause)}`, { cause }),
        ),
      );
    stacks.push(snapshot ? recordedObjects(stack, snapshot) : { stack, objects: [], unusable: [], warnings: [] });
  }
  return stacks;
}

async function fromCli(stack: string, around: Surroundings): Promise<RecordedStack> {
  try {
    return recordedObjects(stack, await exportStack(stack, around));
  } catch (cause) {
    throw new Error(
      (cause as NodeJS.ErrnoException).code === "ENOENT"
        ? `--stack ${stack} needs the Pulumi CLI, and there is no \`pulumi\` on the PATH outside of the checkout. Install it, or export the stack where it is and give --stack-file.`
        : `\`pulumi stack export --stack ${stack}\` failed: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** A relative backend of the environment is one of the folder of work, wherever the CLI runs. */
function anchored({ PULUMI_BACKEND_URL: url }: Surroundings["env"], cwd: string): Record<string, string> {
  const [, path, query = ""] = /^file:\/\/([^~/?][^?]*)(\?.*)?$/.exec(url ?? "") ?? [];
  return path === undefined ? {} : { PULUMI_BACKEND_URL: `file://${resolve(cwd, path)}${query}` };
}

/** A state of some hundred thousand resources. */
const longestExport = 1024 ** 3;

const runIn =
  ({ cwd, ...around }: Surroundings): NonNullable<Surroundings["run"]> =>
  (file, args) =>
    new Promise((answer, refuse) => {
      const byName = { cwd: parse(resolve(cwd)).root, env: around.env, find: (program: string) => program };
      const programs = around.programs ?? byName;
      const env = { ...programs.env, ...anchored(programs.env, cwd) };
      execFile(
        programs.find(file),
        [...args],
        { cwd: programs.cwd, env, maxBuffer: longestExport, windowsHide: true },
        (error, stdout, stderr) => {
          if (!error) return answer(stdout);
          refuse(error.code === "ENOENT" ? error : new Error(stderr.trim() || error.message, { cause: error }));
        },
      );
    });
