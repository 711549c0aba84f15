import { z } from "../../provider/core/zod";
import { guardrails } from "./guardrails";
import type { EnforcementLevel, Guardrail } from "./rule";

/** How a guardrail is enforced, and its own configuration. */
export type GuardrailOptions = { enforcementLevel?: EnforcementLevel } & Readonly<Record<string, unknown>>;

/** By the names of guardrails. A level alone leaves the defaults of the others. */
export type RuleOptions = Readonly<Record<string, EnforcementLevel | GuardrailOptions>>;

/** A guardrail as somebody has configured it. */
export interface OpenRule {
  guardrail: Guardrail;
  level: EnforcementLevel;
  /** Whether somebody has decided on it, where it needs a decision. */
  isConfigured: boolean;
  /** Its configuration, with what is set later and wins. */
  config(later?: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** Every guardrail. Throws for a name that there is not, and for options that a guardrail does not have. */
export function openRules(options: RuleOptions = {}): OpenRule[] {
  const unknown = Object.keys(options).find((name) => !guardrails.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new Error(
      `There is no guardrail ${JSON.stringify(unknown)}; there are ${guardrails.map(({ name }) => name).join(", ")}.`,
    );
  return guardrails.map((each) => openRule(each, options[each.name]));
}

const Level = z.enum(["advisory", "mandatory", "remediate", "disabled"]);

function openRule(guardrail: Guardrail, ruleOptions: EnforcementLevel | GuardrailOptions | undefined): OpenRule {
  const { name, config } = guardrail;
  const isConfigured = ruleOptions !== undefined || guardrail.decision === undefined;
  const options = typeof ruleOptions === "string" ? { enforcementLevel: ruleOptions } : (ruleOptions ?? {});
  const parsed = z.strictObject({ enforcementLevel: Level.optional(), ...config.shape }).safeParse(options);
  if (!parsed.success)
    throw new Error(
      `The guardrail ${name} cannot be configured like that: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "options"}\` ${message}`).join("; ")}.`,
    );
  const usual = isConfigured ? (guardrail.level ?? "mandatory") : "disabled";
  const { enforcementLevel: level = usual, ...own } = options;
  return {
    guardrail,
    level,
    isConfigured,
    config: (later = {}) => {
      const { enforcementLevel: _, ...set } = later;
      return config.parse({ ...own, ...set });
    },
  };
}
