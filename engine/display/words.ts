import type { Op, OperationKind } from "../events";
import { dynamicPackage, isProviderType, packageOf, parseUrn, stackType } from "../state/urns";

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

/** The words for a step as it came out. */
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
