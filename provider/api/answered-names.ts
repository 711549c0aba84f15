import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { isReferring, referencesIn } from "../core/fields/references";
import { accountOf, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { oncePer } from "../core/values/once";
import type { ApiOperation, Json } from "./types";

/**
 * Whether an answered object is one that was asked for: of the kind, of the account, and at every other place that the
 * path names. An id that the path leaves open is the service's to choose (A016). A name outside of that would have
 * later requests change another account's objects, with that account's key.
 */
export function nameProblem(operation: ApiOperation, name: string, parameters: Parameters): string | undefined {
  const { spec, ofAnyAccount } = operation;
  const parts = matchTemplate(spec.name, name);
  if (!parts) return `an object whose name is not that of a ${spec.kind}: ${JSON.stringify(name)}`;
  const wrong = parametersOf(operation.path).filter(
    (part) => isAsked(parameters[part]) && String(parameters[part]) !== parts[part],
  );
  if (wrong.includes("account") && !ofAnyAccount) return ofAnother(name, String(parameters["account"]));
  return wrong.some((part) => part !== "account") ? `another object, ${JSON.stringify(name)}` : undefined;
}

/** `-` asks for all (A003). */
const isAsked = (part: Parameters[string]): boolean => part !== undefined && part !== "-";

/** What a verb or a delete answers need not be the object; what it names is at least of the account. */
export function otherName(operation: ApiOperation, name: string, parameters: Parameters): string | undefined {
  if (matchTemplate(operation.spec.name, name)) return nameProblem(operation, name, parameters);
  const account = parameters["account"];
  return isAsked(account) && accountOf(name) !== undefined && accountOf(name) !== String(account)
    ? ofAnother(name, String(account))
    : undefined;
}

/**
 * The first reference to another account's object that its field does not allow. An object of another account, such as
 * a public model, may refer to those of `reader`, whose key asked for it.
 */
export function referenceProblem(
  spec: ResourceSpec,
  object: Json,
  parameters: Parameters,
  reader?: string,
): string | undefined {
  const account = accountOf(String(object["name"])) ?? parameters["account"];
  if (!isAsked(account)) return undefined;
  for (const { field, name } of referencesIn(referring(spec), object)) {
    const named = field.markers.refersTo?.ofAnyAccount ? undefined : accountOf(name);
    const isAllowed = named === undefined || named === String(account) || named === reader;
    if (!isAllowed) return `\`${field.path}\` ${ofAnother(name, String(account))}`;
  }
  return undefined;
}

const referring = oncePer(({ fields }: ResourceSpec): readonly Field[] =>
  [...fields.outputs, ...fields.message].filter(isReferring),
);

const ofAnother = (name: string, account: string): string =>
  `${JSON.stringify(name)}, which is not an object of account \`${account}\``;
