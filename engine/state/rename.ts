import type { FileBackend } from "./backend";
import type { Renamed } from "./layout";
import type { Snapshot } from "./resource-state";
import type { StackFiles } from "./stack-files";
import { CutOffError, isSameUndertaking, moveIn, type Undertaking } from "./undertaking";

interface Renaming {
  project: string;
  /** Where the new name is another project's. */
  toProject?: string | undefined;
  from: string;
  to: string;
  change: (snapshot: Snapshot) => Snapshot;
  /** What belongs to the stack outside of the backend. */
  config: {
    /** Gives the new name the config of the old one, which stays. */
    copy(isContinued: boolean): Promise<void>;
    takeBack(): Promise<void>;
    /** The new name is the stack's: the old config goes. */
    finish(): Promise<void>;
  };
}

/**
 * Renames a stack: its state as `change` makes it, and its history. Its last state stays as `.bak` under the old name.
 * At no moment do two states own the same, or has a state no config: the config comes first, then the old state is put
 * aside, then the new one is written. The same call continues what was cut off.
 */
export async function renameStack(backend: FileBackend, renaming: Renaming): Promise<void> {
  const { project, toProject = project, from, to } = renaming;
  const projects = toProject === project ? {} : { projects: { from: project, to: toProject } };
  const undertaking: Undertaking = { operation: "stack rename", from, to, ...projects };
  await backend.locked(
    project,
    from,
    (old, broken) =>
      backend.locked(
        toProject,
        to,
        async (renamed) => {
          const isContinued = broken.some((lock) => isSameUndertaking(undertaking, lock.undertaking));
          const isDone = isContinued && !(await old.exists()) && (await old.aside()) === undefined;
          if (isDone && (await renamed.exists())) return renaming.config.finish();
          await new Renamer(backend, { old, renamed, renaming, undertaking }).run();
        },
        { undertaking },
      ),
    { undertaking },
  );
}

class Renamer {
  private readonly old: StackFiles;
  private readonly renamed: StackFiles;
  private readonly renaming: Renaming;
  private readonly undertaking: Undertaking;

  constructor(
    private readonly backend: FileBackend,
    parts: { old: StackFiles; renamed: StackFiles; renaming: Renaming; undertaking: Undertaking },
  ) {
    this.old = parts.old;
    this.renamed = parts.renamed;
    this.renaming = parts.renaming;
    this.undertaking = parts.undertaking;
  }

  async run(): Promise<void> {
    const { old, renamed, renaming } = this;
    const { config } = renaming;
    const before = await old.aside();
    if (before === undefined) await this.begin();
    else await this.assertContinues(before);
    const aside = before ?? (await old.aside())!;
    if (!(await renamed.exists()))
      await this.write().catch(async (error: unknown) => {
        await old.endAside(aside, "state");
        await config.takeBack();
        throw error;
      });
    await old.moveHistory(renamed);
    await old.remove();
    await config.finish();
    await old.endAside(aside, "backup");
  }

  private async begin(): Promise<void> {
    const { backend, old, renamed, renaming } = this;
    const { project, from, to, config } = renaming;
    const snapshot = await old.load();
    if (snapshot === undefined) throw new Error(`There is no stack ${from} of project ${project} in ${backend.label}.`);
    const move = moveIn(from, snapshot.resources) ?? (await backend.moveTo(project, from));
    if (move) throw new CutOffError(from, move);
    const { projects } = this.undertaking;
    await backend.assertNotRenamed(project, from);
    await backend.assertNotRenamed(renamed.project, to);
    if (await renamed.exists())
      throw new Error(
        `The stack ${to} of project ${renamed.project} already exists in ${backend.label}. Choose another name.`,
      );
    await config.copy(false);
    await old.putAside({ to, project: projects?.to });
  }

  private async write(): Promise<void> {
    const { old, renamed, renaming } = this;
    await renaming.config.copy(true);
    await renamed.save(renaming.change((await old.loadAside())!));
  }

  /** What was put aside is to be this stack and no other, and what has its name to be what was put aside. */
  private async assertContinues({ path, to: goal, project: goalProject }: Renamed & { path: string }): Promise<void> {
    const { old, renamed, renaming } = this;
    const { project, from, to } = renaming;
    const projects = goalProject === undefined ? undefined : { from: project, to: goalProject };
    const begun: Undertaking = { operation: "stack rename", from, to: goal, projects };
    if (!isSameUndertaking(begun, this.undertaking)) throw new CutOffError(from, begun);
    if (await old.exists())
      throw new Error(
        `The stack ${from} has two states: ${path}, which a rename to ${to} put aside before it was cut off, and ${await old.path()}, which was made since. Move away the one that is not to become ${to}, and run the command again.`,
      );
    const idsOf = ({ resources }: Snapshot) => resources.flatMap(({ id, custom }) => (custom && id ? [id] : []));
    const there = await renamed.load("inspect");
    const ids = new Set(there && idsOf(there));
    const owned = idsOf((await old.loadAside("inspect"))!);
    if (there && owned.length > 0 && !owned.some((id) => ids.has(id)))
      throw new Error(
        `The stack ${to} has none of the objects of ${path}, the state of ${from} before its rename was cut off: somebody else has made it since, or destroyed it. If the objects of that file are gone, move it away; else rename the stack ${to} first.`,
      );
  }
}
