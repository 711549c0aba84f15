import { optionsIn } from "../../provider/core/declaration/own-fields";
import { z } from "../../provider/core/zod";
import { managedSpecs, specOf } from "../../provider/resources/index";
import { admins } from "./admins-rule";
import { costRules } from "./cost-rules";
import {
  countIn,
  fieldOf,
  flagIn,
  isUnjudged,
  mapIn,
  onceKnown,
  otherSpelling,
  textIn,
  unreadable,
  wordIn,
  wordOf,
} from "./read-values";
import { retiringModel } from "./retirement-rule";
import {
  type Declared,
  type EnforcementLevel,
  type Guardrail,
  guardrail,
  matches,
  type Objection,
  unjudged,
} from "./rule";

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
  object: ({ name, inputs }, { tickets, pattern }) => {
    const isAllowed = flagIn("allowLoosening", optionsIn(inputs).allowLoosening);
    const ticket = Object.hasOwn(tickets, name) ? tickets[name]! : "";
    if (isAllowed === undefined || isAllowed === false || matches(pattern, ticket)) return undefined;
    return isUnjudged(isAllowed)
      ? isAllowed
      : `may be loosened, but has no ticket. Remove \`allowLoosening\`, or name the ticket in the rule's \`tickets\`: { ${JSON.stringify(name)}: "OPS-1" }.`;
  },
});

const residencyField = fieldOf("PolicySettings", "residency");

const residency = guardrail({
  name: "residency-required",
  decision: { allowed: ["EUROPE"] },
  description: "Every governance policy says where models are served from.",
  config: z.object({
    allowed: z.array(wordOf(residencyField)).default(["EUROPE"]).describe("Geographies that are allowed."),
  }),
  kinds: ["PolicySettings"],
  holdsAbsence: true,
  object: ({ inputs }, { allowed }) => {
    const residency = wordIn(residencyField, inputs["residency"]);
    if (isUnjudged(residency)) return residency;
    const { word = "", isExact = true } = residency ?? {};
    if (!allowed.includes(word))
      return `${word === "" ? "allows any region" : `has the residency ${word}`}. Set \`residency\` to ${allowed.join(" or ")}.`;
    return isExact ? undefined : otherSpelling("residency", inputs["residency"], word);
  },
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
    const needs = deployments.map((each) => needsOf(each, perReplica));
    const open = needs.flatMap((need) => (need && "unknown" in need ? [need] : []));
    const known = needs.flatMap((need) => (need && "replicas" in need ? [need] : []));
    const sumOf = (what: "replicas" | "accelerators"): number => known.reduce((sum, need) => sum + need[what], 0);
    const isRevocable = known.some((need) => need.isRevocable);
    const largest = isRevocable ? "maxWithRevocableReplicaCount" : "maxReplicaCount";
    const breaches = [
      { what: "replicas", allowed: replicas, sum: sumOf("replicas") },
      { what: "accelerators", allowed: accelerators, sum: sumOf("accelerators") },
    ]
      .filter(({ sum, allowed }) => sum > allowed)
      .map(({ what, sum, allowed }): Objection => {
        const message = `The deployments of the ${of} may run ${sum} ${what}, and ${allowed} are allowed. Lower \`${largest}\`, or raise \`${what}\` of the rule.`;
        return { message, says: message };
      });
    return [...breaches, ...open.map(({ objection }) => objection)];
  },
};

interface Needs {
  replicas: number;
  accelerators: number;
  /** Whether revocable capacity makes up the largest number. */
  isRevocable: boolean;
}

/** The most that a deployment may run, by the largest number that its fields allow; 0 accelerators are as if unset. */
function needsOf(declared: Declared, perReplica: number): Needs | { unknown: true; objection: Objection } | undefined {
  const { inputs } = declared;
  return onceKnown(() => {
    const count = (name: string) => countIn(name, inputs[name]);
    const [least, most, withRevocable, perOne] = [
      count("minReplicaCount"),
      count("maxReplicaCount"),
      count("maxWithRevocableReplicaCount"),
      count("acceleratorCount"),
    ];
    for (const value of [least, most, withRevocable, perOne])
      if (isUnjudged(value)) return { unknown: true as const, objection: unjudged(declared, value) };
    const [fewest, usual, revocable, each] = [least, most, withRevocable, perOne] as (number | undefined)[];
    const atFullPrice = Math.max(fewest ?? 0, usual ?? 1);
    const replicas = Math.max(atFullPrice, revocable ?? 0);
    return { replicas, accelerators: replicas * (each || perReplica), isRevocable: replicas > atFullPrice };
  });
}

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
    const kept = countIn("minReplicaCount", inputs["minReplicaCount"]) ?? 0;
    if (kept === 0 || matches(production, stack || account)) return undefined;
    if (isUnjudged(kept)) return kept;
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
  object: ({ inputs }, { keys }) => {
    const values = mapIn("annotations", inputs["annotations"]) ?? {};
    if (isUnjudged(values)) return values;
    const read = keys.map((key) => ({ key, value: textIn(key, Object.hasOwn(values, key) ? values[key] : undefined) }));
    const missing = read.filter(({ value }) => value === undefined).map(({ key }) => key);
    const unread = read.map(({ value }) => value).find(isUnjudged);
    if (missing.length === 0 && unread) return unread;
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

const shapeName = /^accounts\/[^/\s]+\/deploymentShapes\/[^/\s]+(\/versions\/[^/\s]+)?$/;

const shapes = guardrail({
  name: "no-shapeless-deployment",
  decision: "mandatory",
  description: "Every deployment is made from a validated shape.",
  config: z.object({}),
  live: "`deploymentShape`, and `acceptShapelessRisk` where a stack records it",
  kinds: ["Deployment"],
  object: ({ inputs }) => {
    const shape = textIn("deploymentShape", inputs["deploymentShape"]);
    const isAccepted = flagIn("acceptShapelessRisk", inputs["acceptShapelessRisk"]);
    if (shape === undefined || isAccepted === true)
      return 'has no validated shape. Set `deploymentShape`, to "default" to have one picked, and remove `acceptShapelessRisk`.';
    if (isUnjudged(shape)) return shape;
    if (isUnjudged(isAccepted)) return isAccepted;
    return shape === "default" || shapeName.test(shape)
      ? undefined
      : unreadable("deploymentShape", shape, "neither `default` nor the name of a shape");
  },
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
