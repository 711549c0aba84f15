import type { RehearsalService } from "./emulator";

/** Runs one command of an engine; the CLI and the built-in engine take the same. */
type EngineCommand = (...args: string[]) => Promise<string>;

/** The commands that every program is taken through, as the report names them. */
export const lifeCycle = "preview, up, clean preview, destroy";

/** Names of the objects in a state that was exported: ids of resources with a service behind them. */
const recordedObjects = (exported: string): string[] => {
  const { deployment } = JSON.parse(exported) as { deployment: { resources?: { id?: string }[] } };
  return (deployment.resources ?? []).flatMap(({ id }) => (id?.startsWith("accounts/") ? [id] : []));
};

/** Takes a program from its first preview to its end, and looks at the service after each change. */
export async function playLifeCycle(
  engine: EngineCommand,
  service: RehearsalService,
  more: readonly string[] = [],
): Promise<void> {
  await engine("stack", "init", "dev");
  await engine("preview");
  await engine("up", "--yes");
  const names = recordedObjects(await engine("stack", "export"));
  const live = await service.objects();
  const missing = names.filter((name) => !live.includes(name));
  if (names.length === 0 || missing.length > 0)
    throw new Error(`\`up\` succeeded, and the service does not have ${missing.join(", ") || "anything of it"}`);
  for (const command of more) await engine(command);
  await engine("preview", "--refresh", "--expect-no-changes");
  await engine("destroy", "--yes");
  const left = (await service.objects()).filter((name) => names.includes(name));
  if (left.length > 0) throw new Error(`\`destroy\` succeeded, and the service still has ${left.join(", ")}`);
}
