import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FileBackend, openBackend } from "../../engine/state/backend";
import { type Project, placeOfStacks } from "../../engine/state/project";
import type { CliContext } from "../command/context";

/**
 * Where the environment, else the project, keeps its states; undefined where that is no folder, or nothing is there.
 */
export function ownBackend(
  project: Project | undefined,
  { cwd, env }: Pick<CliContext, "cwd" | "env">,
): FileBackend | undefined {
  const place = project ? placeOfStacks(project, { cwd, env }) : { url: env["PULUMI_BACKEND_URL"] ?? "", cwd };
  if (!place.url.startsWith("file://")) return undefined;
  const backend = openBackend(place.url, { cwd: place.cwd, env });
  return existsSync(join(backend.folder, ".pulumi")) ? backend : undefined;
}
