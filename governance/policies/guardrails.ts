import { optionsIn } from "../../provider/core/declaration/own-fields";
import type { Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { managedSpecs, specOf } from "../../provider/resources/index";
import { costRules } from "./cost-rules";
import { retiringModel } from "./retirement-rule";
import { type Declared, type EnforcementLevel, type Guardrail, guardrail, matches } from "./rule";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);
const annotation = ({ inputs }: Declared, key: string): string =>
  text((inputs["annotations"] as Values | undefined)?.[key]);

/** Kinds that declare an input of this name. */
const kindsWith = (name: string): string[] =>
  managedSpecs
    .filter(({ fields }) => [...fields.message, ...fields.behaviours].some((field) => field.name === name))
    .map(({ kind }) => kind);

/** Takes an input away, so that the service's default applies. */
const isRemoved = (inputs: Record<string, unknown>, name: string): boolean => {
  const isThere = inputs[name] !== undefined;
  delete inputs[name];
  return isThere;
};

const Pattern = z.string().refine(isPattern, "must be a regular expression");

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

const noLoosening = guardrail({
  name: "no-loosening-without-ticket",
  description: "A policy may be loosened only with a ticket.",
  config: z.object({
    tickets: z
      .record(z.string(), z.string())
      .default({})
      .describe("Ticket of each resource that may be loosened, by its name in the stack."),
    pattern: Pattern.default("^[A-Z]+-\\d+$").describe("Pattern that a ticket matches."),
  }),
  live: "where a stack records `allowLoosening`",
  kinds: kindsWith("allowLoosening"),
  remediation: {
    description: "Removes `allowLoosening`: what then loosens the policy is refused, so nothing opens up.",
    apply: (inputs) => isRemoved(inputs, "allowLoosening"),
  },
  object: ({ name, inputs }, { tickets, pattern }) =>
    optionsIn(inputs).allowLoosening !== true || matches(pattern, tickets[name] ?? "")
      ? undefined
      : `may be loosened, but has no ticket. Remove \`allowLoosening\`, or name the ticket in the rule's \`tickets\`: { ${JSON.stringify(name)}: "OPS-1" }.`,
});

const residency = guardrail({
  name: "residency-required",
  decision: { allowed: ["EUROPE"] },
  description: "Every governance policy says where models are served from.",
  config: z.object({ allowed: z.array(z.string()).default(["EUROPE"]).describe("Geographies that are allowed.") }),
  kinds: kindsWith("residency"),
  object: ({ inputs }, { allowed }) =>
    allowed.includes(text(inputs["residency"]))
      ? undefined
      : `${text(inputs["residency"]) === "" ? "allows any region" : `has the residency ${text(inputs["residency"])}`}. Set \`residency\` to ${allowed.join(" or ")}.`,
});

/** Added up over the stack: what may run at once, not what runs. */
const capacity: Guardrail<typeof Capacity> = {
  name: "capacity-capped",
  decision: { replicas: 20, accelerators: 64 },
  description: "The deployments of a stack stay within a total number of replicas and accelerators.",
  get config() {
    return Capacity;
  },
  live: "all deployments of an account",
  ofStack: true,
  kinds: ["Deployment"],
  objections: (declared, { replicas, accelerators, perReplica }, { of }) => {
    const deployments = declared.filter(({ kind }) => kind === "Deployment");
    const most = ({ inputs }: Declared): number =>
      number(inputs["maxReplicaCount"], Math.max(number(inputs["minReplicaCount"], 0), 1));
    const sums = [
      { what: "replicas", allowed: replicas, sum: deployments.reduce((sum, each) => sum + most(each), 0) },
      {
        what: "accelerators",
        allowed: accelerators,
        sum: deployments.reduce(
          (sum, each) => sum + most(each) * number(each.inputs["acceleratorCount"], perReplica),
          0,
        ),
      },
    ];
    return sums
      .filter(({ sum, allowed }) => sum > allowed)
      .map(({ what, sum, allowed }) => ({
        message: `The deployments of the ${of} may run ${sum} ${what}, and ${allowed} are allowed. Lower \`maxReplicaCount\`, or raise \`${what}\` of the rule.`,
      }))
      .map(({ message }) => ({ message, says: message }));
  },
};

const Capacity = z.object({
  replicas: z.int().min(0).default(20).describe("Maximum number of replicas of all deployments together."),
  accelerators: z.int().min(0).default(64).describe("Maximum number of accelerators of all these replicas together."),
  perReplica: z
    .int()
    .min(1)
    .default(1)
    .describe("Number of accelerators to assume per replica where the program does not set it."),
});

const scaleToZero = guardrail({
  name: "scale-to-zero-outside-production",
  decision: { production: "^prod" },
  description: "Outside production, idle deployments scale to zero.",
  config: z.object({
    production: Pattern.default("^prod").describe("Pattern of the names of production stacks, or of accounts."),
  }),
  live: "by the stack that records the deployment, else by the account",
  kinds: kindsWith("minReplicaCount"),
  remediation: {
    description:
      "Removes `minReplicaCount`: the deployment scales to zero while idle, and starts with the next request.",
    apply: (inputs) => isRemoved(inputs, "minReplicaCount"),
  },
  object: ({ inputs, stack, account = "" }, { production }) => {
    const kept = number(inputs["minReplicaCount"], 0);
    if (kept === 0 || matches(production, stack || account)) return undefined;
    const place = stack === "" ? `account ${account}` : `stack ${stack}`;
    return `keeps ${kept} ${kept === 1 ? "replica" : "replicas"} in the ${place}, which is not production. Remove \`minReplicaCount\`.`;
  },
});

const annotations = guardrail({
  name: "annotations-required",
  decision: { keys: ["custom/team"] },
  description: "Everything that can be annotated names its owner.",
  config: z.object({
    keys: z.array(z.string()).default(["custom/team"]).describe("Annotations that must be present and not empty."),
    values: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe("Values that the remediation sets where an annotation is missing."),
  }),
  kinds: kindsWith("annotations"),
  remediation: {
    description: "Sets missing annotations to `values` of the rule: they describe the object and change nothing else.",
    apply: (inputs, { keys, values }) => {
      const annotationValues = inputs["annotations"] as Record<string, unknown> | undefined;
      const added = keys.filter(
        (key) => Object.hasOwn(values, key) && ["", undefined].includes(annotationValues?.[key] as string),
      );
      if (added.length === 0) return false;
      const annotations = annotationValues ?? {};
      for (const key of added) annotations[key] = values[key];
      if (!annotationValues) inputs["annotations"] = annotations;
      return true;
    },
  },
  object: (resource, { keys }) => {
    const missing = keys.filter((key) => annotation(resource, key) === "");
    return missing.length === 0
      ? undefined
      : `has no ${missing.map((key) => `\`${key}\``).join(", ")}. Add ${missing.length === 1 ? "it" : "them"} to \`annotations\`.`;
  },
});

/** Inputs that can be read from elsewhere, with the option that says where. */
const readElsewhere = (kind: string): [field: string, from: string][] =>
  (specOf(kind)?.fields.behaviours ?? []).flatMap(({ name, type, markers }) =>
    markers.rewrites !== undefined && type === "object" ? [[markers.rewrites, name]] : [],
  );

const valueFrom = guardrail({
  name: "secrets-from-elsewhere",
  decision: "mandatory",
  description: "The values of secrets stay out of programs and state.",
  live: "secrets that a stack records",
  config: z.object({
    except: z.array(z.string()).default([]).describe("Names, in the stack, of secrets that are exempt."),
  }),
  kinds: managedSpecs.filter(({ kind }) => readElsewhere(kind).length > 0).map(({ kind }) => kind),
  object: ({ kind, name, inputs }, { except }) => {
    const explicitValue = readElsewhere(kind).find(([field]) => inputs[field] !== undefined && inputs[field] !== null);
    return explicitValue === undefined || except.includes(name)
      ? undefined
      : `has its \`${explicitValue[0]}\` stored in the state. Give \`${explicitValue[1]}\` instead: { env: "NAME" } or { file: "path" }.`;
  },
});

const admins = guardrail({
  name: "admins-listed",
  decision: { emails: ["ada@example.com"] },
  description: "Only users on the list are admins.",
  config: z.object({
    emails: z
      .array(z.string())
      .default([])
      .describe("E-mail addresses, or ids of service accounts, of permitted admins."),
  }),
  kinds: kindsWith("role"),
  object: ({ inputs }, { emails }) => {
    const who = text(inputs["email"]) || text(inputs["userId"]);
    const isListed = emails.some((email) => email.toLowerCase() === who.toLowerCase());
    return inputs["role"] !== "admin" || isListed
      ? undefined
      : `is an admin, and ${who || "it"} is not on the list. Choose another \`role\`, or add ${who || "it"} to \`emails\` of the rule.`;
  },
});

const shapes = guardrail({
  name: "no-shapeless-deployment",
  decision: "mandatory",
  description: "Every deployment is made from a validated shape.",
  config: z.object({}),
  live: "`deploymentShape`, and `acceptShapelessRisk` where a stack records it",
  kinds: ["Deployment"],
  object: ({ inputs }) =>
    text(inputs["deploymentShape"]) !== "" && inputs["acceptShapelessRisk"] !== true
      ? undefined
      : 'has no validated shape. Set `deploymentShape`, to "default" to have one picked, and remove `acceptShapelessRisk`.',
});

export const guardrails: readonly Guardrail[] = [
  noLoosening,
  residency,
  capacity,
  scaleToZero,
  annotations,
  valueFrom,
  admins,
  shapes,
  ...costRules,
  retiringModel,
];

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
