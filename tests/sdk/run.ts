import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../e2e/engines";
import { installLane } from "./installed";
import { type Lane, laneOf, NoSuchLane } from "./lane";
import { npmRegistry } from "./registry";

/** Runs the tests of this folder on another SDK: `npm run test:sdk -- <version> [--node <version>]`. */

const usage = "Usage: npm run test:sdk -- <version of @pulumi/pulumi> [--node <version>]";

function asked(): { sdk: string; node: string | undefined } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { node: { type: "string" } } });
    const [sdk, ...more] = positionals;
    if (sdk === undefined || more.length > 0) throw new NoSuchLane(usage);
    return { sdk, node: values.node };
  } catch (error) {
    throw error instanceof NoSuchLane ? error : new NoSuchLane(`${(error as Error).message}\n${usage}`);
  }
}

function run(lane: Lane): number {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "lane-"));
  try {
    const { packages, bin } = installLane(lane, folder);
    const node = join(bin, "node");
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    console.log(`@pulumi/pulumi ${lane.sdk} on Node.js ${version}`);
    const jest = [
      "node_modules/jest/bin/jest.js",
      "--config",
      "tests/jest.config.cjs",
      "--verbose",
      "tests/sdk/programs",
    ];
    const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), LANE_PACKAGES: packages };
    return spawnSync(node, jest, { cwd: repository, stdio: "inherit", env }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { engines } = require("../../package.json") as { engines: { node: string } };
  process.exitCode = run(laneOf(asked(), engines.node, npmRegistry));
} catch (error) {
  if (!(error instanceof NoSuchLane)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
