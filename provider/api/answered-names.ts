import type { ResourceSpec } from "../core/declaration/resource";
import type { Field } from "../core/fields/fields";
import { isReferring, referencesIn } from "../core/fields/places";
import { accountOf, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { oncePer } from "../core/values/once";
import type { AnswerProblem } from "./errors/failures";
import type { ApiOperation, Json } from "./types";

/**
 * Whether an answered object is one that was asked for: of the kind, of the account, and at every other place that the
 * path names. An id that the path leaves open is the service's to choose (A016). A name outside of that would have
 * later requests change another account's objects, with that account's key.
 */
export function nameProblem(operation: ApiOperation, name: string, parameters: Parameters): AnswerProblem | undefined {
  const { spec, ofAnyAccount } = operation;
  const parts = matchTemplate(spec.name, name);
  if (!parts) return { at: "name", expected: `the name of a ${spec.kind}, \`${spec.name}\``, found: name };
  const wrong = parametersOf(operation.path).filter(
    (part) => isAsked(parameters[part]) && String(parameters[part]) !== parts[part],
  );
  if (wrong.includes("account") && !ofAnyAccount)
    return {
      ...ofAnother("name", name, parameters),
      advice: `If \`${parts["account"]}\` is an id of this account as well, use it in \`modelplatform:accountId\`.`,
    };
  return wrong.some((part) => part !== "account")
    ? { at: "name", expected: "the object that was asked for", found: name }
    : undefined;
}

/** `-` asks for all (A003). */
const isAsked = (part: Parameters[string]): boolean => part !== undefined && part !== "-";

/** What a verb or a delete answers need not be the object; what it names is at least of the account. */
export function otherName(operation: ApiOperation, name: string, parameters: Parameters): AnswerProblem | undefined {
  if (matchTemplate(operation.spec.name, name)) return nameProblem(operation, name, parameters);
  const account = parameters["account"];
  return isAsked(account) && accountOf(name) !== undefined && accountOf(name) !== String(account)
    ? ofAnother("name", name, parameters)
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
): AnswerProblem | undefined {
  const account = accountOf(String(object["name"])) ?? parameters["account"];
  if (!isAsked(account)) return undefined;
  for (const { field, name } of referencesIn(referring(spec), object)) {
    const named = field.markers.refersTo?.ofAnyAccount ? undefined : accountOf(name);
    const isAllowed = named === undefined || named === String(account) || named === reader;
    if (!isAllowed) return ofAnother(field.path, name, { account });
  }
  return undefined;
}

const referring = oncePer(({ fields }: ResourceSpec): readonly Field[] =>
  [...fields.outputs, ...fields.message].filter(isReferring),
);

const ofAnother = (at: string, found: string, { account }: Parameters): AnswerProblem => ({
  at,
  expected: `an object of account \`${String(account)}\``,
  found,
});
