import { withDependents } from "../plan/dependencies";
import { type Edit, requireAll } from "./marks";

interface DeletionOptions {
  /** Protected resources too. */
  force?: boolean | undefined;
  /** Includes their dependents; without it, resources that others need are refused. */
  targetDependents?: boolean | undefined;
}

/** Forgets resources; their objects live on. A URN stands for every state that has it. */
export function forgotten(urns: readonly string[] | "all", { force, targetDependents }: DeletionOptions): Edit {
  return (resources) => {
    const all = resources.map((state) => ({ state }));
    const named = urns === "all" ? resources.map(({ urn }) => urn) : urns;
    requireAll(resources, named);
    const condemned = withDependents(named, all);
    const others = [...condemned].filter((urn) => !named.includes(urn));
    if (others.length > 0 && targetDependents !== true)
      throw new Error(
        `${others.join(", ")} would be left without what they depend on. Name them too, or all of them with --target-dependents.`,
      );
    const spared = resources.find(({ urn, protect }) => protect === true && condemned.has(urn));
    if (spared && force !== true)
      throw new Error(`${spared.urn} is protected. Add --force, or remove the protection with \`state unprotect\`.`);
    return resources.filter(({ urn }) => !condemned.has(urn));
  };
}
