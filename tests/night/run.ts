import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { root } from "../rooms";
import { asked, type Night, UsageError, usage } from "./asked";
import { partsOf, secondsOf, sharesIn, unitsOf } from "./plan";
import { readRecord } from "./record";
import { record } from "./recorder";
import { nightSuites } from "./suites";

/** Runs what `npm test` leaves out: all of it, or one of the parts that it is divided into. */

function play({ part, of, isFresh, patterns, jest }: Night): number {
  const suites = nightSuites().filter(
    (suite) => patterns.length === 0 || patterns.some((pattern) => suite.includes(pattern)),
  );
  if (suites.length === 0) throw new UsageError(`No suite of the night has a path with ${patterns.join(" or ")}.`);
  const units = partsOf(unitsOf(suites, readRecord().suites), of)[part - 1]!;
  if (units.length === 0) {
    console.error(`Part ${part} of ${of} has no test: the night has fewer than that.`);
    return 0;
  }
  const shares = sharesIn(units);
  const { NIGHT_SEED = isFresh ? String(randomInt(1, 2 ** 31)) : undefined } = process.env;
  if (NIGHT_SEED !== undefined) console.error(`Fresh seeds: NIGHT_SEED=${NIGHT_SEED} draws them again.`);
  const env = {
    ...process.env,
    ...(NIGHT_SEED !== undefined && { NIGHT_SEED }),
    NIGHT_SHARES: JSON.stringify(Object.fromEntries(shares)),
    NIGHT_SECONDS: JSON.stringify(
      Object.fromEntries([...shares.keys()].map((suite) => [suite, secondsOf(units, suite)])),
    ),
  };
  console.error(`Part ${part} of ${of} of the night: ${shares.size} ${shares.size === 1 ? "suite" : "suites"}.`);
  const args = ["--config", "tests/jest.nightly.cjs", ...jest, "--runTestsByPath", ...shares.keys()];
  return (
    spawnSync(process.execPath, ["node_modules/jest/bin/jest.js", ...args], { cwd: root, stdio: "inherit", env })
      .status ?? 1
  );
}

try {
  const night = asked(process.argv.slice(2));
  if (night === "help") console.log(usage);
  else if ("record" in night) process.exitCode = record(night);
  else process.exitCode = play(night);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 64;
}
