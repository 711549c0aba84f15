import { isName } from "../../engine/state/layout";
import type { Project } from "../../engine/state/project";
import { renameStack } from "../../engine/state/rename";
import { readStackConfig } from "../../engine/state/stack-config";
import type { Undertaking } from "../../engine/state/undertaking";
import { inRenamedStack } from "../../engine/state-edits";
import { nodeFiles, replacePublic } from "../../io/files/durable";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import {
  chooseStack,
  namesText,
  openProjectBackend,
  ownName,
  type ProjectBackend,
  projectMove,
} from "../command/stack-choice";

/** A stack, of this project or of one that had or gets its name. */
interface Named {
  project: string;
  stack: string;
}

export async function renameTo(name: string, requestedStack: string | undefined, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  const to = namedIn(name, project);
  const from = await renamedFrom(to, requestedStack, session);
  if (from.project === to.project && from.stack === to.stack)
    throw usageError(`The stack ${from.stack} has this name already. Choose another one.`);
  if (![from.project, to.project].includes(project.name))
    throw usageError(`Neither stack is of project ${project.name}, which is this one. Change to the project's folder.`);
  const config = new RenamedConfig(project, from.stack, to.stack);
  await renameStack(backend, {
    ...{ project: from.project, from: from.stack, to: to.stack, toProject: to.project },
    change: (state) => inRenamedStack(state, from, to),
    config: {
      copy: (isContinued) => config.copy(isContinued),
      takeBack: () => config.takeBack(),
      finish: async () => {
        const left = await config.finish();
        if (left) context.stderr.write(`warning: ${config.from} is left, because ${config.to} says something else.\n`);
        await backend.selectStack({ ...project, name: to.project }, to.stack);
      },
    },
  });
  if (from.project === to.project)
    return void context.stdout.write(`Renamed the stack ${from.stack} to ${to.stack} and selected it.\n`);
  context.stdout.write(`Renamed the stack ${fullName(from)} to ${fullName(to)} and selected it.\n`);
  await tellOfProject(from.project, to, session, context);
}

const fullName = ({ project, stack }: Named): string => `organization/${project}/${stack}`;

/** What a stack of another project is still without, which no engine changes. */
async function tellOfProject(
  former: string,
  { project: name, stack }: Named,
  { project, backend }: ProjectBackend,
  { stdout, stderr }: CliContext,
): Promise<void> {
  if (project.name !== name) stdout.write(`Set \`name: ${name}\` in ${project.file}: commands go by it.\n`);
  const left = (await backend.listStacks(former)).map((each) => each.name);
  if (left[0] !== undefined)
    stdout.write(
      `Still of the project ${former}: ${namesText(left)}. Rename each in the same way: ${projectMove(left[0], { from: former, to: name })}.\n`,
    );
  const config = await readStackConfig({ ...project, name }, stack);
  const [key] = Object.keys(config.values()).filter((each) => each.startsWith(`${former}:`));
  if (key !== undefined)
    stderr.write(
      `warning: ${config.file} has \`${key}\`, as the project had it: \`new pulumi.Config()\` reads the keys of ${name} from now on. Rename its keys there.\n`,
    );
}

/** Pulumi's full form of a stack's name says the project. */
function namedIn(name: string, project: Project): Named {
  const [owner, named = "", stack = "", ...rest] = name.split("/");
  if (owner === "organization" && [named, stack].every(isName) && rest.length === 0) return { project: named, stack };
  return { project: project.name, stack: ownName(name, project) };
}

async function renamedFrom(to: Named, requestedStack: string | undefined, session: ProjectBackend): Promise<Named> {
  const { project, backend } = session;
  const continued = await continuedFrom(to, requestedStack, session);
  if (continued !== undefined) return continued;
  const requested = requestedStack === undefined ? undefined : namedIn(requestedStack, project);
  if (requested === undefined || requested.project === project.name)
    return { project: project.name, stack: await chooseStack(session, requested?.stack) };
  if (await backend.stack(requested.project, requested.stack).exists()) return requested;
  throw new CommandError(`There is no stack ${requested.stack} of project ${requested.project} in ${backend.label}.`);
}

/** The stack whose rename to this name was cut off: it may have neither name now. */
async function continuedFrom(
  to: Named,
  requestedStack: string | undefined,
  { project, backend }: ProjectBackend,
): Promise<Named | undefined> {
  const isSo = ({ operation, to: stack, projects }: Undertaking, of: string): boolean =>
    operation === "stack rename" && stack === to.stack && (projects?.to ?? of) === to.project;
  const begun = (await backend.unfinishedRenames(project.name))
    .filter((rename) => isSo(rename, project.name))
    .map(({ from, projects }): Named => ({ project: projects?.from ?? project.name, stack: from }));
  if (requestedStack === undefined) return begun[0];
  const from = namedIn(requestedStack, project);
  const isNoted = async (): Promise<boolean> =>
    !(await backend.stack(from.project, from.stack).exists()) &&
    (await backend.lock(from.project, from.stack).holders()).some(
      ({ fate, undertaking }) => fate !== "runs" && undertaking !== undefined && isSo(undertaking, from.project),
    );
  return begun.some((rename) => fullName(rename) === fullName(from)) || (await isNoted()) ? from : undefined;
}

/** A stack's config file under its old name and its new one. */
class RenamedConfig {
  private isMade = false;
  from = "";
  to = "";

  constructor(
    private readonly project: Project,
    private readonly oldName: string,
    private readonly newName: string,
  ) {}

  async copy(isContinued: boolean): Promise<void> {
    const { old, renamed } = await this.read();
    if (old === renamed) return;
    if (renamed === "") {
      await replacePublic(nodeFiles, this.to, Buffer.from(old));
      this.isMade = true;
    } else if (!isContinued || old !== "")
      throw new CommandError(
        `The stack ${this.oldName} is not renamed: ${this.to} is there already, and says something else than ${this.from}. Move it away, and run the command again.`,
      );
  }

  async takeBack(): Promise<void> {
    if (this.isMade) await nodeFiles.remove(this.to);
  }

  /** Whether the old file stays, because the new one has other content. */
  async finish(): Promise<boolean> {
    if ((await this.read()).renamed === "") await this.copy(true);
    const { old, renamed } = await this.read();
    if (old !== renamed) return old !== "";
    // A project's rename leaves the stack's name.
    if (this.from !== this.to) await nodeFiles.remove(this.from);
    return false;
  }

  private async read(): Promise<{ old: string; renamed: string }> {
    const [old, renamed] = [
      await readStackConfig(this.project, this.oldName),
      await readStackConfig(this.project, this.newName),
    ];
    this.from = old.file;
    this.to = renamed.file;
    return { old: old.toString(), renamed: renamed.toString() };
  }
}
