import { createHash } from "node:crypto";

/** The key of a stack's config that says how objects are named whose program gives no name. */
export const autonamingKey = "pulumi:autonaming";

/** An engine's choice of the name that an object is to get. */
export interface Naming {
  /** Empty where `mode` is `disabled`: the program has to give a name. */
  proposedName: string;
  /** A proposed name may be altered to what the service takes, and an enforced one may not. */
  mode: "propose" | "enforce" | "disabled";
}

/** The same for one resource, and whether a second object could not have another name. */
export interface ResourceNaming extends Naming {
  isFixed: boolean;
}

/** What patterns name of the stack. */
interface NamedStack {
  organization: string;
  project: string;
  stack: string;
  /** A value of its config, by full key. */
  config(key: string): string | undefined;
}

/** A resource that is to be named. What is random in a name follows from the seed. */
interface Named {
  /** Its type tokens, the first one that is configured counts. */
  types: readonly string[];
  name: string;
  seed: string;
}

/** How a stack names. Undefined: as the provider does by itself. */
type Autonaming = (named: Named) => ResourceNaming | undefined;

type Rule = { pattern: string; enforce: boolean } | "default" | "verbatim" | "disabled";

interface Section {
  rule?: Rule | undefined;
  resources: ReadonlyMap<string, Rule>;
}

/** Reads the value of `pulumi:autonaming`, which is JSON text. Throws for what the Pulumi CLI does not accept. */
export function readAutonaming(text: string, stack: NamedStack): Autonaming {
  const config = membersOf(parsed(text), "", ["providers"]);
  const root = ruleIn(config, "", stack);
  const providers = Object.entries(membersOf(config["providers"] ?? {}, "providers", undefined)).map(
    ([name, value]): [string, Section] => [name, sectionIn(value, `providers.${name}`, stack)],
  );
  const sections = new Map(providers);
  return ({ types, name, seed }) => {
    const rules = types.flatMap((type) => {
      const section = sections.get(type.split(":")[0]!);
      return section?.resources.get(type) ?? section?.rule ?? [];
    });
    return namingBy(rules[0] ?? root ?? "default", name, seed);
  };
}

function sectionIn(value: unknown, path: string, stack: NamedStack): Section {
  const section = membersOf(value, path, ["resources"]);
  const resources = Object.entries(membersOf(section["resources"] ?? {}, `${path}.resources`, undefined));
  return {
    rule: ruleIn(section, path, stack),
    resources: new Map(
      resources.map(([type, each]) => {
        const at = `${path}.resources.${type}`;
        const rule = ruleIn(membersOf(each, at, []), at, stack);
        if (rule === undefined) throw invalid(at, "needs a `mode` or a `pattern`");
        return [type, rule];
      }),
    ),
  };
}

/** The members of an object. Throws for any other value, and for members other than a rule's and `others`. */
function membersOf(value: unknown, path: string, others: readonly string[] | undefined): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(path, "is not an object");
  const known = others && ["mode", "pattern", "enforce", ...others];
  const unknown = known && Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid(path, `has no member \`${unknown}\`: there are ${known!.join(", ")}`);
  return value as Record<string, unknown>;
}

function ruleIn(
  { mode, pattern, enforce }: Record<string, unknown>,
  path: string,
  stack: NamedStack,
): Rule | undefined {
  const hasPattern = pattern !== undefined || enforce !== undefined;
  if (mode !== undefined && hasPattern) throw invalid(path, "has both a `mode` and a `pattern`: keep one");
  if (hasPattern) {
    if (typeof pattern !== "string") throw invalid(path, "needs a `pattern` that is a text");
    return { pattern: ofStack(pattern, stack), enforce: enforce === true || enforce === "true" };
  }
  if (mode === undefined) return undefined;
  if (mode === "default" || mode === "verbatim" || mode === "disabled") return mode;
  throw invalid(path, `has the mode \`${String(mode)}\`: there are default, verbatim and disabled`);
}

const ofStack = (pattern: string, { organization, project, stack, config }: NamedStack): string =>
  pattern
    .replace(/\$\{(organization|project|stack)\}/g, (_, what: "stack") => ({ organization, project, stack })[what])
    .replace(/\$\{config\.([^{}]{1,200})\}/g, (_, key: string) => {
      const value = config(key.includes(":") ? key : `${project}:${key}`);
      if (value === undefined) throw new Error(`\`${autonamingKey}\` names the config \`${key}\`, which is not set.`);
      return value;
    });

function namingBy(rule: Rule, name: string, seed: string): ResourceNaming | undefined {
  if (rule === "default") return undefined;
  if (rule === "verbatim") return { proposedName: name, mode: "enforce", isFixed: true };
  if (rule === "disabled") return { proposedName: "", mode: "disabled", isFixed: true };
  const named = rule.pattern.replace(/\$\{name\}/g, () => name);
  const proposedName = withRandom(named, seed);
  return { proposedName, mode: rule.enforce ? "enforce" : "propose", isFixed: proposedName === named };
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyz";
const charactersOf: Readonly<Record<string, string>> = {
  hex: `${digits}abcdef`,
  alphanum: letters + digits,
  string: letters,
  num: digits,
};

/** Up to 999 characters each: no service takes a longer name. */
function withRandom(pattern: string, seed: string): string {
  let place = 0;
  const random = (count: number, characters: string): string =>
    Array.from({ length: count }, () => characters[byteOf(seed, place++) % characters.length]).join("");
  return pattern
    .replace(/\$\{(hex|alphanum|string|num)\((\d{1,3})\)\}/g, (_, what: string, count: string) =>
      random(Number(count), charactersOf[what]!),
    )
    .replace(/\$\{uuid\}/g, () => [8, 4, 4, 4, 12].map((count) => random(count, charactersOf["hex"]!)).join("-"));
}

/** The bytes that a seed leads to, at each place another. */
const byteOf = (seed: string, place: number): number =>
  createHash("sha256")
    .update(JSON.stringify([seed, place]))
    .digest()[0]!;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("", "is not an object");
  }
}

const invalid = (path: string, what: string): Error =>
  new Error(`\`${autonamingKey}${path === "" ? "" : `.${path}`}\` ${what}.`);
