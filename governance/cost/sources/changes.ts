import { desiredFields, managedFields } from "../../../provider/core/comparison/desired";
import { recordsIn } from "../../../provider/core/declaration/own-records";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { memberOf, resourceNameIn } from "../../../provider/core/fields/tokens";
import { accountOf } from "../../../provider/core/values/names";
import { isUnknown, plainValue } from "../../../provider/core/values/unknowns";
import type { Values } from "../../../provider/core/values/values";
import { specOf } from "../../../provider/resources/index";
import type { CostSubject, ObjectState } from "../subject";

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

const withoutSecretMarks = (values: Values | undefined): Values => (plainValue(values ?? {}) ?? {}) as Values;

function situationBefore({ op, old, new: fresh }: EngineStep): ObjectState {
  const state = op === "import" || op === "refresh" ? (fresh ?? old) : old;
  return state ? recordedValues(state) : "none";
}

function situationAfter({ op, old, new: fresh }: EngineStep, spec: ResourceSpec, applied: boolean): ObjectState {
  if (op === "delete" || !(fresh ?? old)) return "none";
  if (applied && fresh) return recordedValues(fresh);
  if (op === "import" || op === "refresh" || op === "same")
    return recordedValues((op === "same" ? old : undefined) ?? fresh ?? old!);
  if (op === "update" && old && fresh) return updatedValues(spec, old, fresh);
  return withoutSecretMarks((fresh ?? old)!.inputs);
}

/** What is recorded, changed as the program says. Hardware that a shape decided goes with another shape. */
function updatedValues(spec: ResourceSpec, old: State, fresh: State): Values {
  const [was, is, live] = [withoutSecretMarks(old.inputs), withoutSecretMarks(fresh.inputs), recordedValues(old)];
  const managed = recordsIn(live).managedFields ?? managedFields(spec, was);
  const shape = spec.preflight?.shape?.at;
  const owned = spec.fields.message.filter(({ name, markers }) => name === shape || markers.ownedBy?.field === shape);
  const same = (name: string): boolean => JSON.stringify(was[name]) === JSON.stringify(is[name]);
  const stale = shape === undefined || owned.every(({ name }) => same(name)) ? [] : owned.map(({ name }) => name);
  const kept = Object.fromEntries(Object.entries(live).filter(([name]) => !stale.includes(name)));
  return { ...kept, ...desiredFields(spec, is, managed, kept) };
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
