import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FileBackend, openBackend } from "../../engine/state/backend";
import {
  backendLocation,
  ForeignProjectError,
  type Project,
  type ProjectSearch,
  readOwnProject,
  readProject,
} from "../../engine/state/project";
import { CutOffError } from "../../engine/state/undertaking";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { firstOf } from "../../io/text/first-of";
import { printable } from "../../io/text/printable";
import { hint } from "../../provider/core/values/did-you-mean";
import type { CliContext } from "./context";
import { CommandError } from "./failure";

/** How a command looks for its project. */
export const projectSearch = ({ env, checkout }: Pick<CliContext, "env" | "checkout">): ProjectSearch => ({
  env,
  isTrusted: checkout.isTrusted,
});

/**
 * The project in the folder or above it; undefined where there is none, or none that can be read. Throws for one of
 * another user.
 */
export const findProject = (context: Pick<CliContext, "cwd" | "env" | "checkout">): Promise<Project | undefined> =>
  readProject(context.cwd, projectSearch(context)).catch((error: unknown) => {
    if (error instanceof ForeignProjectError) throw error;
    return undefined;
  });

/** The environment's backend, else the project's folder of states; empty where that is a folder without states. */
export async function defaultBackend(
  project: Project | undefined,
  context: Pick<CliContext, "cwd" | "env">,
): Promise<string[]> {
  const fromEnvironment = context.env["PULUMI_BACKEND_URL"];
  if (fromEnvironment) return isBare(fromEnvironment, context) ? [] : [fromEnvironment];
  const own = ownBackend(project, context);
  return own && (await own.listStacks()).length > 0 ? [`file://${own.folder}`] : [];
}

/** Whether a backend is a folder in which no stack was made yet. A missing folder may be a slip, and does not count. */
function isBare(url: string, { cwd, env }: Pick<CliContext, "cwd" | "env">): boolean {
  if (!url.startsWith("file://")) return false;
  const { folder } = openBackend(url, { cwd, env });
  return existsSync(folder) && !existsSync(join(folder, ".pulumi"));
}

/**
 * Where the environment, else the project, keeps its states; undefined where that is no folder, or nothing is there.
 */
export function ownBackend(
  project: Project | undefined,
  { cwd, env }: Pick<CliContext, "cwd" | "env">,
): FileBackend | undefined {
  const place = project ? backendLocation(project, { cwd, env }) : { url: env["PULUMI_BACKEND_URL"] ?? "", cwd };
  if (!place.url.startsWith("file://")) return undefined;
  const backend = openBackend(place.url, { cwd: place.cwd, env });
  return existsSync(join(backend.folder, ".pulumi")) ? backend : undefined;
}

/** How commands for the stacks here begin: only the Pulumi CLI runs other languages and reads other backends. */
export async function engineAtHand(context: Pick<CliContext, "cwd" | "env" | "checkout">): Promise<readonly string[]> {
  const project = await findProject(context).catch(() => undefined);
  if (project === undefined) return ownCommand;
  const isOurs = project.runtime.name === "nodejs" && project.unsupported === undefined;
  return isOurs && backendLocation(project, context).url.startsWith("file://") ? ownCommand : ["pulumi"];
}

/** A project, and where its stacks lie. */
export interface ProjectBackend {
  project: Project;
  backend: FileBackend;
}

export async function openProjectBackend(context: CliContext): Promise<ProjectBackend> {
  const { env, clock } = context;
  const project = await readOwnProject(context.cwd, projectSearch(context));
  const { url, cwd } = backendLocation(project, context);
  const backend = openBackend(url, { cwd, env, clock: () => new Date(clock.now()) });
  await warnOfOpenFolders(backend, context);
  return { project, backend };
}

/** Warns of backends whose states others may replace, as far as they are folders. */
export async function warnOfOpenBackends(urls: readonly string[], context: CliContext): Promise<void> {
  for (const url of urls.filter((each) => each.startsWith("file://")))
    await warnOfOpenFolders(openBackend(url, { cwd: context.cwd, env: context.env }), context);
}

async function warnOfOpenFolders(backend: FileBackend, { stderr }: Pick<CliContext, "stderr">): Promise<void> {
  const text = await openFoldersProblem(backend);
  if (text !== undefined) stderr.write(`warning: ${printable(text.found)}: ${text.advice}.\n`);
}

/** Who else may replace the states, and the command that ends it. */
export async function openFoldersProblem(backend: FileBackend): Promise<{ found: string; advice: string } | undefined> {
  const folders = await backend.openFolders();
  if (folders.length === 0) return undefined;
  return {
    found: `other users of this machine may replace the states in ${backend.folder}`,
    advice: `run ${quotedCommand(["chmod", "o-w"], { args: folders })}`,
  };
}

/** The requested stack, else the selected one, else the only one. */
export async function chooseStack(
  { project, backend }: ProjectBackend,
  requestedName: string | undefined,
): Promise<string> {
  const names = (await backend.listStacks(project.name)).map(({ name }) => name);
  if (requestedName !== undefined) return requireExisting(names, ownName(requestedName, project), project, backend);
  const selected = await backend.selectedStack(project);
  if (selected !== undefined) return selected;
  const [only, ...others] = names;
  if (only === undefined) {
    const [rename] = await backend.unfinishedRenames(project.name);
    if (rename) throw new CutOffError(rename.from, rename);
    throw new CommandError(
      `Project ${project.name} has no stack in ${backend.label} yet.${await underOtherName(project, backend)} If another backend has it, set \`PULUMI_BACKEND_URL\`; make one with \`npx pulumi-modelplatform stack init <name>\`.`,
    );
  }
  if (others.length === 0) return only;
  throw new CommandError(
    `No stack is selected. Name one with --stack, or choose one with \`npx pulumi-modelplatform stack select <name>\`: ${names.join(", ")}.`,
  );
}

async function requireExisting(
  names: readonly string[],
  name: string,
  project: Project,
  backend: FileBackend,
): Promise<string> {
  if (names.includes(name)) return name;
  const { label } = backend;
  const undertaking = await backend.cutOff(project.name, name);
  if (undertaking) throw new CutOffError(name, undertaking);
  const make = quotedCommand([...ownCommand, "stack", "init"], { args: [name] });
  // A backend without any stack of the project may be the wrong one.
  const advice =
    names.length === 0
      ? `If another backend has it, set \`PULUMI_BACKEND_URL\`; make a new one with ${make}.`
      : `Make it with ${make}.`;
  throw new CommandError(
    `Project ${project.name} has no stack ${name} in ${label}.${didYouMeanText(name, names)}${await underOtherName(project, backend, name)} ${advice}`,
  );
}

/** Where what is meant belongs to one other project: this one's name in Pulumi.yaml may have changed. */
async function underOtherName({ name: now }: Project, backend: FileBackend, stack?: string): Promise<string> {
  const others = (await backend.listStacks()).filter(
    ({ project, name }) => project !== now && name === (stack ?? name),
  );
  const [other, ...more] = others;
  if (other === undefined || more.some(({ project }) => project !== other.project)) return "";
  const names = namesText(others.map(({ name }) => name));
  const move = more.length === 0 ? "move the stack" : "move each stack, such as";
  return ` There ${more.length === 0 ? "is" : "are"} ${names} of project ${other.project}: if that is this project under another name, set \`name: ${other.project}\` in Pulumi.yaml, or ${move}: ${projectMove(other.name, { from: other.project, to: now })}.`;
}

/** Gives a stack to the project of another name. */
export function projectMove(stack: string, projects: { from: string; to: string }): string {
  const [from, to] = [projects.from, projects.to].map((project) => `organization/${project}/${stack}`);
  return quotedCommand([...ownCommand, "stack", "rename"], { args: [to!], flags: [["--stack", from!]] });
}

/** The first names, and how many more there are. */
export const namesText = (names: readonly string[]): string => firstOf(names, { most: 10 });

/** `organization/<project>/<stack>` is Pulumi's full form of a stack's name. */
export function ownName(name: string, project: Project): string {
  const parts = name.split("/");
  const own = parts.at(-1) ?? name;
  const [owner, named] = parts.length === 3 ? parts : [parts[0], project.name];
  if (parts.length === 1 || (parts.length <= 3 && owner === "organization" && named === project.name)) return own;
  throw new CommandError(
    `${name} is not a stack of project ${project.name}. Write its name alone, or organization/${project.name}/<stack>.`,
  );
}

/** ` Did you mean …?` where one of `known` is near. */
export function didYouMeanText(wrong: string, known: readonly string[]): string {
  const near = hint(wrong, known);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}
