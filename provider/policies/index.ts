import { z } from "../core/zod";
import { managedSpecs } from "../resources/index";
import { guardrails } from "./guardrails";
import { type Declared, type Guardrail, kindOf, stackIn } from "./rule";

export { guardrails } from "./guardrails";
export type { Declared, Guardrail, Objection } from "./rule";

export type EnforcementLevel = "advisory" | "mandatory" | "remediate" | "disabled";

/** How a guardrail is enforced, and its own configuration. */
export type GuardrailOptions = { enforcementLevel?: EnforcementLevel } & Readonly<Record<string, unknown>>;

/** What `@pulumi/policy` takes as a policy. Only its shape is used, so that this package does not need that one. */
export interface Policy {
  name: string;
  description: string;
  enforcementLevel: EnforcementLevel;
  configSchema: { properties: Record<string, object> };
  validateResource?(args: ResourceArgs, report: (message: string, urn?: string) => void): void;
  validateStack?(args: StackArgs, report: (message: string, urn?: string) => void): void;
}

interface PolicyResource {
  type: string;
  name: string;
  urn: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of any resource, as `@pulumi/policy` declares them.
  props: Record<string, any>;
}

interface ResourceArgs extends PolicyResource {
  getConfig<T extends object>(): T;
}

interface StackArgs {
  resources: PolicyResource[];
  getConfig<T extends object>(): T;
}

/**
 * The guardrails as policies of a `PolicyPack`, by name. One without options is mandatory, with its defaults;
 * `--policy-pack-config`
 * overrides what stands here. Throws for a name that there is not, and for options that a guardrail does not have.
 */
export function policies(options: Readonly<Record<string, EnforcementLevel | GuardrailOptions>> = {}): Policy[] {
  const unknown = Object.keys(options).find((name) => !guardrails.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new Error(
      `There is no guardrail ${JSON.stringify(unknown)}; there are ${guardrails.map(({ name }) => name).join(", ")}.`,
    );
  return guardrails.map((each) => policyOf(each, options[each.name] ?? {}));
}

function policyOf(guardrail: Guardrail, given: EnforcementLevel | GuardrailOptions): Policy {
  const { name, description, config, objections } = guardrail;
  const { enforcementLevel = "mandatory", ...own } = typeof given === "string" ? { enforcementLevel: given } : given;
  const parsed = z.strictObject(config.shape).safeParse(own);
  if (!parsed.success)
    throw new Error(
      `The guardrail ${name} cannot be configured like that: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "options"}\` ${message}`).join("; ")}.`,
    );
  const configured = (later: Readonly<Record<string, unknown>>) => {
    const { enforcementLevel: _, ...set } = later;
    return config.parse({ ...own, ...set });
  };
  const tell = (
    resources: readonly PolicyResource[],
    later: Readonly<Record<string, unknown>>,
    report: (message: string, urn?: string) => void,
  ): void => {
    for (const { message, urn } of objections(resources.flatMap(declaredOf), configured(later))) report(message, urn);
  };
  const common = { name, description, enforcementLevel, configSchema: { properties: propertiesOf(config) } };
  return guardrail.ofStack
    ? { ...common, validateStack: (args, report) => tell(args.resources, args.getConfig(), report) }
    : { ...common, validateResource: (args, report) => tell([args], args.getConfig(), (message) => report(message)) };
}

/** Without defaults: an engine would fill them in, over what the pack has set. */
function propertiesOf(config: z.ZodObject): Record<string, object> {
  const { properties = {} } = z.toJSONSchema(config, { io: "input", target: "draft-7" });
  const entries = Object.entries(properties as Record<string, { default?: unknown }>);
  return Object.fromEntries(entries.map(([name, { default: _, ...schema }]) => [name, schema]));
}

const kinds = managedSpecs.map(({ kind }) => kind);

/** Resources of other providers are nobody's business here. */
function declaredOf({ type, name, urn, props }: PolicyResource): Declared[] {
  const kind = kindOf(type, kinds);
  return kind === undefined ? [] : [{ kind, name, urn, stack: stackIn(urn), inputs: props }];
}
