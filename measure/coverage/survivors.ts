import type { MutationOutcome } from "./mutation";

/** What a run of the mutants has to say. */
export interface Told {
  /** What is wrong, by the key of the rule. */
  problems: Readonly<Record<string, readonly string[]>>;
  text: string;
}

export function told(outcomes: readonly MutationOutcome[]): Told {
  const problems = outcomes.map(({ claim, survivors, idle, broken }) => [
    claim.off!.key,
    [
      ...(broken === undefined ? [] : [`could not be tried: ${broken}`]),
      ...survivors.map(({ file, find }) => `switched off in ${file} (${String(find)}), and no test noticed`),
      ...idle.map((test) => `claimed by a test that notices none of its mutants: ${test}`),
    ],
  ]);
  const ways = outcomes.reduce((sum, { claim }) => sum + claim.off!.mutants.length, 0);
  const survivors = outcomes.reduce((sum, outcome) => sum + outcome.survivors.length, 0);
  return {
    problems: Object.fromEntries(problems.filter(([, reasons]) => reasons!.length > 0)),
    text: `${outcomes.length} rules switched off in ${ways} ways; ${survivors} not noticed`,
  };
}
