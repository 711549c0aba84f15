import { readdirSync } from "node:fs";
import { join } from "node:path";

export const root = join(__dirname, "..");

/** The folders of the sources. */
export const { rooms } = require("../tools/rooms.cjs") as { rooms: readonly string[] };

/** Files of the rooms, as paths from the root of the repository. */
export const sourcesOfRooms = (ending = /\.ts$/): string[] =>
  rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
    )
    .filter((file) => ending.test(file) && !file.includes("node_modules"))
    .sort();
