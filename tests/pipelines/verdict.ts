import type { JobRun } from "./github";
import type { GitLabRun } from "./gitlab";

/** Every job must end well, but for those whose last step may end with `codes`. */
export function must(runs: readonly JobRun[], ...codes: readonly (number | null)[]): JobRun[] {
  const isWell = ({ result, steps }: JobRun): boolean =>
    result === "success" || codes.includes(steps.at(-1)?.code ?? null);
  const failed = runs.find((run) => !isWell(run));
  if (failed) {
    const { name, code, output } = failed.steps.at(-1) ?? { name: "none", code: null, output: "" };
    throw new Error(`${failed.job} ${JSON.stringify(failed.matrix)}: step ${name} ended with ${code}:\n${output}`);
  }
  return [...runs];
}

/** The same of a pipeline of GitLab. */
export function mustRun(runs: readonly GitLabRun[], ...codes: readonly (number | null)[]): GitLabRun[] {
  const failed = runs.find(({ code }) => code !== 0 && !codes.includes(code));
  if (failed)
    throw new Error(`${failed.name} ${JSON.stringify(failed.row)} ended with ${failed.code}:\n${failed.output}`);
  return [...runs];
}
