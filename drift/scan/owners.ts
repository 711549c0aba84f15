import { matches } from "../../io/text/glob";
import { didYouMean } from "../../provider/core/values/did-you-mean";
import { omitUndefined } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { specOf } from "../../provider/resources/index";
import type { DriftReport, UnmatchedOwner } from "./document";
import type { Finding } from "./finding-document";
import { type Conditions, isLiteral, type Names, RuleIndex } from "./owner-index";
import { pathPattern } from "./suppression";

/** Who owns findings, by an owners file. */
export interface Owners {
  /** In the order of the file, each once. */
  teams: readonly string[];
  /** By team. */
  destinations: ReadonlyMap<string, Destination>;
  /** The team of the first rule that matches. */
  ownerOf(finding: Owned): string | undefined;
  /** Patterns of accounts and stacks that match none of what was scanned. */
  unmatched(scope: Pick<DriftReport["scope"], "accounts" | "stacks">): UnmatchedOwner[];
}

/** What a rule may look at. */
type Owned = Pick<Finding, "account" | "stacks" | "type" | "claimedBy" | "annotations">;

const Patterns = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** What a team may be called: text that does nothing wherever it is written. */
const Team = z
  .string()
  .regex(/^[\w.@/-]{1,64}$/, { error: "takes up to 64 letters, digits and `_`, `.`, `@`, `/`, `-`" });

/** Addresses of webhooks are secrets, so that a file of a repository names the variable that has one. */
const Variable = z.string().regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
  error: "takes the name of an environment variable, such as SEARCH_HOOK: the address of a webhook is a secret",
});

const Rule = z.strictObject({
  team: Team,
  account: Patterns.optional(),
  stack: Patterns.optional(),
  kind: Patterns.optional(),
  annotation: z
    .record(z.string(), Patterns)
    .refine((annotations) => Object.keys(annotations).length > 0, { error: "names no annotation" })
    .optional(),
});

const Destination = z.strictObject({
  notifyEnv: Variable,
  /** Of those that notifications know. */
  notifyFormat: z.string().optional(),
  notifySecretEnv: Variable.optional(),
});

const OwnersFile = z.strictObject({
  owners: z.array(Rule).min(1),
  teams: z.record(z.string(), Destination).optional(),
});

type Rule = z.infer<typeof Rule>;
export type Destination = z.infer<typeof Destination>;

/** Reads an owners file. Throws an error that names the rule at fault. `where` is how errors call the file. */
export function openOwners(document: unknown, where: string): Owners {
  const parsed = OwnersFile.safeParse(document);
  if (!parsed.success)
    throw new Error(
      `${where} is not a file of owners: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "document"}\`: ${message}`).join("; ")}.`,
    );
  const { owners: rules, teams: named = {} } = parsed.data;
  const problem = problemOf(rules, Object.keys(named));
  if (problem !== undefined) throw new Error(`${where}: ${problem}`);
  const matchers = rules.map(matcherOf);
  const index = new RuleIndex(rules.map(conditionsIn));
  return {
    teams: [...new Set(rules.map(({ team }) => team))],
    destinations: new Map(Object.entries(named)),
    ownerOf: (finding) => {
      const names = namesIn(finding);
      const place = index.candidates(names).find((each) => matchers[each]!(names));
      return place === undefined ? undefined : rules[place]!.team;
    },
    unmatched: ({ accounts, stacks }) => {
      const isUnmatched = { account: unmatchedBy(accounts), stack: unmatchedBy(stacks.flatMap(namesOfStack)) };
      return rules.flatMap(({ team, ...rule }) =>
        (["account", "stack"] as const).flatMap((part) =>
          patternsIn(rule[part])
            .filter(isUnmatched[part])
            .map((pattern) => ({ team, part, pattern })),
        ),
      );
    },
  };
}

/** Whether a pattern matches none of the names. */
function unmatchedBy(names: readonly string[]): (pattern: string) => boolean {
  const known = new Set(names);
  return (pattern) => (isLiteral(pattern) ? !known.has(pattern) : !names.some(matcherFor(pattern)));
}

/** Each finding with its owner, as this file says; one that no rule matches has none. */
export const withOwner = <T extends Finding>(finding: T, owners: Owners): T =>
  omitUndefined({ ...finding, owner: owners.ownerOf(finding) }) as T;

/** What would never apply, or is misspelt. */
function problemOf(rules: readonly Rule[], named: readonly string[]): string | undefined {
  const all = rules.findIndex((rule) => conditionsOf(rule) === 0);
  if (all >= 0 && all < rules.length - 1)
    return `\`owners.${all}\` takes everything that the rules above it leave, so that those below it never apply: put it last.`;
  const teams = rules.map(({ team }) => team);
  const stray = named.find((team) => !teams.includes(team));
  if (stray !== undefined)
    return `\`teams\` names ${JSON.stringify(stray)}, which owns nothing by \`owners\`${didYouMean(stray, teams)}.`;
  const kind = rules.flatMap((rule) => patternsIn(rule.kind)).find((name) => name !== account && !specOf(name));
  return kind === undefined
    ? undefined
    : `\`kind\` does not know ${JSON.stringify(kind)}: it takes kinds such as Deployment.`;
}

/** The kind of a breach that is the account's as a whole. */
const account = "Account";

const conditionsOf = ({ team: _, ...conditions }: Rule): number =>
  Object.values(conditions).filter((condition) => condition !== undefined).length;

const patternsIn = (patterns: z.infer<typeof Patterns> | undefined): readonly string[] =>
  patterns === undefined ? [] : [patterns].flat();

const matcherFor = (pattern: string): ((name: string) => boolean) => {
  const steps = pathPattern(pattern);
  return (name) => matches(steps, name);
};

/** A stack goes by its short or full name. */
const namesOfStack = (stack: string): string[] =>
  stack.split("/").map((_, place, parts) => parts.slice(place).join("/"));

const ofAnnotation = (name: string): string => `annotation ${name}`;

const conditionsIn = ({ account, stack, kind, annotation = {} }: Rule): Conditions =>
  new Map(
    [
      ["account", patternsIn(account)] as const,
      ["stack", patternsIn(stack)] as const,
      ["kind", patternsIn(kind)] as const,
      ...Object.entries(annotation).map(([name, patterns]) => [ofAnnotation(name), patternsIn(patterns)] as const),
    ].filter(([, patterns]) => patterns.length > 0),
  );

const namesIn = ({ account, stacks, type, claimedBy, annotations = {} }: Owned): Names =>
  new Map<string, readonly string[]>([
    ["account", [account]],
    ["stack", (claimedBy ? [...stacks, claimedBy.stack] : stacks).flatMap(namesOfStack)],
    ["kind", [type]],
    ...Object.entries(annotations).map(([name, value]) => [ofAnnotation(name), [value]] as const),
  ]);

/** All conditions of a rule have to hold, each by one of its patterns. */
function matcherOf(rule: Rule): (names: Names) => boolean {
  const conditions = [...conditionsIn(rule)].map(([condition, patterns]) => ({
    condition,
    whole: new Set(patterns.filter(isLiteral)),
    others: patterns.filter((pattern) => !isLiteral(pattern)).map(matcherFor),
  }));
  return (names) =>
    conditions.every(({ condition, whole, others }) =>
      names.get(condition)?.some((name) => whole.has(name) || others.some((isMatch) => isMatch(name))),
    );
}
