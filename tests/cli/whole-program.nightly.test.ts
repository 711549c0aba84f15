// Nightly: each command starts three processes. `whole-program.test.ts` runs them in one.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { environmentOf } from "../engine/runners";
import { liveThrough } from "./whole-program";

const main = join(__dirname, "..", "..", "dist", "cli", "main.js");

/** Where the suite's processes may write. */
const homes = () =>
  Object.fromEntries(["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].map((name) => [name, process.env[name]]));

test("a program goes up, drifts, is healed and destroyed, and the exit codes tell", () =>
  liveThrough(async (workshop, line) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...line.split(" ")], {
      cwd: workshop.program,
      env: { ...homes(), PATH: process.env["PATH"], ...environmentOf(workshop) },
      encoding: "utf8",
    });
    return { code: status ?? 1, stdout, stderr };
  }));
