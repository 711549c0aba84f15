import type { Project } from "../../engine/state/project";
import { renameStack } from "../../engine/state/rename";
import { readStackConfig } from "../../engine/state/stack-config";
import { inRenamedStack } from "../../engine/state-edits";
import { nodeFiles, replacePublic } from "../../io/files/durable";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { chooseStack, openProjectBackend, ownName, type ProjectBackend } from "../command/stack-choice";

export async function renameTo(name: string, requestedStack: string | undefined, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  const to = ownName(name, project);
  const from = (await continuedFrom(to, requestedStack, session)) ?? (await chooseStack(session, requestedStack));
  if (from === to) throw usageError(`The stack ${from} has this name already. Choose another one.`);
  const names = (stack: string) => ({ project: project.name, stack });
  const config = new RenamedConfig(project, from, to);
  await renameStack(backend, {
    ...{ project: project.name, from, to },
    change: (state) => inRenamedStack(state, names(from), names(to)),
    config: {
      copy: (isContinued) => config.copy(isContinued),
      takeBack: () => config.takeBack(),
      finish: async () => {
        const left = await config.finish();
        if (left) context.stderr.write(`warning: ${config.from} is left, because ${config.to} says something else.\n`);
        await backend.selectStack(project, to);
      },
    },
  });
  context.stdout.write(`Renamed the stack ${from} to ${to} and selected it.\n`);
}

/** The stack whose rename to this name was cut off: it may have neither name now. */
async function continuedFrom(
  to: string,
  requestedStack: string | undefined,
  { project, backend }: ProjectBackend,
): Promise<string | undefined> {
  const begun = (await backend.unfinishedRenames(project.name)).filter((rename) => rename.to === to);
  if (requestedStack === undefined) return begun[0]?.from;
  const from = ownName(requestedStack, project);
  const isNoted = async (): Promise<boolean> =>
    !(await backend.stack(project.name, from).exists()) &&
    (await backend.lock(project.name, from).holders()).some(
      ({ fate, undertaking }) => fate !== "runs" && undertaking?.operation === "stack rename" && undertaking.to === to,
    );
  return begun.some((rename) => rename.from === from) || (await isNoted()) ? from : undefined;
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
    await nodeFiles.remove(this.from);
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
