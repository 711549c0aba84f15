import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { check } from "../../provider/core/check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { hasParent, resourceNameIn } from "../../provider/core/pulumi-names";
import { isObject, isUnknown, type Segment, topLevel, type Values, valueAt } from "../../provider/core/values/values";
import type { Finding } from "../scan/finding-document";
import type { ProgramChange } from "./change";
import type { ProgramDeclaration, ResourceQuery } from "./declarations";
import type { Program } from "./program";
import { knownValue } from "./static-value";
import { type Holder, isManual, type ManualPart, type ProgramDeps, type ProgramEdit } from "./wishes";

/** Why a declaration will be refused when the program runs. */
export interface DeclarationObjection {
  /** Top-level property; empty where it may not be named. */
  property: string;
  text: string;
}

/**
 * The check's failures for a declaration, as far as the program's text shows its arguments. `said` are values that the
 * declaration is going to have, and that may come from elsewhere.
 */
export function objectionsTo(
  program: Program,
  spec: ResourceSpec,
  { node }: ProgramDeclaration,
  changes: readonly Pick<ProgramChange, "path" | "spelled">[],
): DeclarationObjection[] {
  const args = node.arguments?.[1];
  const known = args ? knownValue(program, args) : {};
  if (!isObject(known)) return [];
  const inputs = changes.reduce((values, { path, spelled }) => withValue(values, path, spelled), known);
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

/** What an object is called in the program, and where it was declared at the time. */
export const soughtOf = ({ type, urn, source, trace }: Finding): ResourceQuery => ({
  kind: type,
  name: nameIn(urn) ?? "",
  isChild: hasParent(urn ?? ""),
  source,
  trace,
});

const nameIn = (urn: string | null): string | undefined => urn?.split("::").slice(3).join("::");

/** What a resource is called in every stack: its types and its name. */
export const urnWithoutStack = (urn: string | null): string | undefined => urn?.split("::").slice(2).join("::");

/** Whether a stack wants the same of its own of that resource. */
const isRequestedBy = (
  wishes: readonly (ProgramEdit | ManualPart)[],
  stack: string,
  { urn }: Finding,
  asks: (wish: ProgramEdit) => boolean,
): boolean =>
  wishes.some(
    (wish) =>
      !isManual(wish) &&
      wish.finding.stacks.includes(stack) &&
      urnWithoutStack(wish.finding.urn) === urnWithoutStack(urn) &&
      asks(wish),
  );

/** Retries a rejected edit with an explicit default; leaves it to a person if that fails too. */
export function restateEdit(wish: ProgramEdit, { text }: DeclarationObjection): ProgramEdit | ManualPart {
  const { finding } = wish;
  const reason = `would have the program refused: ${text}`;
  if (wish.act !== "say") return { finding, reason };
  const { path, change } = wish;
  const value = change.spelled ?? writtenUnset(change.field);
  if (change.desired === undefined && value !== undefined)
    return { ...wish, change: { ...change, spelled: value, desired: value } };
  return { finding, path, reason, value };
}

/** What a program can write for a field that has no value live: answers leave a zero out that is like none (A094). */
const writtenUnset = (field: Field | undefined): number | undefined =>
  field && ["integer", "number"].includes(field.type) && field.markers.zero !== "value" ? 0 : undefined;

/**
 * Why a value that the program writes once for all stacks is not edited for some of them; undefined where it may be.
 */
export function sharedReason(
  wishes: readonly (ProgramEdit | ManualPart)[],
  { finding, path, change }: ProgramEdit & { act: "say" },
  { holders, config }: ProgramDeps,
): string | undefined {
  const requests = (wish: ProgramEdit): boolean =>
    wish.act === "say" && wish.path === path && isDeepStrictEqual(wish.change.live, change.live);
  const other = holders(finding).find(
    (holder) => !isAlreadyDeclared(holder, change) && !isRequestedBy(wishes, holder.stack, finding, requests),
  );
  if (!other) return undefined;
  const own = finding.stacks.map((stack) => basename(config(stack).file)).join(", ");
  const { name, snippet } = configRead(finding.urn, change);
  const decide = `et the config decide it, as with \`${snippet}\`, and set \`${name}\` in ${own}`;
  const desiredText = text(change.spelled);
  if (!other.inputs)
    return `may be shared with the stack ${other.stack} (${basename(config(other.stack).file)}), whose state is not at hand: \`up\` would then change it to ${desiredText} there. Give that state with --stack-file or --backend, or l${decide}`;
  const recorded = text(valueAt(other.inputs, change.path));
  return `is shared with the stack ${other.stack}, where \`up\` would then change it from ${recorded} to ${desiredText}. L${decide}`;
}

/** Why a declaration is not taken away; undefined where it may be. */
export function retainReason(
  wishes: readonly (ProgramEdit | ManualPart)[],
  { finding }: ProgramEdit & { act: "drop" },
  { holders }: ProgramDeps,
): string | undefined {
  const other = holders(finding).find(
    ({ stack }) => !isRequestedBy(wishes, stack, finding, ({ act }) => act === "drop"),
  );
  if (!other) return undefined;
  return other.inputs
    ? `is there in the stack ${other.stack} of the same program`
    : `may be there in the stack ${other.stack} of the same program, whose state is not at hand`;
}

/** After the edit, the stack's next `up` has nothing to change about it. */
const isAlreadyDeclared = ({ inputs }: Holder, { path, live, spelled, desired }: ProgramChange): boolean =>
  inputs !== undefined && [live, spelled, desired].some((each) => isDeepStrictEqual(valueAt(inputs, path), each));

const text = (value: unknown): string => (value === undefined ? "unset" : JSON.stringify(value));

/** How a program can read the value from the stack's config, and stay as it is where the config says nothing. */
function configRead(urn: string | null, { path, recorded, spelled }: ProgramChange): { name: string; snippet: string } {
  const parts = [resourceNameIn(urn ?? ""), ...path.map(String)].flatMap((part: Segment) =>
    String(part).split(/[^A-Za-z0-9]+/),
  );
  const [first = "", ...others] = parts.filter((part) => part !== "");
  const name = [first, ...others.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join("");
  const get = getters[typeof (spelled ?? recorded)] ?? "getObject";
  const fallback = recorded === undefined ? "" : ` ?? ${JSON.stringify(recorded)}`;
  return { name, snippet: `new pulumi.Config().${get}(${JSON.stringify(name)})${fallback}` };
}

const getters: Readonly<Record<string, string>> = { string: "get", number: "getNumber", boolean: "getBoolean" };
