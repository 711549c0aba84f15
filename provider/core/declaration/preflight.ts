import { differences, isUnset } from "../fields/equality";
import type { Field } from "../fields/fields";
import { containsUnknown, isUnknown, type Values, valueAt } from "../values/values";
import type { RuleFailure } from "./rules";

/**
 * Objections that an account's policy, models and shapes can raise to a new object. Declared as data; absent members
 * raise none.
 */
export interface Preflight {
  /**
   * The model that it is made from: the first of `at` that is set. `base` is where an addon names what it belongs to.
   */
  model: { at: readonly string[]; kind: string; base: string };
  /** Permission that the policy has to give for that model. */
  grant?: string;
  /** Scope of retention that the policy must not enforce. */
  retention?: string;
  /**
   * Flags of the model's base that say how it can be tuned: `full` counts where the member at `rank` is 0, else `lora`.
   * Answers leave a flag out that is false (A094), so they are believed only of models that have flags: with another
   * one that is true, or `public`. `legacy` is the flag of an older way, which nothing is held against.
   */
  tunable?: { rank: string; lora: string; full: string; legacy: string; public: string };
  /** Message whose texts name places, which have to be in the policy's geography. */
  placement?: { field: string; geographies: readonly { prefix: string; geography: string }[] };
  /** Field that names a template; what it owns must agree with the `snapshot` of a version of it (A047). */
  shape?: { at: string; kind: string; snapshot: string; model: string; latest: string; hardware: readonly string[] };
}

/** A model that a program names. */
export interface NamedModel {
  path: string;
  name: string;
}

/** The model that `inputs` name, or undefined where they name none or it is not known yet. */
export function modelIn({ model }: Preflight, inputs: Values): NamedModel | undefined {
  const isProvided = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
  const path = model.at.find((candidate) => isProvided(valueAt(inputs, candidate)));
  const name = path === undefined ? undefined : valueAt(inputs, path);
  return path !== undefined && typeof name === "string" && !isUnknown(name) ? { path, name } : undefined;
}

/** Whether the base of the named model can be fine-tuned as the program asks. */
export function tuningFailures({ tunable }: Preflight, model: NamedModel, base: Values, inputs: Values): RuleFailure[] {
  const rank = tunable && valueAt(inputs, tunable.rank);
  if (!tunable || containsUnknown(rank)) return [];
  const [flag, why] =
    rank === 0
      ? [tunable.full, `\`${tunable.rank}\` 0 trains all parameters`]
      : [tunable.lora, `\`${tunable.rank}\` above 0 or unset trains an adapter`];
  const isKnown = [tunable.lora, tunable.full, tunable.public].some((name) => base[name] === true);
  if (base[flag] === true || base[tunable.legacy] === true || !isKnown) return [];
  const whose = base["name"] === model.name ? "its" : `of its base ${String(base["name"])}`;
  return [
    {
      path: model.path,
      reason: `${model.name} cannot be fine-tuned this way: ${whose} \`${flag}\` is false (${why}). Choose another model`,
    },
  ];
}

/**
 * Fields of the program that contradict a snapshot, by name. What the snapshot does not say, the program may (A047).
 */
export function conflictsWith(owned: readonly Field[], snapshot: Values, inputs: Values): string[] {
  const conflicting = owned.filter((field) => {
    const [ours, theirs] = [inputs[field.name], snapshot[field.markers.ownedBy?.as ?? field.name]];
    // `false` is as much the program's word as `true`: the service overrides neither.
    const isExplicit = field.markers.zero === "value" || typeof ours === "boolean" || !isUnset(field, ours);
    const isSet = ours !== undefined && ours !== null && isExplicit;
    return isSet && !containsUnknown(ours) && !isUnset(field, theirs) && differences(field, ours, theirs).length > 0;
  });
  return conflicting.map((field) => field.name);
}

/** Conflicts between fields and their shape: the named one, or every shape that the service could pick. */
export function shapeFailures(
  shape: NonNullable<Preflight["shape"]>,
  owned: readonly Field[],
  inputs: Values,
  { named, compatible }: { named?: Values | undefined; compatible: readonly Values[] },
): RuleFailure[] {
  const conflicts = (version: Values): string[] =>
    conflictsWith(owned, (version[shape.snapshot] ?? {}) as Values, inputs);
  const candidates = named ? [named] : compatible;
  if (candidates.length === 0 || candidates.some((version) => conflicts(version).length === 0)) return [];
  const listed = candidates
    .map(
      (version) =>
        `${String(version["name"])} with ${conflicts(version)
          .map((name) => `\`${name}\``)
          .join(", ")}`,
    )
    .join("; ");
  const fitting = compatible
    .filter((version) => conflicts(version).length === 0)
    .map((version) => String(version["name"]));
  const others = named
    ? ` or take a compatible shape that does not conflict: ${fitting.join(", ") || "there is none"}`
    : "";
  return [
    {
      path: shape.at,
      reason: `${named ? "the shape conflicts" : "every compatible shape conflicts"} with fields set here: ${listed}. Drop these fields${others}`,
    },
  ];
}
