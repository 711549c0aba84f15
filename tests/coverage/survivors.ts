import type { Outcome } from "./mutation";

/** What a run of the mutants has to say, and what is wrong with it. */
export function told(outcomes: readonly Outcome[]): { text: string; problems: string[] } {
  const problems = outcomes.flatMap(({ claim, survivors, idle, broken }) => [
    ...(broken === undefined ? [] : [`\`${claim.name}\` could not be tried: ${broken}`]),
    ...survivors.map(
      ({ file, find }) => `\`${claim.name}\` was switched off in ${file} (${String(find)}), and no test noticed`,
    ),
    ...idle
      .filter(() => broken === undefined)
      .map((test) => `\`${claim.name}\` is claimed by a test that notices none of its mutants: ${test}`),
  ]);
  const mutants = outcomes.reduce((sum, { claim }) => sum + (claim.mutants?.length ?? 0), 0);
  const survivors = outcomes.reduce((sum, outcome) => sum + outcome.survivors.length, 0);
  return { text: `${outcomes.length} rules switched off in ${mutants} ways; ${survivors} not noticed`, problems };
}
