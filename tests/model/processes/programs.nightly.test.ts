import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, onEachEngine } from "../../e2e/engines";
import { runsOf, seedOf } from "../../nightly";
import { dynamicHost, pluginHost } from "./hosts";
import { playPrograms, type Summary, writeSummary } from "./runner";

/**
 * Random programs with real processes. `RANDOM_PROGRAMS` says how many, `RANDOM_SEED` where to begin, `RANDOM_ENGINE`
 * (`builtin`, `pulumi`) on which engine, and `RANDOM_HOST=plugin` that the plugin serves the resources: the seed of a
 * program that failed, with `RANDOM_PROGRAMS=1`, runs it again.
 */
const { RANDOM_PROGRAMS = "24", RANDOM_SEED, RANDOM_ENGINE, RANDOM_HOST } = process.env;

const host = RANDOM_HOST === "plugin" ? pluginHost : dynamicHost;
const first = RANDOM_SEED === undefined ? seedOf(20261127) : Number(RANDOM_SEED);
const atOnce = 2;

/** Each test has as many as run at once. */
const runs = runsOf(Number(RANDOM_PROGRAMS), atOnce);

jest.setTimeout(Number(RANDOM_PROGRAMS) * 300_000);

onEachEngine((engine: Engine) => {
  const name = engine.isBuiltIn ? "builtin" : "pulumi";
  const isWanted = RANDOM_ENGINE === undefined || RANDOM_ENGINE === name;

  (isWanted ? test : test.skip).each(runs.map(({ from, count }) => [first + from, count] as const))(
    "the random programs from seed %i on, %i of them, keep every promise",
    async (seed, programs) => {
      const file = join(tmpdir(), `random-programs-${name}-${seed}.json`);
      const report = (summary: Summary): void => writeSummary(file, summary);
      const { violations } = await playPrograms({ engine, host, seed, programs, atOnce, report });
      const broken = violations.map(
        (each) =>
          `RANDOM_SEED=${each.seed} RANDOM_ENGINE=${name} RANDOM_HOST=${RANDOM_HOST ?? ""}: ${each.problem}\n${each.log.join("\n")}`,
      );
      expect(broken).toEqual([]);
    },
  );
});
