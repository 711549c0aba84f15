import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Choice, type ChoiceSource, type TrustPolicy, trustPolicies } from "../cli/checkout/takes";
import { guardrails } from "../governance/policies/guardrails";
import type { Guardrail } from "../governance/policies/rule";
import { defaultTimeout, type ResourceSpec } from "../provider/core/declaration/resource";
import { z } from "../provider/core/zod";
import { pagePath } from "./sdk/generated-file";

const columns: readonly [choice: Choice, heading: string][] = [
  ["address", "Addresses"],
  ["key", "Keys and key commands"],
  ["program", "Programs that run"],
  ["path", "Files that are written"],
];

const inWords: Readonly<Record<ChoiceSource, string>> = {
  flags: "flags",
  environment: "environment",
  project: "**project**",
  "trusted project": "project with `--trust-project`",
};

/** What each command takes from where; commands that take the same share a row. */
export function checkoutTable(commands: Readonly<Record<string, TrustPolicy>> = trustPolicies): string {
  const rows = new Map<string, string[]>();
  for (const [name, declared] of Object.entries(commands)) {
    const cells = columns.map(([choice]) => declared[choice].map((source) => inWords[source]).join(", ") || "–");
    const row = [...cells, declared.note ?? ""].join(" | ");
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  return [
    `| Command | ${columns.map(([, heading]) => heading).join(" | ")} | |`,
    `| --- | ${columns.map(() => "---").join(" | ")} | --- |`,
    ...[...rows].map(([row, names]) => `| ${names.join(", ")} | ${row} |`),
  ].join("\n");
}

/** Every program below `folder`, with what its `Pulumi.yaml` says of it. */
export function exampleTable(folder: string): string {
  const programs = readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, "Pulumi.yaml")));
  const rows = programs.map((name) => [`[${name}](${name})`, descriptionOf(join(folder, name, "Pulumi.yaml"))]);
  return [["Example", "What it shows"], ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function descriptionOf(projectFile: string): string {
  const { description } = parse(readFileSync(projectFile, "utf8")) as { description?: string };
  if (!description) throw new Error(`${projectFile} has no \`description\`; say in a line what the example shows`);
  return `${description}.`;
}

/** Every rule of `pulumi-modelplatform/policies`, and its options with their defaults. */
export function policyTable(): string {
  const rows = guardrails.map(
    ({ name, description, level, live, remediation, decision }) =>
      `| \`${name}\` | ${description} | ${decision === undefined ? (level ?? "mandatory") : "off until configured"} | ${live ?? "as in a program"} | ${remediation?.description ?? "–"} |`,
  );
  return [
    "| Rule | What it holds | Level | What an audit sees | What `remediate` does |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "| Option | Default | Meaning |",
    "| --- | --- | --- |",
    ...guardrails.flatMap(optionRows),
  ].join("\n");
}

function optionRows({ name, config }: Guardrail): string[] {
  const { properties = {} } = z.toJSONSchema(config as z.ZodObject, { io: "input", target: "draft-7" });
  return Object.entries(properties as Record<string, { default?: unknown; description?: string }>).map(
    ([option, { default: usual, description }]) =>
      `| \`${name}\`: \`${option}\` | ${usual === undefined ? "–" : `\`${JSON.stringify(usual)}\``} | ${(description ?? "").replaceAll("|", "\\|")} |`,
  );
}

/** What a reader of the index wants to know of each resource before the first program. */
export function resourceTable(specs: readonly ResourceSpec[]): string {
  const rows = specs.map((spec) => [
    `[\`${spec.kind}\`](${pagePath(spec.kind).replace("docs/", "")})`,
    spec.summary,
    idOf(spec),
    waits(spec),
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
  const chosenId = `\`${fields.resourceId.name}\``;
  if (typeof identity.default === "object") return `${chosenId}, else from \`${identity.default.hyphenOf}\``;
  return identity.default === "service"
    ? `${chosenId}, else chosen by the service`
    : `${chosenId}, else from the Pulumi name`;
}

function waits({ timeouts }: ResourceSpec): string {
  return timeouts ? [timeouts.create, timeouts.update, timeouts.delete].join(", ") : defaultTimeout;
}
