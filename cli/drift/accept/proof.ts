import { isDeepStrictEqual } from "node:util";
import type { AcceptedPart } from "../../../drift/accept/wishes";
import { projectIn } from "../../../drift/report/context";
import { readRecordedState } from "../../../drift/scan/stacks";
import type { EngineEvent, StepSummary } from "../../../engine/events";
import { openBackend } from "../../../engine/state/backend";
import type { Project } from "../../../engine/state/project";
import { removeFolder, temporaryFolder } from "../../../io/files/folders";
import { printable } from "../../../io/text/printable";
import { messageOf } from "../../../provider/core/errors";
import { parsePath } from "../../../provider/core/values/values";
import type { CliContext } from "../../command/context";
import { CommandError, interruptedError } from "../../command/failure";
import { sourceEnvironment } from "../../command/recorded-stacks";
import { ownBackend } from "../../command/stack-choice";
import { type AcceptInput, isSameStack } from "./findings";
import { type RestOfDrift, shortName } from "./outcome";

interface ProofOptions {
  context: CliContext;
  signal: AbortSignal;
}

/** What a preview would do, by URN; what stays as it is is not there. */
type Steps = ReadonlyMap<string, StepSummary>;

/** `failure`: why the edited program is not what was promised. */
interface Proven {
  failure?: string;
  rest: readonly RestOfDrift[];
}

/**
 * Looks at what the program would do as it is. `after` looks again once it has been edited, and tells why it does not
 * match the live state, or changes something for another stack, if it does. Runs on copies of the recorded states;
 * those of stacks that are edited are read again from the service.
 */
export async function verifyAcceptance(
  accepted: readonly AcceptedPart[],
  input: AcceptInput,
  project: Project,
  options: ProofOptions,
): Promise<{ after(): Promise<Proven> }> {
  const proof: Proof = { input, project, ...options };
  const names = input.stacks.filter((stack) => acceptedOf(stack, accepted).length > 0);
  const before = new Map<string, Steps>();
  // The live state may itself be why the program does not come to its end: an account's policy that was tightened.
  for (const name of names) before.set(name, (await preview(name, proof)).steps);
  const others = await previewOthers(proof);
  if (options.signal.aborted) throw interruptedError();
  return {
    after: async () => {
      const rest: RestOfDrift[] = [];
      for (const name of [...names, ...others.keys()]) {
        const isOther = others.has(name);
        const { steps, error } = await preview(name, proof, !isOther);
        if (error !== undefined)
          return { failure: `the program does not come to the end of a preview of ${name}: ${error}`, rest };
        const failure = isOther
          ? disturbedIn(others.get(name)!, steps)
          : compare(acceptedOf(name, accepted), before.get(name)!, steps);
        if (failure !== undefined) return { failure: `a preview of ${name} shows that ${failure}`, rest };
        if (!isOther) rest.push(...restOf(acceptedOf(name, accepted), steps));
      }
      return { rest };
    },
  };
}

interface Proof extends ProofOptions {
  input: AcceptInput;
  project: Project;
}

const acceptedOf = (stack: string, accepted: readonly AcceptedPart[]): AcceptedPart[] =>
  accepted.filter(({ finding }) => finding.stacks.length === 0 || finding.stacks.includes(stack));

/** What the other stacks whose states are at hand have to do by now. One that cannot be previewed is named. */
async function previewOthers(proof: Proof): Promise<Map<string, Steps>> {
  const { input, signal, context } = proof;
  const others = new Map<string, Steps>();
  for (const name of input.siblings) {
    if (!input.recorded.some(({ stack }) => isSameStack(stack, name))) continue;
    const { steps, error } = await preview(name, proof, false).catch((cause: unknown) => ({
      steps: new Map<string, StepSummary>(),
      error: messageOf(cause),
    }));
    if (error === undefined) others.set(name, steps);
    else if (!signal.aborted)
      context.stderr.write(
        `warning: ${name} takes no part in the proof, other than by its recorded values: its preview fails: ${printable(error)}\n`,
      );
  }
  return others;
}

/** What another stack would do that it did not have to do before. */
function disturbedIn(before: Steps, after: Steps): string | undefined {
  const wordsOf = (step: StepSummary | undefined): unknown =>
    step && [step.op, ...step.diffs.map(({ path, kind, new: value }) => ({ path, kind, value }))];
  for (const [urn, step] of after)
    if (!isDeepStrictEqual(wordsOf(before.get(urn)), wordsOf(step)))
      return `${step.name} would be changed as well (${step.op})`;
  return undefined;
}

/** Why the edited program is not what was promised; undefined where it is. */
function compare(accepted: readonly AcceptedPart[], before: Steps, after: Steps): string | undefined {
  for (const { finding, path } of accepted) {
    const step = finding.urn === null ? undefined : after.get(finding.urn);
    if (!step) continue;
    if (path === undefined) return `${shortName(finding)} would still be changed (${step.op})`;
    const isLeft = step.diffs.some((diff) => diff.kind !== "add" && touches(diff.path, path));
    if (isLeft || step.op !== "update")
      return `\`${path}\` of ${shortName(finding)} would still be changed (${step.op})`;
  }
  const meant = new Set(accepted.map(({ finding }) => finding.urn));
  const added = accepted.filter(({ finding }) => finding.verdict === "unmanaged").map(({ finding }) => finding.type);
  for (const [urn, step] of after) {
    const isNew = step.op === "create" && added.some((type) => step.type.endsWith(`:${type}`));
    if (!isNew && !meant.has(urn) && before.get(urn)?.op !== step.op)
      return `${step.name} would be changed as well (${step.op})`;
  }
  return undefined;
}

function restOf(accepted: readonly AcceptedPart[], steps: Steps): RestOfDrift[] {
  return [...steps].flatMap(([urn, step]) => {
    const paths = accepted.flatMap(({ finding, path }) => (finding.urn === urn && path !== undefined ? [path] : []));
    const diffs = step.diffs.filter((diff) => !paths.some((path) => touches(diff.path, path)));
    if (step.op === "create" || (paths.length > 0 && diffs.length === 0)) return [];
    const fields = [...new Set(diffs.map(({ path }) => `\`${path}\``))].join(", ");
    return [{ urn, what: `${fields === "" ? step.op : fields} of ${step.type.split(":").at(-1)} ${step.name}` }];
  });
}

/** Whether one of two paths leads to, or through, the other. */
function touches(one: string, other: string): boolean {
  const [a, b] = [parsePath(one), parsePath(other)];
  return a.slice(0, b.length).every((segment, index) => segment === b[index]);
}

async function preview(
  name: string,
  { input: { sources }, project, context, signal }: Proof,
  refresh = true,
): Promise<{ steps: Steps; error: string | undefined }> {
  const stack = name.split("/").at(-1)!;
  const around = sourceEnvironment(context);
  const named = { project: projectIn(name)!, stack };
  const own = ownBackend(project, context);
  const state =
    (await readRecordedState(named, sources, around)) ?? (await own?.stack(project.name, stack).load("inspect"));
  if (!state)
    throw new CommandError(
      `The state of ${name} is needed for a preview of the edited program. Give it with --stack-file, --backend or --stack, or use --patch.`,
    );
  const folder = temporaryFolder("modelplatform-accept-");
  const url = `file://${folder}`;
  try {
    await openBackend(url, around).createStack(project.name, stack, state);
    const steps = new Map<string, StepSummary>();
    const errors: string[] = [];
    const engine = await context.loadEngine();
    const { result } = await engine(
      { stack, cwd: project.folder, env: { ...context.env, PULUMI_BACKEND_URL: url } },
      {
        kind: "up",
        preview: true,
        choices: { refresh },
        onEvent: (event) => note(event, steps, errors),
        signal,
        killSignal: signal,
      },
    );
    return { steps, error: result === "succeeded" ? undefined : (errors[0] ?? result) };
  } finally {
    removeFolder(folder);
  }
}

const quiet = new Set(["same", "refresh", "read"]);

function note(event: EngineEvent, steps: Map<string, StepSummary>, errors: string[]): void {
  if (event.kind === "stepFinished" && !quiet.has(event.step.op)) steps.set(event.step.urn, event.step);
  if (event.kind === "stepFailed" || (event.kind === "diagnostic" && event.severity === "error"))
    errors.push(event.message);
}
