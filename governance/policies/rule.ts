import { createContext, Script } from "node:vm";
import type { ModelFacts } from "../../provider/core/declaration/retirement";
import { dynamicToken, pluginToken } from "../../provider/core/pulumi-names";
import type { Values } from "../../provider/core/values/values";
import type { z } from "../../provider/core/zod";
import { onceKnown, type Unjudged } from "./read-values";

/** A resource of this provider, as a program declares it. */
export interface Declared {
  /** Plain kind, such as `Deployment`. */
  kind: string;
  /** Name in the stack. */
  name: string;
  urn: string;
  /** Name of the stack alone; empty for a live object that no stack manages. */
  stack: string;
  /** What the program sets, or the live object. This provider's own hidden inputs are never read. */
  inputs: Values;
  /** Account of a live object. */
  account?: string;
}

/** What a guardrail knows besides the resources. */
export interface PolicyContext {
  /** What the resources are all of: a stack, or in an audit an account. */
  of: "stack" | "account";
  /** Today, `YYYY-MM-DD`, UTC. */
  day: string;
  env: { readonly [name: string]: string | undefined };
  /** The folder that relative paths start from. */
  cwd: string;
  /** What is known of a model. Default: what the resources among which it is say of it. */
  modelOf?: ((name: string) => ModelFacts | undefined) | undefined;
}

export type EnforcementLevel = "advisory" | "mandatory" | "remediate" | "disabled";

/** A guardrail: what it objects to, as sentences that say what to do. */
// biome-ignore lint/suspicious/noExplicitAny: guardrails with configurations of their own, in one list.
export interface Guardrail<C extends z.ZodObject = any> {
  /** In kebab case, as `--policy-pack-config` names it. */
  name: string;
  description: string;
  /** What an audit of live objects sees of it; absent: the same as in a program. */
  live?: string;
  /** What can be configured, each with its default. */
  config: C;
  /** About one resource, or about all of a stack. */
  objections(declared: readonly Declared[], config: z.infer<C>, context: PolicyContext): Objection[];
  /** What only all objects of an account together tell, which an audit asks once it has read them. */
  among?(declared: readonly Declared[], config: z.infer<C>): Objection[];
  /** It looks at all resources of a stack, or of an account, at once. */
  ofStack?: true;
  /**
   * It needs a decision of the accounts' owner, and is off until a configuration names it: an example of that, a
   * level or options. Absent: it is on.
   */
  decision?: EnforcementLevel | Readonly<Record<string, unknown>>;
  /** How it is enforced unless the pack says otherwise. Default: mandatory. */
  level?: "advisory";
  /** Kinds that it can object to. */
  kinds: readonly string[];
  /** In an audit, an account without the settings of these kinds is held against the rule as if they were empty. */
  holdsAbsence?: true;
  remediation?: Remediation<z.infer<C>>;
}

/** A change of a program's inputs after which the rule does not object: one that takes nothing away. */
export interface Remediation<C> {
  /** What it does and why that is safe, as a sentence. */
  description: string;
  /** Changes `inputs` in place; false where there is nothing that it can do. */
  apply(inputs: Record<string, unknown>, config: C): boolean;
}

export interface Objection {
  message: string;
  /** The message without the resource that it begins with. */
  says: string;
  /** The resource at fault; absent: the stack, or the account. */
  urn?: string;
  /** Where it is not as the rule is enforced. */
  level?: "advisory" | "mandatory" | undefined;
  /** The rule cannot judge what it sees. A policy pack has no third answer and reports it as it reports a breach. */
  isUnknown?: true | undefined;
}

/** Declares a guardrail about each resource of one of `kinds`. */
export function guardrail<const C extends z.ZodObject>(
  declared: Omit<Guardrail<C>, "objections" | "ofStack"> & {
    object(resource: Declared, config: z.infer<C>): string | Unjudged | undefined;
  },
): Guardrail<C> {
  const { object, ...rest } = declared;
  return {
    ...rest,
    objections: (resources, config) =>
      resources.flatMap((resource) => {
        if (!rest.kinds.includes(resource.kind)) return [];
        const says = onceKnown(() => object(resource, config));
        if (says === undefined) return [];
        return [typeof says === "string" ? objectionTo(resource, says) : unjudged(resource, says)];
      }),
  };
}

export const objectionTo = ({ kind, name, urn }: Declared, says: string): Objection => ({
  message: `${kind} ${name} ${says}`,
  says,
  urn,
});

/** An objection to what the rule cannot judge. */
export const unjudged = (resource: Declared, { says }: Unjudged): Objection => ({
  ...objectionTo(resource, says),
  isUnknown: true,
});

/** The kind that a type token names, made with either provider; undefined for what is not this package's. */
export const kindOf = (type: string, kinds: readonly string[]): string | undefined =>
  kinds.find((kind) => type === dynamicToken(kind) || type === pluginToken(kind));

/** `urn:pulumi:<stack>::…` */
export const stackIn = (urn: string): string => /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? "";

/** Longer than any pattern needs that does not go back over the text again and again. */
const timeoutMs = 500;
const matching = new Script("new RegExp(pattern).test(text)");
const tooSlow = new Set<string>();

/**
 * Whether a text matches a regular expression that the configuration of a rule has. Throws for one that may take for
 * ever, such as `^(a+)+$`: a name that a program chooses would otherwise hold up the engine.
 */
export function matches(pattern: string, text: string): boolean {
  try {
    if (!tooSlow.has(pattern))
      return matching.runInContext(createContext({ pattern, text }), { timeout: timeoutMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    tooSlow.add(pattern);
  }
  throw new Error(
    `The pattern ${JSON.stringify(pattern)} takes longer than ${timeoutMs} ms to match. Write it without repetitions of repetitions.`,
  );
}
