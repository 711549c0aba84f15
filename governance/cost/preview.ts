import { sourceLineOf } from "../../io/text/source-line";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { memberOf, resourceNameIn, resourceTypeIn } from "../../provider/core/pulumi-names";
import { accountOf } from "../../provider/core/values/names";
import { isObject, isUnknown, plainValue, type Values } from "../../provider/core/values/values";
import { isRetained } from "../../provider/lifecycle/changes/protection";
import { specOf } from "../../provider/resources/index";
import type { CostSubject, ObjectState } from "./subject";
import { succeedingValues, updatedValues } from "./successor";

/** A resource in an engine's state, as far as its cost depends on it. */
export interface State {
  urn: string;
  type: string;
  id?: string | undefined;
  inputs?: Values | undefined;
  outputs?: Values | undefined;
  external?: boolean | undefined;
  /** A replaced resource that still has to be deleted. */
  delete?: boolean | undefined;
  retainOnDelete?: boolean | undefined;
  /** Where the program declares it: `index.ts:3`. */
  place?: string | undefined;
}

/** One step of an engine's preview or update, by Pulumi's names. */
export interface EngineStep {
  op: string;
  urn: string;
  old?: State | undefined;
  new?: State | undefined;
  /** Paths of inputs that the engine names as different, of secrets too. */
  paths?: readonly string[] | undefined;
  /** Paths of inputs that force a replacement. */
  replacing?: readonly string[] | undefined;
}

/**
 * What the steps do to the cost: a subject for each resource that is paid for, in the order of the steps. Of steps that
 * were `applied`, the new states say how the objects are; of planned ones, only what the program wants counts.
 */
export function subjectsOf(
  steps: readonly EngineStep[],
  { stack, applied = false }: { stack?: string | undefined; applied?: boolean } = {},
): CostSubject[] {
  const subjects = new Map<string, CostSubject>();
  const replaced = new Set(steps.filter(({ op }) => replacements.has(op)).map(({ urn, old }) => objectOf(urn, old)));
  for (const step of steps) {
    const { op, urn, old, new: fresh } = step;
    const state = fresh ?? old;
    const spec = state && specOfType(state.type);
    if (!state || !spec?.billing || state.external || ignored.has(op)) continue;
    // What an earlier run has replaced is an object of its own.
    const key = old?.delete && !replaced.has(objectOf(urn, old)) ? objectOf(urn, old) : urn;
    const earlier = subjects.get(key);
    const before = earlier?.before ?? situationBefore(step);
    const after = op === "delete-replaced" ? (earlier?.after ?? "none") : situationAfter(step, spec, applied);
    const [name, account] = [nameOf(state), accountIn(state)];
    subjects.set(key, { spec, name, account, urn, stack, before, after });
  }
  return [...subjects.values()];
}

/** Steps that say of an object that this run replaces it. */
const replacements: ReadonlySet<string> = new Set(["replace", "create-replacement"]);

const objectOf = (urn: string, state: State | undefined): string => `${urn} ${state?.id ?? ""}`;

/** What an engine only reads, and what it forgets without deleting it. */
const ignored: ReadonlySet<string> = new Set([
  "read",
  "read-replacement",
  "discard",
  "read-discard",
  "discard-replaced",
]);

function specOfType(type: string): ResourceSpec | undefined {
  const kind = memberOf(type);
  return kind === undefined ? undefined : specOf(kind);
}

const recordedValues = ({ inputs, outputs }: State): Values => ({
  ...withoutSecretMarks(inputs),
  ...withoutSecretMarks(outputs),
});

const declaredValues = ({ inputs }: State): Values => withoutSecretMarks(inputs);

const withoutSecretMarks = (values: Values | undefined): Values => (plainValue(values ?? {}) ?? {}) as Values;

function situationBefore({ op, old, new: fresh }: EngineStep): ObjectState {
  const state = op === "import" || op === "refresh" ? (fresh ?? old) : old;
  return state ? recordedValues(state) : "none";
}

function situationAfter({ op, old, new: fresh }: EngineStep, spec: ResourceSpec, applied: boolean): ObjectState {
  if (op === "delete" || !(fresh ?? old)) return old && isLeftLive(old) ? recordedValues(old) : "none";
  if (applied && fresh) return recordedValues(fresh);
  if (op === "import" || op === "refresh" || op === "same")
    return recordedValues((op === "same" ? old : undefined) ?? fresh ?? old!);
  const change = old && fresh && { live: recordedValues(old), was: declaredValues(old), is: declaredValues(fresh) };
  if (op === "update" && change) return updatedValues(spec, change);
  if (replacements.has(op) && change) return succeedingValues(spec, change);
  return withoutSecretMarks((fresh ?? old)!.inputs);
}

/** Whether its delete removes it from the state alone, so that it stays live and goes on to cost. */
export function isLeftLive({ type, inputs, outputs, retainOnDelete }: State): boolean {
  const spec = specOfType(type);
  return retainOnDelete === true || (spec !== undefined && isRetained(spec, { ...inputs, ...outputs }));
}

/** The resource name; of what does not exist yet, the name in the program. */
const nameOf = ({ id, urn }: State): string =>
  id !== undefined && id !== "" && !isUnknown(id) ? id : resourceNameIn(urn);

function accountIn({ id = "", inputs, outputs }: State): string {
  const recordedAccount = outputs?.["accountId"] ?? inputs?.["accountId"];
  return accountOf(id) ?? (typeof recordedAccount === "string" && !isUnknown(recordedAccount) ? recordedAccount : "");
}

/** `project/stack` of a URN. */
export function stackOf(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined ? undefined : `${project}/${stack}`;
}

/** What is wrong with a document that costs are to be read from. */
export class UnreadableDocumentError extends Error {
  override readonly name = "UnreadableDocument";
}

/** What an engine says to the user during a preview. */
export interface PreviewMessage {
  severity: string;
  text: string;
  urn?: string | undefined;
  place?: string | undefined;
}

/** What a preview has written. */
export interface Preview {
  stack?: string | undefined;
  steps: EngineStep[];
  messages: PreviewMessage[];
  /** Number of resources that stay as they are, where it says so. */
  same?: number | undefined;
  /** It says itself that it failed. */
  failed: boolean;
  /** It came to its end. */
  ended: boolean;
  /** `cost --format json` of it, as the built-in engine adds it. */
  cost?: unknown;
}

/**
 * `pulumi preview --json`, in one document or as a stream of events, or this package's own `preview --json`. Throws
 * `UnreadableDocumentError` for anything else.
 */
export function readPreview(text: string): Preview {
  const preview = documentOrStream(text.trim());
  const urn = preview.steps[0]?.urn;
  const failed = preview.failed || preview.messages.some(({ severity }) => severity === "error");
  return {
    ...preview,
    failed,
    stack: preview.stack ?? (urn === undefined ? undefined : stackOf(urn)?.split("/").at(-1)),
  };
}

/** The steps of such a preview that succeeded, to be costed. */
export function previewSteps(text: string): EngineStep[] {
  const { steps, messages, failed } = readPreview(text);
  const errors = messages.filter(({ severity }) => severity === "error").length;
  const counted = errors === 0 ? "" : ` (${errors} ${errors === 1 ? "error" : "errors"})`;
  if (failed) throw new UnreadableDocumentError(`The preview failed${counted}; there is nothing to cost.`);
  requireOurs(steps, "The preview");
  return steps;
}

/** A document that only holds what other providers made says nothing of this one's costs. */
function requireOurs(steps: readonly EngineStep[], what: string): void {
  const types = steps.map((step) => typeOf(step)).filter((type) => !type.startsWith("pulumi:"));
  if (types.length > 0 && types.every((type) => memberOf(type) === undefined))
    throw new UnreadableDocumentError(
      `${what} has no resource of this package, only of others, such as ${JSON.stringify(types[0])}. Give one of a program that uses pulumi-modelplatform.`,
    );
}

const typeOf = ({ new: fresh, old, urn }: EngineStep): string => (fresh ?? old)?.type ?? resourceTypeIn(urn);

/** A stream has an object on its first line. */
function documentOrStream(text: string): Preview {
  const end = text.indexOf("\n");
  const first = end < 0 ? text : text.slice(0, end).trim();
  if (end >= 0 && first.startsWith("{") && first.endsWith("}")) return stream(text.split("\n").flatMap(eventIn));
  const document = parsed(text);
  return end < 0 && isObject(document) && isEvent(document) ? stream([document]) : digest(document);
}

const isEvent = (line: Values): boolean => ["kind", "sequence", "result"].some((key) => line[key] !== undefined);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableDocumentError(`The preview is not JSON. Write it with \`pulumi preview --json\`.`);
  }
}

const unsupportedFormatError = (why: string): UnreadableDocumentError =>
  new UnreadableDocumentError(
    `The preview is of a form that this version does not know: ${why}. Write it with \`pulumi preview --json\` of Pulumi 3.`,
  );

const versionKeys = ["version", "schemaVersion", "apiVersion"];
const digestKeys = ["steps", "changeSummary", "duration", "diagnostics", "config"];

function digest(document: unknown): Preview {
  if (!isObject(document)) throw unsupportedFormatError("it is not an object");
  const version = versionKeys.find((key) => document[key] !== undefined);
  if (version !== undefined) throw unsupportedFormatError(`it has \`${version}\` ${JSON.stringify(document[version])}`);
  if (!digestKeys.some((key) => document[key] !== undefined)) throw unsupportedFormatError("it has no `steps`");
  const { steps, diagnostics, changeSummary } = document;
  return {
    steps: listIn(steps, "steps").map((step, index) => stepIn(step, `steps[${index}]`, "oldState", "newState")),
    messages: listIn(diagnostics, "diagnostics").flatMap((each) => (isObject(each) ? messageIn(each) : [])),
    same: sameIn(changeSummary),
    failed: false,
    ended: true,
  };
}

function listIn(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unsupportedFormatError(`its \`${name}\` is not a list`);
  return value;
}

/** Without the status lines that a display draws over. */
function messageIn({ severity, message, urn, place, ephemeral }: Values): PreviewMessage[] {
  if (ephemeral === true || typeof message !== "string") return [];
  return [{ severity: String(severity), text: message, urn: textOf(urn), place: textOf(place) }];
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const sameIn = (changes: unknown): number | undefined =>
  isObject(changes) && typeof changes["same"] === "number" ? changes["same"] : undefined;

function stepIn(step: unknown, place: string, old: string, fresh: string): EngineStep {
  if (!isObject(step) || typeof step["op"] !== "string" || typeof step["urn"] !== "string")
    throw unsupportedFormatError(`\`${place}\` has no \`op\` and \`urn\``);
  const { op, urn } = step;
  return { op, urn, old: stateIn(step[old], step), new: stateIn(step[fresh], step), ...differencesIn(step) };
}

/**
 * Pulumi names paths in `detailedDiff`, and what forces a replacement in `replaceReasons`, or in `keys` in a stream.
 * This package's engine has a list of differences.
 */
function differencesIn({ detailedDiff, replaceReasons, keys, diffs }: Values): Pick<EngineStep, "paths" | "replacing"> {
  const detailed = isObject(detailedDiff) ? Object.keys(detailedDiff) : [];
  const own = (Array.isArray(diffs) ? diffs : []).filter(isObject);
  const pathOf = ({ path }: Values): string => String(path);
  return {
    paths: [...detailed, ...own.map(pathOf)],
    replacing: [
      ...[replaceReasons, keys].flatMap((names) => (Array.isArray(names) ? names.map(String) : [])),
      ...own.filter(({ replaces }) => replaces === true).map(pathOf),
    ],
  };
}

function stateIn(state: unknown, { urn, type }: Values): State | undefined {
  if (!isObject(state)) return undefined;
  const own = state["type"] ?? type;
  const { id, inputs, outputs, external, delete: old, retainOnDelete, place, sourcePosition } = state;
  return {
    urn: String(urn),
    type: typeof own === "string" ? own : resourceTypeIn(String(urn)),
    id: textOf(id),
    inputs: isObject(inputs) ? inputs : undefined,
    outputs: isObject(outputs) ? outputs : undefined,
    external: external === true,
    delete: old === true,
    retainOnDelete: retainOnDelete === true,
    place: textOf(place) ?? sourceLineOf(textOf(sourcePosition)),
  };
}

/** A line of a stream: this package's events have a `kind`, Pulumi's a `sequence`. */
function eventIn(line: string): Values[] {
  if (line.trim() === "") return [];
  const event = parsed(line);
  if (!isObject(event)) throw unsupportedFormatError("a line of it is not an object");
  if (!isEvent(event)) throw unsupportedFormatError("a line of it is not an event");
  return [event];
}

function stream(events: readonly Values[]): Preview {
  const of = (kind: string): Values[] => events.filter((event) => event["kind"] === kind);
  const members = (name: string): Values[] => events.map((event) => event[name]).filter(isObject);
  const [prelude] = of("prelude");
  const last = events.find(({ kind, result }) => kind === undefined && result !== undefined);
  const ends = members("summaryEvent");
  const announced = members("resourcePreEvent").map(({ metadata }) => metadata);
  const failures = of("stepFailed").map(
    ({ step, ...event }): Values => ({
      ...{ severity: "error", ...event },
      urn: isObject(step) ? step["urn"] : undefined,
    }),
  );
  return {
    stack: textOf(prelude?.["stack"]),
    steps: [
      ...of("stepFinished").map(({ step }) => stepIn(step, "step", "old", "new")),
      ...announced.map((step) => stepIn(step, "resourcePreEvent.metadata", "old", "new")),
    ],
    messages: [...of("diagnostic"), ...failures, ...members("diagEvent"), ...members("diagnosticEvent")].flatMap(
      messageIn,
    ),
    same: sameIn(last?.["changes"]) ?? sameIn(ends.at(-1)?.["resourceChanges"]),
    failed: last !== undefined && last["result"] !== "succeeded",
    ended: last !== undefined || ends.length > 0,
    cost: last?.["cost"],
  };
}

/**
 * The steps of a plan that `pulumi preview --save-plan` wrote. It holds only what differs, so that `states`, the
 * stack's resources by URN, say the rest. Throws `UnreadableDocumentError` where they do not.
 */
export function planSteps(text: string, states: ReadonlyMap<string, State>): EngineStep[] {
  const plans = plansIn(text);
  const steps = Object.entries(plans).flatMap(([urn, plan]) => stepsOf(urn, isObject(plan) ? plan : {}, states));
  requireOurs(steps, "The plan");
  return steps;
}

function plansIn(text: string): Values {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new UnreadableDocumentError("The plan is not JSON. Write it with `pulumi preview --save-plan`.");
  }
  const plans = isObject(document) ? document["resourcePlans"] : undefined;
  if (!isObject(plans) || (document as Values)["version"] !== undefined)
    throw new UnreadableDocumentError(
      "The plan is of a form that this version does not know. Write it with `pulumi preview --save-plan` of Pulumi 3.",
    );
  return plans;
}

function stepsOf(urn: string, plan: Values, states: ReadonlyMap<string, State>): EngineStep[] {
  const ops = Array.isArray(plan["steps"]) ? plan["steps"].map(String) : [];
  const old = states.get(urn);
  const goal = plan["goal"];
  const type = old?.type ?? (isObject(goal) ? String(goal["type"]) : resourceTypeIn(urn));
  const isPaidFor = specOf(memberOf(type) ?? "")?.billing !== undefined;
  const op = ops.find((each) => each !== "delete-replaced") ?? "same";
  if (!isPaidFor) return [{ op, urn, old: old ?? { urn, type } }];
  if (op === "delete" || op === "same")
    return old ? [{ op, urn, old, new: op === "same" ? old : undefined }] : [needsState(urn, op)];
  if (!isObject(goal))
    throw new UnreadableDocumentError(
      `The plan does not say what ${urn} will be: the built-in engine writes steps without values. Give --preview-json, or a plan of the Pulumi CLI.`,
    );
  if (op !== "create" && !old) return [needsState(urn, op)];
  const inputs = withDifference(old?.inputs ?? {}, goal["inputDiff"]);
  return [{ op, urn, old, new: { urn, type, inputs } }];
}

function needsState(urn: string, op: string): never {
  throw new UnreadableDocumentError(
    `The plan has the step ${op} for ${urn}, and says only what differs. Give the stack's state as well, with --stack-file, --backend or --stack.`,
  );
}

function withDifference(inputs: Values, difference: unknown): Values {
  const { adds = {}, updates = {}, deletes = [] } = (isObject(difference) ? difference : {}) as Record<string, unknown>;
  const deletedKeys = new Set(Array.isArray(deletes) ? deletes.map(String) : []);
  const kept = Object.fromEntries(Object.entries(inputs).filter(([name]) => !deletedKeys.has(name)));
  return Object.assign({}, kept, ...[adds, updates].filter(isObject)) as Values;
}
