import { dayOf } from "../../provider/core/values/grouping";
import { z } from "../../provider/core/zod";
import { managedSpecs } from "../../provider/resources/index";
import { type OpenRule, openRules, type RuleOptions } from "./guardrails";
import { type Declared, type EnforcementLevel, type Guardrail, kindOf, type PolicyContext, stackIn } from "./rule";

/** What `@pulumi/policy` takes as a policy. Only its shape is used, so that this package does not need that one. */
export interface Policy {
  name: string;
  description: string;
  enforcementLevel: EnforcementLevel;
  configSchema: { properties: Record<string, object> };
  /** The inputs as the rule would have them; undefined leaves them as they are. */
  remediateResource?(args: ResourceArgs): Props | undefined;
  validateResource?(args: ResourceArgs, report: Report): void;
  validateStack?(args: StackArgs, report: Report): void;
}

type Report = (message: string, urn?: string) => void;

/** The engine's configuration of a policy. */
type Configured = Readonly<Record<string, unknown>>;

// biome-ignore lint/suspicious/noExplicitAny: the properties of any resource, as `@pulumi/policy` declares them.
type Props = Record<string, any>;

interface PolicyResource {
  type: string;
  name: string;
  urn: string;
  props: Props;
}

interface ResourceArgs extends PolicyResource {
  getConfig<T extends object>(): T;
}

interface StackArgs {
  resources: PolicyResource[];
  getConfig<T extends object>(): T;
}

/**
 * The guardrails as policies of a `PolicyPack`, by name. One without options has its defaults, and is mandatory unless
 * it says otherwise; `--policy-pack-config` overrides these options. Throws for an unknown name, and for options that a
 * guardrail does not have.
 */
export const policies = (options: RuleOptions = {}): Policy[] => openRules(options).map(policyOf);

function policyOf({ guardrail, level, config }: OpenRule): Policy {
  const { name, description, objections, ofStack, remediation } = guardrail;
  const reportObjections = (resources: readonly PolicyResource[], later: Configured, report: Report): void => {
    const violations = objections(resources.flatMap(declaredOf), config(later), policyContext());
    // A policy has one level for all that it reports: a mandatory one leaves out what is only worth a warning.
    const isStrict = (later["enforcementLevel"] ?? level) === "mandatory";
    for (const { message, urn, level: own } of violations) if (own !== "advisory" || !isStrict) report(message, urn);
  };
  const properties = propertiesOf(guardrail.config);
  const common = { name, description, enforcementLevel: level, configSchema: { properties } };
  if (ofStack)
    return {
      ...common,
      validateStack: (args, report) => reportObjections(args.resources, args.getConfig<Configured>(), report),
    };
  return {
    ...common,
    ...(remediation && {
      remediateResource: (args: ResourceArgs) =>
        applyRemediation(guardrail, args, config(args.getConfig<Configured>())),
    }),
    validateResource: (args, report) =>
      reportObjections([args], args.getConfig<Configured>(), (message) => report(message)),
  };
}

/** The inputs after the remediation of the rule; undefined where it does not object, or can do nothing. */
function applyRemediation(
  { objections, remediation }: Guardrail,
  args: ResourceArgs,
  config: Record<string, unknown>,
): Props | undefined {
  if (objections(declaredOf(args), config, policyContext()).length === 0) return undefined;
  return remediation?.apply(args.props, config) ? args.props : undefined;
}

const policyContext = (): PolicyContext => ({
  of: "stack",
  day: dayOf(Date.now()),
  env: process.env,
  cwd: process.cwd(),
});

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
