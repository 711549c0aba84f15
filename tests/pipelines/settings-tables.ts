import { textOf } from "./files";

export type ForgeName = "GitHub" | "GitLab";

/** What is set for the whole repository, and for jobs of an environment alone. */
export interface Settings {
  repository: Readonly<Record<string, string>>;
  environments: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A row of the README's tables of variables and secrets. */
export interface Row {
  name: string;
  forges: readonly ForgeName[];
  isSecret: boolean;
  isOptional: boolean;
  isOfRepository: boolean;
  /** Whether jobs get the path of a file that holds the value. */
  isFile: boolean;
  /** By name; `each stack` stands for one per stack. */
  environments: readonly string[];
}

/** The tables that say what a user sets. */
export const rows = (): Row[] => [...table("### Variables", false), ...table("### Secrets", true)];

function table(heading: string, isSecret: boolean): Row[] {
  const section = textOf("README.md").split(`${heading}\n`)[1]!.split("\n#")[0]!;
  return [...section.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)].map(([, name, where, value]) => ({
    name: name!,
    forges: (["GitHub", "GitLab"] as const).filter((forge) => !/GitHub|GitLab/.test(where!) || where!.includes(forge)),
    isSecret,
    isOptional: where!.includes("optional"),
    isOfRepository: where!.includes("repository"),
    isFile: value!.includes("the type *File*"),
    environments: [...where!.matchAll(/`([\w-]+)`|(each stack)/g)].map(([, named, each]) => named ?? each!),
  }));
}

/** The environments in which a row is set. */
export const environmentsOf = ({ environments }: Row, stacks: readonly string[]): string[] =>
  environments.flatMap((name) => (name === "each stack" ? stacks : [name]));

/** A value, or one per environment. */
export type Given = Readonly<Record<string, string | ((environment: string) => string)>>;

/**
 * What a user has set who fills in the tables with `given`, and nothing else. What the tables lack, or ask for and
 * `given` lacks, is an error.
 */
export function settingsOf(
  forge: ForgeName,
  given: Given,
  stacks: readonly string[],
): { variables: Settings; secrets: Settings } {
  const all = rows().filter(({ forges }) => forges.includes(forge));
  for (const name of Object.keys(given))
    if (!all.some((row) => row.name === name)) throw new Error(`the README has no ${name} for ${forge}`);
  for (const { name, isOptional } of all)
    if (!isOptional && given[name] === undefined) throw new Error(`the README asks for ${name}`);
  return {
    variables: filledIn(all.filter(({ isSecret }) => !isSecret)),
    secrets: filledIn(all.filter(({ isSecret }) => isSecret)),
  };

  function filledIn(some: readonly Row[]): Settings {
    const repository: Record<string, string> = {};
    const environments: Record<string, Record<string, string>> = {};
    for (const row of some) {
      const value = given[row.name];
      if (value === undefined) continue;
      const at = (environment: string): string => (typeof value === "string" ? value : value(environment));
      if (row.isOfRepository) repository[row.name] = at("");
      for (const environment of environmentsOf(row, stacks))
        (environments[environment] ??= {})[row.name] = at(environment);
    }
    return { repository, environments };
  }
}
