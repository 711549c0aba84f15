import { type FileBackend, openBackend } from "../../engine/state/backend";
import { backendLocation, type Project, readProject } from "../../engine/state/project";
import { hint } from "../../provider/core/values/closest";
import type { CliContext } from "../command/context";
import { CommandError } from "../command/failure";

/** A project, and where its stacks lie. */
export interface ProjectBackend {
  project: Project;
  backend: FileBackend;
}

export async function openProjectBackend(context: CliContext): Promise<ProjectBackend> {
  const { env, clock } = context;
  const project = await readProject(context.cwd);
  const { url, cwd } = backendLocation(project, context);
  return { project, backend: openBackend(url, { cwd, env, clock: () => new Date(clock.now()) }) };
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
  if (only === undefined)
    throw new CommandError(
      `Project ${project.name} has no stack in ${backend.label} yet. Make one with \`npx pulumi-modelplatform stack init <name>\`.`,
    );
  if (others.length === 0) return only;
  throw new CommandError(
    `No stack is selected. Name one with --stack, or choose one with \`npx pulumi-modelplatform stack select <name>\`: ${names.join(", ")}.`,
  );
}

function requireExisting(names: readonly string[], name: string, project: Project, { label }: FileBackend): string {
  if (names.includes(name)) return name;
  throw new CommandError(
    `Project ${project.name} has no stack ${name} in ${label}.${didYouMeanText(name, names)} Make it with \`npx pulumi-modelplatform stack init ${name}\`.`,
  );
}

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
