import type { BenchRun } from "../bench-run";
import type { BenchStep, Contestant } from "./contestants";
import { Ground, type PeerScenario } from "./ground";
import { measure } from "./processes";
import type { PeerResult } from "./results";

interface Rounds {
  rounds: number;
  scenarios: readonly PeerScenario[];
  contestants: readonly Contestant[];
  steps: readonly BenchStep[];
}

/** Lets contestants take turns, so that a busy hour meets all of them alike. */
export async function playRounds(run: BenchRun, all: Rounds): Promise<PeerResult[]> {
  const present = all.contestants.filter(({ missing }) => missing === undefined);
  const turns = Array.from({ length: all.rounds }, (_, index) => index + 1).flatMap((round) =>
    all.scenarios.flatMap((scenario) => present.map((contestant) => ({ round, scenario, contestant }))),
  );
  const results: PeerResult[] = [];
  for (const { round, scenario, contestant } of turns) {
    const title = `round ${round}, ${scenario.title}, ${contestant.title}`;
    const played = await run.part(title, () => play(scenario, contestant, { round, steps: all.steps }));
    if (played === undefined) continue;
    results.push(...played);
    const figures = played.map(
      ({ step, processor, requests, memory }) =>
        `${step} ${processor.toFixed(1)} s, ${requests} requests, ${memory.toFixed(0)} MB`,
    );
    console.error(`${title}: ${figures.join("; ")}`);
  }
  return results;
}

async function play(
  scenario: PeerScenario,
  contestant: Contestant,
  { round, steps }: { round: number; steps: readonly BenchStep[] },
): Promise<PeerResult[]> {
  const ground = await Ground.open(scenario, contestant.program);
  try {
    const results: PeerResult[] = [];
    for (const step of steps) {
      const measured = await measure(contestant.command(step, ground), ground.requests);
      results.push({ scenario: scenario.title, contestant: contestant.title, round, step, ...measured });
    }
    return results;
  } finally {
    await ground.close();
  }
}
