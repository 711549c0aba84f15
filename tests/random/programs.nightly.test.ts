import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, onEachEngine } from "../e2e/engines";
import { dynamicHost, pluginHost } from "../matrix/hosts";
import { record } from "./figures";
import { playPrograms, type Summary, writeSummary } from "./runner";

/**
 * Random programs with real processes. `RANDOM_PROGRAMS` says how many, `RANDOM_SEED` where to begin, `RANDOM_ENGINE`
 * (`builtin`, `pulumi`) on which engine, and `RANDOM_HOST=plugin` that the plugin serves the resources: the seed of a
 * program that failed, with `RANDOM_PROGRAMS=1`, runs it again.
 */
const { RANDOM_PROGRAMS = "1", RANDOM_SEED, RANDOM_ENGINE, RANDOM_HOST } = process.env;

const host = RANDOM_HOST === "plugin" ? pluginHost : dynamicHost;

jest.setTimeout(Number(RANDOM_PROGRAMS) * 300_000);

onEachEngine((engine: Engine) => {
  const name = engine.isBuiltIn ? "builtin" : "pulumi";
  const isWanted = RANDOM_ENGINE === undefined || RANDOM_ENGINE === name;

  (isWanted ? test : test.skip)("random programs keep every promise, whatever happens to them", async () => {
    const seed = RANDOM_SEED === undefined ? Math.floor(Math.random() * 1e9) : Number(RANDOM_SEED);
    const report = (summary: Summary): void => writeSummary(join(tmpdir(), `random-programs-${name}.json`), summary);
    const begun = Date.now();
    const summary = await playPrograms({ engine, host, seed, programs: Number(RANDOM_PROGRAMS), atOnce: 2, report });
    const { date, programs, violations, commands, kills, interrupts, struck, rivals } = summary;
    record({
      ...{ engine: summary.engine, date, seed, scenarios: programs, violations: violations.length },
      minutes: Math.ceil((Date.now() - begun) / 60_000),
      counts: { commands, kills, interrupts, "requests struck by faults": struck, "objects of the other team": rivals },
    });
    const told = summary.violations.map(
      (each) =>
        `RANDOM_SEED=${each.seed} RANDOM_ENGINE=${name} RANDOM_HOST=${RANDOM_HOST ?? ""}: ${each.problem}\n${each.log.join("\n")}`,
    );
    expect(told).toEqual([]);
  });
});
