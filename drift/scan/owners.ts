import { matches, type PatternStep } from "../../io/text/glob";
import { didYouMean } from "../../provider/core/values/did-you-mean";
import { omitUndefined } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { specOf } from "../../provider/resources/index";
import type { DriftReport, Finding, UnmatchedOwner } from "./document";
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
  const compiled = rules.map((rule) => ({ rule, matches: matcherOf(rule) }));
  return {
    teams: [...new Set(rules.map(({ team }) => team))],
    destinations: new Map(Object.entries(named)),
    ownerOf: (finding) => compiled.find((each) => each.matches(finding))?.rule.team,
    unmatched: ({ accounts, stacks }) =>
      rules.flatMap(({ team, account, stack }) => [
        ...patternsIn(account)
          .filter((pattern) => !accounts.some(nameMatcher(pattern)))
          .map((pattern) => ({ team, part: "account" as const, pattern })),
        ...patternsIn(stack)
          .filter((pattern) => !stacks.some(stackMatcher(pattern)))
          .map((pattern) => ({ team, part: "stack" as const, pattern })),
      ]),
  };
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

type Matcher = (name: string) => boolean;

const matcherFor =
  (steps: readonly PatternStep[]): Matcher =>
  (name) =>
    matches(steps, name);

const nameMatcher = (pattern: string): Matcher => matcherFor(pathPattern(pattern));

/** A stack goes by its short or full name: as many parts of it are compared as the pattern has. */
function stackMatcher(pattern: string): Matcher {
  const isMatch = nameMatcher(pattern);
  const parts = pattern.split("/").length;
  return (stack) => isMatch(stack) || isMatch(stack.split("/").slice(-parts).join("/"));
}

/** All conditions of a rule have to hold, each by one of its patterns. */
function matcherOf(rule: Rule): (finding: Owned) => boolean {
  const oneOf = (patterns: z.infer<typeof Patterns> | undefined, matcher: (pattern: string) => Matcher) => {
    const matchers = patternsIn(patterns).map(matcher);
    return (names: readonly string[]): boolean =>
      patterns === undefined || matchers.some((isMatch) => names.some(isMatch));
  };
  const [ofAccount, ofStack, ofKind] = [
    oneOf(rule.account, nameMatcher),
    oneOf(rule.stack, stackMatcher),
    oneOf(rule.kind, (kind) => (name) => name === kind),
  ];
  const ofAnnotations = Object.entries(rule.annotation ?? {}).map(
    ([name, patterns]) => [name, oneOf(patterns, nameMatcher)] as const,
  );
  return ({ account: name, stacks, type, claimedBy, annotations = {} }) =>
    ofAccount([name]) &&
    ofStack(claimedBy ? [...stacks, claimedBy.stack] : stacks) &&
    ofKind([type]) &&
    ofAnnotations.every(([key, isMatch]) => Object.hasOwn(annotations, key) && isMatch([annotations[key]!]));
}
