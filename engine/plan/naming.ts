import { randomUUID } from "node:crypto";
import { autonamingKey, readAutonaming } from "../../protocol/autonaming";
import { isProviderType, parseUrn } from "../state/resource-state";
import type { ResolvedConfig } from "../state/stack-config";
import type { Context } from "./context";

/** What the stack's config may name. */
interface ConfiguredStack {
  organization: string;
  project: string;
  stack: string;
  config: ResolvedConfig;
}

/**
 * How a stack names its resources, by its config. What is random in a name is drawn each time, as with the Pulumi CLI.
 * Throws for a malformed config.
 */
export function namingBy({ config: { values }, ...stack }: ConfiguredStack): Context["namingOf"] {
  const text = values[autonamingKey];
  if (text === undefined) return () => undefined;
  const autonaming = readAutonaming(text, { ...stack, config: (key) => values[key] });
  return (urn) => {
    const { type, name } = parseUrn(urn);
    return isProviderType(type) ? undefined : autonaming({ types: [type], name, seed: randomUUID() });
  };
}
