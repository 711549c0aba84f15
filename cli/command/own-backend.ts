import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FileBackend, openBackend } from "../../engine/state/backend";
import { backendLocation, type Project, readProject } from "../../engine/state/project";
import type { CliContext } from "./context";

/** The project in the folder or above it; undefined where there is none, or none that can be read. */
export const findProject = ({ cwd }: Pick<CliContext, "cwd">): Promise<Project | undefined> =>
  readProject(cwd).catch(() => undefined);

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

/** Whether a backend is a folder in which no stack was made yet. One that is not there may be a slip, and is none. */
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
