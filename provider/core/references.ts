import type { CheckFailure } from "./check";
import { isIgnored } from "./comparison/diff";
import { optionsIn } from "./declaration/own-fields";
import type { ResourceSpec } from "./declaration/resource";
import { isReferring, referencesIn } from "./fields/fields";
import { isUnknown, pathText, type Values, valueAt } from "./values/values";

/** A declaration whose references are judged. */
interface ReferringDeclaration {
  spec: ResourceSpec;
  /** Every kind: another collection may be newer than this provider (A002). */
  specs: readonly ResourceSpec[];
  olds: Values;
  inputs: Values;
  ignoreChanges: readonly string[];
}

/** References of the declaration that name an object of another kind than the field refers to. */
export function misdirected({ spec, specs, olds, inputs, ignoreChanges }: ReferringDeclaration): {
  failures: CheckFailure[];
  warnings: string[];
} {
  const failures: CheckFailure[] = [];
  const fields = [...spec.fields.message, ...spec.fields.behaviours, ...spec.fields.directives].filter(isReferring);
  for (const { field, path, name } of referencesIn(fields, inputs)) {
    const collection = isUnknown(name) ? undefined : collectionIn(name);
    const named = specs.find((candidate) => candidate.collection === collection);
    const expected = field.markers.refersTo!.collection;
    if (named === undefined || named.collection === expected) continue;
    const property = pathText(path);
    // The engine puts the recorded value there, which no edit of the program changes.
    if (isIgnored(property, ignoreChanges) && valueAt(olds, path) === name) continue;
    failures.push({ property, reason: words(name, named, expected, specs) });
  }
  if (optionsIn(inputs).ignoreChecks !== true) return { failures, warnings: [] };
  return { failures: [], warnings: failures.map(({ property, reason }) => `\`${property}\`: ${reason}`) };
}

/** The collection in the whole name of an account's object. */
const collectionIn = (name: string): string | undefined => /^accounts\/[^/]+\/([^/]+)\/[^/]+/.exec(name)?.[1];

function words(name: string, named: ResourceSpec, expected: string, specs: readonly ResourceSpec[]): string {
  const kind = specs.find(({ collection }) => collection === expected)?.kind;
  const expectedName = `${kind === undefined ? "a name" : `the name of a ${kind}`}, \`accounts/{account}/${expected}/{id}\``;
  return `\`${name}\` is the name of a ${named.kind}; give ${expectedName}${hintOf(named, expected, kind)}`;
}

/** Where the object that is named has the expected name. */
function hintOf(named: ResourceSpec, expected: string, expectedKind: string | undefined): string {
  const { kind, produces } = named;
  const output = nameOutput(named, expected, expectedKind);
  if (output === undefined) return "";
  if (output === produces?.name) return `; a job's ${produces.kind.toLowerCase()} is its \`${output}\``;
  return `; a ${kind} has one in its \`${output}\``;
}

/** The output of a kind that holds the name of an object of a collection. */
export function nameOutput(
  { collection, produces, fields }: ResourceSpec,
  expected: string,
  expectedKind: string | undefined,
): string | undefined {
  if (collection === expected) return "name";
  if (produces !== undefined && produces.kind === expectedKind) return produces.name;
  return fields.message.find(({ markers }) => markers.refersTo?.collection === expected)?.name;
}
