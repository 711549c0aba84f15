import { dynamicToken, pluginToken } from "../core/fields/tokens";
import type { Values } from "../core/values/values";
import type { z } from "../core/zod";

/** A resource of this provider, as a program declares it. */
export interface Declared {
  /** Plain kind, such as `Deployment`. */
  kind: string;
  /** Name in the stack. */
  name: string;
  urn: string;
  /** Name of the stack alone. */
  stack: string;
  /** What the program sets. This provider's own hidden inputs are never read. */
  inputs: Values;
}

/** A guardrail: what it objects to, as sentences that say what to do. */
export interface Guardrail<C extends z.ZodObject = z.ZodObject> {
  /** In kebab case, as `--policy-pack-config` names it. */
  name: string;
  description: string;
  /** What can be configured, each with its default. */
  config: C;
  /** About one resource, or about all of a stack. */
  objections(declared: readonly Declared[], config: z.infer<C>): Objection[];
  /** It looks at all resources of a stack at once. */
  ofStack?: true;
}

export interface Objection {
  message: string;
  /** The resource at fault; absent: the stack. */
  urn?: string;
}

/** Declares a guardrail about each resource of one of `kinds`; `undefined` means every kind. */
export function guardrail<const C extends z.ZodObject>(
  declared: Pick<Guardrail<C>, "name" | "description" | "config"> & {
    kinds?: readonly string[];
    object(resource: Declared, config: z.infer<C>): string | undefined;
  },
): Guardrail<C> {
  const { kinds, object, ...rest } = declared;
  return {
    ...rest,
    objections: (resources, config) =>
      resources.flatMap((resource) => {
        if (kinds && !kinds.includes(resource.kind)) return [];
        const message = object(resource, config);
        return message === undefined
          ? []
          : [{ message: `${resource.kind} ${resource.name} ${message}`, urn: resource.urn }];
      }),
  };
}

/** The kind that a type token names, made with either provider; undefined for what is not this package's. */
export const kindOf = (type: string, kinds: readonly string[]): string | undefined =>
  kinds.find((kind) => type === dynamicToken(kind) || type === pluginToken(kind));

/** `urn:pulumi:<stack>::…` */
export const stackIn = (urn: string): string => /^urn:pulumi:([^:]+)::/.exec(urn)?.[1] ?? "";
