import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(__dirname, "..");

const { include } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as { include: string[] };

/** The folders of the sources, as the compiler is given them. */
export const rooms = include.map((pattern) => pattern.split("/")[0]!);

/** Files of the rooms, as paths from the root of the repository. */
export const sourcesOfRooms = (ending: RegExp = /\.ts$/, among: readonly string[] = rooms): string[] =>
  among
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
    )
    .filter((file) => ending.test(file) && !file.includes("node_modules"))
    .sort();
