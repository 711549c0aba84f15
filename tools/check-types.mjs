// Checks the types of the tests, which no build compiles, against the built declarations.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilerOf } from "./compiler.mjs";
import { refuseArguments } from "./no-arguments.mjs";

refuseArguments("node tools/check-types.mjs", "Checks the types of the tests. Build first.");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { status } = spawnSync(...compilerOf(root, "tests"), { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
