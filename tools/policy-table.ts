import { guardrails } from "../governance/policies/guardrails";
import type { Guardrail } from "../governance/policies/rule";
import { z } from "../provider/core/zod";

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
