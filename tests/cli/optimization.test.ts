import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { deferOptimization } from "../../cli/start";

const run = promisify(execFile);

function flagsOn(version: string): string[] {
  const flags: string[] = [];
  deferOptimization(version, (flag) => flags.push(flag));
  return flags;
}

test("the engine of this Node.js knows the flag that is set", async () => {
  const flags = flagsOn(process.versions.node);
  expect(flags).toHaveLength(1);
  await expect(run(process.execPath, [...flags, "-e", ""])).resolves.toMatchObject({ stderr: "" });
  await expect(run(process.execPath, ["--no-such-flag-at-all", "-e", ""])).rejects.toMatchObject({ code: 9 });
});

test("an untested Node.js gets no flag, since it would complain of one it lacks", () => {
  expect(flagsOn("99.0.0")).toEqual([]);
});
