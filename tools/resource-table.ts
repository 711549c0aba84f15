import { type ResourceSpec, usualTimeout } from "../provider/core/declaration/resource";
import { pagePath } from "./sdk/file-names";

/** What a reader of the index wants to know of each resource before the first program. */
export function resourceTable(specs: readonly ResourceSpec[]): string {
  const rows = specs.map((spec) => [
    `[\`${spec.kind}\`](${pagePath(spec.kind).replace("docs/", "")})`,
    spec.summary,
    idOf(spec),
    patience(spec),
  ]);
  return [
    ["Resource", "What it is", "Id", "Waits at most (create, update, delete)"],
    ["---", "---", "---", "---"],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function idOf({ identity, fields }: ResourceSpec): string {
  if (identity.decidedBy === "account") return "one per account";
  if (identity.decidedBy === "service" || !fields.resourceId) return "chosen by the service";
  const given = `\`${fields.resourceId.name}\``;
  if (typeof identity.default === "object") return `${given}, else from \`${identity.default.hyphenOf}\``;
  return identity.default === "service"
    ? `${given}, else chosen by the service`
    : `${given}, else from the Pulumi name`;
}

function patience({ timeouts }: ResourceSpec): string {
  return timeouts ? [timeouts.create, timeouts.update, timeouts.delete].join(", ") : usualTimeout;
}
