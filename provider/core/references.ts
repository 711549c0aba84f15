import type { CheckFailure } from "./check";
import { isIgnored } from "./comparison/diff";
import { optionsIn } from "./declaration/own-fields";
import type { ResourceSpec } from "./declaration/resource";
import { isReferring, referencesIn } from "./fields/fields";
import { isUnknown, pathText, type Values, valueAt } from "./values/values";

/** A declaration whose references are judged. */
interface ReferringDeclaration {
  spec: ResourceSpec;
  /** Every kind: a collection that is none of theirs may be newer than this provider (A002). */
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
  const found: CheckFailure[] = [];
  const fields = [...spec.fields.message, ...spec.fields.behaviours, ...spec.fields.directives].filter(isReferring);
  for (const { field, path, name } of referencesIn(fields, inputs)) {
    const collection = isUnknown(name) ? undefined : collectionIn(name);
    const named = specs.find((candidate) => candidate.collection === collection);
    const wanted = field.markers.refersTo!.collection;
    if (named === undefined || named.collection === wanted) continue;
    const property = pathText(path);
    // The engine puts the recorded value there, which no edit of the program changes.
    if (isIgnored(property, ignoreChanges) && valueAt(olds, path) === name) continue;
    found.push({ property, reason: words(name, named, wanted, specs) });
  }
  if (optionsIn(inputs).ignoreChecks !== true) return { failures: found, warnings: [] };
  return { failures: [], warnings: found.map(({ property, reason }) => `\`${property}\`: ${reason}`) };
}

/** The collection in the whole name of an account's object. */
const collectionIn = (name: string): string | undefined => /^accounts\/[^/]+\/([^/]+)\/[^/]+/.exec(name)?.[1];

function words(name: string, named: ResourceSpec, wanted: string, specs: readonly ResourceSpec[]): string {
  const kind = specs.find(({ collection }) => collection === wanted)?.kind;
  const wantedName = `${kind === undefined ? "a name" : `the name of a ${kind}`}, \`accounts/{account}/${wanted}/{id}\``;
  return `\`${name}\` is the name of a ${named.kind}; give ${wantedName}${hintOf(named, wanted, kind)}`;
}

/** Where the object that is named has the name that is wanted. */
function hintOf(named: ResourceSpec, wanted: string, wantedKind: string | undefined): string {
  const { kind, produces } = named;
  const output = nameOutput(named, wanted, wantedKind);
  if (output === undefined) return "";
  if (output === produces?.name) return `; a job's ${produces.kind.toLowerCase()} is its \`${output}\``;
  return `; a ${kind} has one in its \`${output}\``;
}

/** The output of a kind that holds the name of an object of a collection. */
export function nameOutput(
  { collection, produces, fields }: ResourceSpec,
  wanted: string,
  wantedKind: string | undefined,
): string | undefined {
  if (collection === wanted) return "name";
  if (produces !== undefined && produces.kind === wantedKind) return produces.name;
  return fields.message.find(({ markers }) => markers.refersTo?.collection === wanted)?.name;
}
