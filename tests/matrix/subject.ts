import { account } from "../e2e/site";
import type { ResourceHost } from "../random/hosts";
import type { Values } from "../values";
import type { Fate, SubjectDeclaration } from "./fates";
import type { Variant } from "./kinds";

/** Which provider processes see a subject. */
export const layouts = ["one provider", "another account", "a provider that changes", "a nested copy"] as const;
export type Layout = (typeof layouts)[number];

/** One resource's way through one command; several share a stack. */
export interface Subject {
  /** In the names of everything that is its own. */
  tag: string;
  fate: Fate;
  variant: Variant;
  layout: Layout;
  host: ResourceHost;
}

export const accountOf = ({ layout }: Pick<Subject, "layout">): string =>
  layout === "another account" ? "other" : account;

export const groupType = "matrix:index:Group";

/** Resource options that a layout gives, and the URN types above the resource. */
const places: Readonly<Record<Layout, { opts: Values; above: readonly string[] }>> = {
  "one provider": { opts: {}, above: [] },
  "another account": { opts: { provider: "@other" }, above: [] },
  "a provider that changes": { opts: { provider: "@changing" }, above: [] },
  "a nested copy": { opts: { parent: "@nested" }, above: [groupType] },
};

interface Resource {
  of: string;
  copy?: "own" | "nested";
  args?: Values;
  opts?: Values;
}

type Resources = Readonly<Record<string, Resource>>;

const person = (userId: string, opts: Values = {}): Resource => ({
  of: "User",
  args: { userId, email: `${userId}@example.com`, role: "user" },
  opts,
});

const provider = (accountId: string, baseUrl: string, more: Values = {}): Resource => ({
  of: "Provider",
  args: { accountId, apiKey: { secret: `${accountId}-key` }, baseUrl, ...more },
});

/** What a layout needs in a program. */
const surroundings: Readonly<Record<Layout, (url: string, changed: boolean) => Resources>> = {
  "one provider": () => ({}),
  "another account": (url) => ({ other: provider("other", url) }),
  "a provider that changes": (url, changed) => ({
    changing: provider(account, url, { requestsPerSecond: changed ? 200 : 100 }),
  }),
  "a nested copy": () => ({ nested: { of: "Group" } }),
};

/** The program of a stack: two neighbours, whatever the layouts need, and what the subjects' programs say. */
export function documentOf(
  said: readonly { subject: Subject; program: readonly SubjectDeclaration[] }[],
  host: ResourceHost,
  { url, changed = false, failing }: { url: string; changed?: boolean; failing?: Subject | undefined },
): { from: string; resources: Resources } {
  return {
    from: host.entry,
    resources: {
      ...Object.assign({}, ...said.map(({ subject }) => surroundings[subject.layout](url, changed))),
      base: person("base"),
      beside: person("beside"),
      ...Object.assign({}, ...said.map(({ subject, program }) => resourcesOf(subject, program))),
      ...(failing && { faulty: faultyAfter(failing) }),
    },
  };
}

/** A resource that is refused, because its id is another's, once the subject has had its turn. */
const faultyAfter = (subject: Subject): Resource =>
  person("stranger", { dependsOn: [`@${nameOf(subject, subject.fate.program[0] ?? {})}`] });

/** The URN of a person beside the subjects. */
export const personUrn = (host: ResourceHost, name: string): string =>
  `urn:pulumi:dev::matrix::${host.token("User")}::${name}`;

function resourcesOf(subject: Subject, program: readonly SubjectDeclaration[]): Resources {
  const { tag, layout } = subject;
  const { parent } = places[layout].opts;
  const group = { [`${tag}-group`]: { of: "Group", opts: parent ? { parent } : {} } };
  const declared = program.map((declaration) => [nameOf(subject, declaration), resourceOf(subject, declaration)]);
  return { ...(program.some(({ grouped }) => grouped) && group), ...Object.fromEntries(declared) };
}

function resourceOf(subject: Subject, declaration: SubjectDeclaration): Resource {
  const { tag, variant, layout } = subject;
  const { content = "first", build = "first", adopt } = declaration;
  return {
    of: variant.kind,
    copy: layout === "a nested copy" ? "nested" : "own",
    args: { ...variant.inputs(tag, { content, build }, accountOf(subject)), ...(adopt && { adopt }) },
    opts: {
      dependsOn: ["@base"],
      ...places[layout].opts,
      ...(declaration.grouped && { parent: `@${tag}-group` }),
      ...(declaration.alias && { aliases: [aliasOf(subject, declaration)] }),
      ...(declaration.protect && { protect: true }),
      ...(declaration.retain && { retainOnDelete: true }),
      ...(declaration.replaceOnChanges && { replaceOnChanges: ["*"] }),
      ...(deletesFirst(subject.variant, subject.fate) && { deleteBeforeReplace: true }),
    },
  };
}

/** What it was called before: by the other name, or without the component around it. */
const aliasOf = ({ tag, layout }: Subject, { grouped }: SubjectDeclaration): Values => {
  if (!grouped) return { name: `${tag}-one` };
  return layout === "a nested copy" ? { parent: "@nested" } : { parent: "@none" };
};

/**
 * Where an id cannot be had twice, the program says that the old object goes first, so that the engine's own
 * replacements can work. Fates in which the provider asks for a replacement leave that to the provider.
 */
export const deletesFirst = (variant: Variant, fate: Fate): boolean =>
  variant.identity !== "automatic id" && !fate.title.includes("replaced");

export const nameOf = ({ tag }: Subject, { name = "one" }: Pick<SubjectDeclaration, "name">): string =>
  `${tag}-${name}`;

export function urnOf(subject: Subject, declaration: SubjectDeclaration): string {
  const { variant, layout, host } = subject;
  const above = [...places[layout].above, ...(declaration.grouped ? [groupType] : [])];
  const type = [...above, host.token(variant.kind)].join("$");
  return `urn:pulumi:dev::matrix::${type}::${nameOf(subject, declaration)}`;
}
