import { check } from "../../provider/core/checks/check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type Segment, topLevel } from "../../provider/core/values/paths";
import { isUnknown } from "../../provider/core/values/unknowns";
import { isObject, type Values } from "../../provider/core/values/values";
import type { ProgramChange } from "./change";
import type { ProgramDeclaration } from "./declarations";
import type { Program } from "./program";
import { knownValue } from "./static-value";

/** Why a declaration will be refused when the program runs. */
export interface DeclarationObjection {
  /** Top-level property; empty where it may not be named. */
  property: string;
  text: string;
}

/**
 * What the check says of a declaration as far as the program's text tells its arguments. `said` are values that the
 * declaration is going to have, and that may come from elsewhere.
 */
export function objectionsTo(
  program: Program,
  spec: ResourceSpec,
  { node }: ProgramDeclaration,
  said: readonly Pick<ProgramChange, "path" | "spelled">[],
): DeclarationObjection[] {
  const args = node.arguments?.[1];
  const known = args ? knownValue(program, args) : {};
  if (!isObject(known)) return [];
  const inputs = said.reduce((values, { path, spelled }) => withValue(values, path, spelled), known);
  return check(spec, {}, inputs).failures.map(({ property, reason }) => ({
    property: topLevel(property),
    text: property === "" ? reason : `\`${property}\` ${reason}`,
  }));
}

/** Fills in a value that is unknown; below an unknown value or a list, nothing is filled in. */
function withValue(values: Values, [first, ...rest]: readonly Segment[], value: unknown): Values {
  const name = String(first);
  const inner = values[name];
  if (rest.length === 0) return isUnknown(inner) && value !== undefined ? { ...values, [name]: value } : values;
  return isObject(inner) ? { ...values, [name]: withValue(inner, rest, value) } : values;
}
