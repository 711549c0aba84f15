import type { Op, OperationKind } from "../events";
import {
  dynamicPackage,
  isProviderType,
  type PropertyMap,
  packageOf,
  parseUrn,
  type StateValue,
  stackType,
} from "../state/resource-state";
import { formatPath, type PropertyPath } from "../values/differences";
import {
  isArchive,
  isAsset,
  isOutput,
  isPlainObject,
  isReference,
  isSecretValue,
  isUnknown,
  mapMembers,
} from "../values/values";
import { clean } from "./text";

const secretText = "[secret]";
const computedText = "<computed>";
// Printed without quotes.
const bare: ReadonlySet<string> = new Set([secretText, computedText]);

/** Inputs that the SDK or a provider keeps for itself start with two underscores. */
export const isHidden = (path: string): boolean => path.startsWith("__");

/**
 * The value with secrets and unknowns as `[secret]` and `<computed>`, and no signature object
 * left. Takes what events carry: JSON, or nothing.
 */
export function mask(input: unknown): StateValue {
  const value = (input ?? null) as StateValue;
  if (isSecretValue(value)) return secretText;
  if (isUnknown(value)) return computedText;
  if (isOutput(value) && value["secret"] === true) return secretText;
  if (isOutput(value)) return "value" in value ? mask(value["value"] ?? null) : computedText;
  if (isAsset(value)) return value["path"] ?? value["uri"] ?? "text asset";
  if (isArchive(value)) return value["path"] ?? value["uri"] ?? "archive";
  if (isReference(value)) return value["urn"] ?? null;
  return mapMembers(value, mask);
}

/** A resource's visible properties, masked. */
export function maskProperties(properties: PropertyMap | undefined): PropertyMap {
  return Object.fromEntries(
    Object.entries(properties ?? {}).flatMap(([key, value]) => (isHidden(key) ? [] : [[key, mask(value)]])),
  );
}

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

function valueText(value: StateValue): string {
  if (typeof value === "string") return bare.has(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (value === null || typeof value !== "object") return String(value);
  const members = Object.entries(value).map(([key, inner]) => `${keyText(key)}: ${valueText(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** The value on one line, as a program would write it. */
export const formatValue = (value: unknown): string => clean(valueText(mask(value)));

/**
 * Every leaf of a masked value by its property path (`rules[0].model`, `labels["a.b"]`). Empty collections are leaves.
 */
export function leaves(value: StateValue): Map<string, StateValue> {
  return new Map(walk([], value).map(([path, leaf]) => [formatPath(path), leaf]));
}

function walk(path: PropertyPath, value: StateValue): [PropertyPath, StateValue][] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((member, index) => walk([...path, index], member));
  const members = isPlainObject(value) ? Object.entries(value) : [];
  return members.length === 0 ? [[path, value]] : members.flatMap(([key, member]) => walk([...path, key], member));
}

interface OpWords {
  symbol: string;
  planned: string;
  running: string;
  done: string;
}

/** The words for each step before, during and after it. */
export const opWords: { [op in Op]: OpWords } = {
  same: { symbol: "", planned: "unchanged", running: "checking", done: "unchanged" },
  create: { symbol: "+", planned: "create", running: "creating", done: "created" },
  update: { symbol: "~", planned: "update", running: "updating", done: "updated" },
  delete: { symbol: "-", planned: "delete", running: "deleting", done: "deleted" },
  replace: { symbol: "+-", planned: "replace", running: "replacing", done: "replaced" },
  "create-replacement": {
    symbol: "+-",
    planned: "replace",
    running: "creating the replacement",
    done: "replacement created",
  },
  "delete-replaced": {
    symbol: "-",
    planned: "delete the old one",
    running: "deleting the old one",
    done: "old one deleted",
  },
  read: { symbol: ">", planned: "read", running: "reading", done: "read" },
  discard: { symbol: "<", planned: "forget", running: "forgetting", done: "forgotten" },
  refresh: { symbol: "~", planned: "changed outside", running: "reading", done: "changed outside" },
  import: { symbol: "=", planned: "import", running: "importing", done: "imported" },
};

/** The words for a delete that leaves its object live. */
const leavingWords: Partial<{ [op in Op]: OpWords }> = {
  delete: { ...opWords.delete, planned: "leave", done: "left" },
  "delete-replaced": { ...opWords["delete-replaced"], planned: "leave the old one", done: "old one left" },
};

/** A difference that an interrupted run of this stack may have made. */
const ownDifference: OpWords = {
  ...opWords.refresh,
  planned: "differs after an interrupted run",
  done: "differs after an interrupted run",
};

/** The words for the result of a step. */
export function wordsOf({ op, left, mayBeOwn }: { op: Op; left?: boolean; mayBeOwn?: boolean }): OpWords {
  if (op === "refresh" && mayBeOwn) return ownDifference;
  return (left && leavingWords[op]) || opWords[op];
}

interface OperationWords {
  title: string;
  previewTitle: string;
}

export const operationWords: { [kind in OperationKind]: OperationWords } = {
  preview: { title: "Previewing", previewTitle: "Previewing" },
  up: { title: "Updating", previewTitle: "Previewing" },
  refresh: { title: "Refreshing", previewTitle: "Comparing with live state:" },
  destroy: { title: "Destroying", previewTitle: "Previewing the destruction of" },
  import: { title: "Importing into", previewTitle: "Previewing an import into" },
};

/** A type token for people: `pulumi-nodejs:dynamic/acme:Box` and `acme:index:Box` are `acme:Box`. */
export function typeLabel(type: string): string {
  if (type === stackType) return "stack";
  if (isProviderType(type)) return `provider:${packageOf(type)}`;
  const [pkg = "", module = "", name] = type.split(":");
  if (name === undefined) return type;
  if (pkg === dynamicPackage && module.startsWith("dynamic"))
    return `${module.slice("dynamic/".length) || "dynamic"}:${name}`;
  const [folder] = module.split("/");
  return folder === "" || folder === "index" ? `${pkg}:${name}` : `${pkg}:${folder}:${name}`;
}

/** Type and name from the URN, for a resource without a step so far. */
export function subjectOfUrn(urn: string): { type: string; name: string } {
  try {
    return parseUrn(urn);
  } catch {
    return { type: "resource", name: urn };
  }
}
