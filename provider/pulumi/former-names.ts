import * as pulumi from "@pulumi/pulumi";
import { dynamicUrn } from "../core/fields/tokens";
import { knownValues } from "./known-values";

/** What a program says of a resource, and its URN once that is known. */
interface Declared {
  name: string;
  type: string;
  aliases: pulumi.ResourceOptions["aliases"];
  urn: Promise<string>;
}

/**
 * The URNs that a resource had before by its own aliases and by those of what it is in; undefined where it has
 * none.
 */
export function formerUrns(
  resource: pulumi.Resource,
  { name, type, aliases: own = [], urn: current }: Declared,
): Promise<string[] | undefined> {
  const { __parentResource: parent, __aliases: alone = [] } = resource as unknown as {
    __parentResource?: pulumi.Resource & { __name?: string };
    __aliases?: pulumi.Input<string>[];
  };
  const aliases = parent ? pulumi.allAliases(own, name, type, parent, parent.__name ?? "") : alone;
  // Its name under the other host stands for the same resource, and is not a former one.
  const former = async (): Promise<string[] | undefined> => {
    const now = dynamicUrn(await current);
    const urns = (await knownValues(aliases)) as (string | undefined)[];
    if (urns.includes(undefined)) return undefined;
    const before = (urns as string[]).map((urn) => dynamicUrn(asRecorded(urn))).filter((urn) => urn !== now);
    return before.length === 0 ? undefined : before;
  };
  return aliases.length === 0 ? Promise.resolve(undefined) : former().catch(() => undefined);
}

/** Known only once the resource's constructor has run, which needs it. */
export function deferred<T>(): { promise: Promise<T>; resolve(value: T | Promise<T>): void } {
  let resolve!: (value: T | Promise<T>) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** The URN of a resource without the stack above it, as engines record it. */
export const asRecorded = (urn: string): string => urn.replace("::pulumi:pulumi:Stack$", "::");
