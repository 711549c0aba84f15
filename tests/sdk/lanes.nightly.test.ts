import { spawnSync } from "node:child_process";
import { laneOf, NoSuchLane } from "../../measure/sdk/lane";
import { npmRegistry } from "../../measure/sdk/registry";
import { repository } from "../e2e/engines";
import { unless } from "../e2e/hosts";

jest.setTimeout(1_800_000);

const { engines, peerDependencies } = require("../../package.json") as {
  engines: { node: string };
  peerDependencies: Record<string, string>;
};
const range = peerDependencies["@pulumi/pulumi"]!;
const ends = [range.replace(/^\D+/, ""), range];
/** The oldest and the newest line: with both ends of the SDK, the corners of what is supported. */
const lines = ["20", "26"];

/** The lanes of versions that go together. */
function lanes(): { lanes: [sdk: string, node: string][]; missing: string } {
  try {
    const together = ends.flatMap((sdk) => lines.flatMap((node) => laneIfAny(sdk, node)));
    return { lanes: together, missing: "" };
  } catch (error) {
    return { lanes: [["none", "none"]], missing: `skipped: ${(error as Error).message}` };
  }
}

function laneIfAny(sdk: string, node: string): [sdk: string, node: string][] {
  try {
    const lane = laneOf({ sdk, node }, engines.node, npmRegistry);
    return [[lane.sdk, lane.node]];
  } catch (error) {
    if (error instanceof NoSuchLane) return [];
    throw error;
  }
}

const asked = (...args: readonly string[]): { code: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "test:sdk", "--", ...args], {
    cwd: repository,
    encoding: "utf8",
  });
  return { code: status, output: stdout + stderr };
};

const { lanes: known, missing } = lanes();

unless(missing, "with the SDK at each end of the supported range", () => {
  test.each(known)("SDK %s runs programs on Node.js %s", (sdk, node) => {
    const { code, output } = asked(sdk, "--node", node);
    expect(output).toContain(`@pulumi/pulumi ${sdk} on Node.js v${node}\n`);
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  });

  test("a version that does not exist is refused", () => {
    expect(asked("9.9.9")).toEqual({
      code: 64,
      output: expect.stringContaining("@pulumi/pulumi 9.9.9 does not exist."),
    });
  });
});
