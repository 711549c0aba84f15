import { isLifecycleOperation } from "../../provider/api/operations";
import type { ApiOperation } from "../../provider/api/types";
import { functions } from "../../provider/resources/functions";
import { fullCatalogue } from "../command/client";
import type { CliContext } from "../command/context";
import { jsonText, listing } from "../command/output";

/** Prints every operation: as JSON, `{name, method, path, provenance, effect, usedBy}` of each. */
export function listOperations(asJson: boolean, { stdout }: CliContext): void {
  const { operations } = fullCatalogue();
  const titles = ["Operation", "Request", "Provenance", "Effect", "Used by"];
  stdout.write(asJson ? jsonText(operations.map(described)) : listing(titles, operations.map(row), stdout.columns));
}

/** The kind of resources whose life cycle uses the operation, and functions. */
function usersOf(used: ApiOperation): string[] {
  const using = (Object.entries(functions) as [string, { operation?: string }][]).filter(
    ([name, { operation = name }]) => operation === used.name,
  );
  return [...(isLifecycleOperation(used) ? [used.kind] : []), ...using.map(([name]) => name)];
}

const described = (operation: ApiOperation) => {
  const { name, method, path, provenance, effect } = operation;
  return { name, method, path, provenance, effect, usedBy: usersOf(operation) };
};

const row = (operation: ApiOperation): string[] => [
  operation.name,
  `${operation.method} ${operation.path}`,
  originOf(operation),
  operation.effect,
  usersOf(operation).join(", "),
];

function originOf({ provenance, assumedPath, convention = "" }: ApiOperation): string {
  if (provenance !== "listed") return `conventional ${convention}`.trim();
  return assumedPath ? `listed, path ${convention}` : "listed";
}
