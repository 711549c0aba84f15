import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import { runScript, type Script, UsageError } from "../../tools/script";
import { installLane } from "./installed";
import { type Lane, laneOf, NoSuchLane } from "./lane";
import { npmRegistry } from "./registry";

const script = {
  command: "npm run test:sdk",
  about: "Runs the programs of tests/sdk on another SDK, from the packed package.",
  flags: { node: { value: "<version>", about: "Node.js; the least that the SDK and this package accept without it" } },
  takes: { form: "<version>", about: "of @pulumi/pulumi: a version, a range or a tag", least: 1, most: 1 },
} satisfies Script;

const { engines } = require("../../package.json") as { engines: { node: string } };

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

/** The lane that is meant, or a sentence on why there is none. */
function lane(sdk: string, node: string | undefined): Lane {
  try {
    return laneOf({ sdk, node }, engines.node, npmRegistry);
  } catch (error) {
    throw error instanceof NoSuchLane ? new UsageError(error.message) : error;
  }
}

void runScript(script, ({ flags, args }) => run(lane(args[0]!, flags.node)));
