import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root, sourcesOfRooms } from "../rooms";

/** The layers of the sources, and what is read to judge them. */

const within = (room: string, ...folders: string[]): string[] => folders.map((folder) => `${room}/${folder}`);

/** Words between an engine and a life cycle, which know nothing of each other. */
const engineState = "protocol/engine-state.ts";

/** What each layer may import of the others. Arrows point one way only. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "io/text": [],
  "io/paths.ts": [],
  "io/programs.ts": [],
  "io/files": within("io", "text", "paths.ts"),
  "io/masking": [],
  "provider/core": within("io", "text", "masking"),
  "provider/resources": ["provider/core"],
  "provider/kinds": ["provider/core"],
  "provider/api": [...within("io", "text", "files", "programs.ts"), "provider/core"],
  "provider/lifecycle": [...within("io", "text", "files"), ...within("provider", "core", "kinds", "api"), engineState],
  filters: ["provider/core"],
  emulator: ["io/files", ...within("provider", "core", "resources"), "filters"],
  "engine/state": [...within("io", "text", "files")],
  [engineState]: [],
  protocol: [engineState],
  engine: [...within("io", "text", "files", "paths.ts", "masking"), "engine/state", "protocol", engineState],
  "provider/pulumi": [
    ...within("io", "text", "files"),
    ...within("provider", "core", "resources", "api", "lifecycle"),
    ...["protocol", engineState],
  ],
  "provider/plugin": [
    ...within("io", "text", "files", "masking"),
    ...within("provider", "core", "resources", "api", "lifecycle", "pulumi"),
    "protocol",
  ],
  "cli/host": [
    ...within("io", "text", "files"),
    ...within("provider", "core", "api", "lifecycle", "pulumi", "plugin"),
    "protocol",
  ],
  "governance/cost": [
    ...within("io", "text", "paths.ts"),
    ...within("provider", "core", "resources", "api", "lifecycle"),
  ],
  "governance/review": ["io/text", ...within("provider", "core", "resources", "kinds", "lifecycle"), "governance/cost"],
  drift: [
    ...within("io", "text", "files", "programs.ts"),
    ...within("provider", "core", "resources", "kinds", "api", "lifecycle"),
    ...["engine/state", "governance/cost", "filters"],
  ],
  "drift/accept": [
    ...within("io", "text", "files", "paths.ts"),
    ...within("provider", "core", "resources", "kinds", "api"),
    "drift",
  ],
  "governance/policies": [...within("provider", "core", "resources"), "governance/cost"],
  "drift/audit.ts": ["io/text", ...within("provider", "core", "api"), "drift", "governance/policies"],
  cli: [
    ...within("io", "text", "files", "paths.ts", "programs.ts"),
    ...within("provider", "core", "resources", "api", "lifecycle", "pulumi"),
    ...within("governance", "cost", "policies", "review"),
    ...["drift", ...within("drift", "accept", "audit.ts")],
    ...["engine", "engine/state", "emulator", "protocol", "cli/host", "filters"],
  ],
  "cli/tour.ts": ["io/files"],
  tools: [
    ...within("io", "text", "files"),
    ...within("provider", "core", "resources", "kinds", "api", "lifecycle"),
    ...within("governance", "cost", "policies"),
    ...["drift", "engine/state"],
    ...["cli", "cli/tour.ts"],
  ],
  "provider/sdk": [...within("provider", "core", "pulumi")],
  "provider/errors.ts": ["provider/core"],
  "cli/host/embedded-stack.ts": ["engine", "cli/host"],
  "provider/index.ts": [...within("provider", "core", "pulumi", "sdk", "errors.ts")],
  "provider/plugin-classes.ts": [...within("provider", "core", "pulumi", "sdk", "errors.ts")],
  "provider/runtime.ts": ["provider/core", "provider/pulumi"],
};

export function filesBelow(folder: string, ending = /\.ts$/): string[] {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) return entry === "node_modules" ? [] : filesBelow(path, ending);
    return ending.test(path) ? [path] : [];
  });
}

export const files = sourcesOfRooms().map((file) => join(root, file));

/** The layer that a path from the root belongs to: the longest that the table has. */
export const layerOfPath = (path: string): string =>
  Object.keys(mayImport)
    .filter((layer) => path === layer || `${path}.ts` === layer || path.startsWith(`${layer}/`))
    .reduce((longest, layer) => (layer.length > longest.length ? layer : longest), "");
export const layerOf = (file: string): string => layerOfPath(relative(root, file));

/** Everything that is written by hand, scripts included. */
export const written = [
  ...sourcesOfRooms(/\.[cm]?[jt]s$/).map((file) => join(root, file)),
  ...["tests", "examples"].flatMap((folder) => filesBelow(join(root, folder), /\.[cm]?[jt]s$/)),
];
