export type { GuardrailOptions } from "./guardrails";
export { guardrails } from "./guardrails";
export { type Policy, policies } from "./policy-pack";
export type { Declared, EnforcementLevel, Guardrail, Objection, PolicyContext, Remediation } from "./rule";
