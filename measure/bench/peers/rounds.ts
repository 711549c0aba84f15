import { type Contestant, steps } from "./contestants";
import { Ground, type PeerScenario } from "./ground";
import { measure } from "./processes";
import type { PeerResult, Results } from "./results";

interface Rounds {
  rounds: number;
  scenarios: readonly PeerScenario[];
  contestants: readonly Contestant[];
  /** When no other turn begins, as `performance.now()` counts. */
  ends: number;
}

/** Lets contestants take turns, so that a busy hour meets all of them alike. What has been played is not repeated. */
export async function playRounds(results: Results, { rounds, scenarios, contestants, ends }: Rounds): Promise<void> {
  const present = contestants.filter(({ missing }) => missing === undefined);
  const turns = Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    scenarios.flatMap((scenario) => present.map((contestant) => ({ round, scenario, contestant }))),
  );
  for (const { round, scenario, contestant } of turns) {
    if (results.has(scenario, contestant, round)) continue;
    if (performance.now() > ends) break;
    const played = await play(scenario, contestant, round).catch((error: Error) => {
      console.error(`round ${round}, ${scenario.title}, ${contestant.title}: ${error.message}`);
      process.exitCode = 1;
      return [];
    });
    if (played.length === 0) continue;
    results.add(played);
    const times = played.map(({ step, processor, requests }) => `${step} ${processor.toFixed(1)} s, ${requests}`);
    console.error(`round ${round}, ${scenario.title}, ${contestant.title}: ${times.join("; ")}`);
  }
}

async function play(scenario: PeerScenario, contestant: Contestant, round: number): Promise<PeerResult[]> {
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
