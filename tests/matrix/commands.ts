import type { Fate } from "./fates";

/** What a command is to one resource, as far as ownership goes. */
export interface Action {
  verb: "up" | "preview" | "refresh" | "destroy" | "delete entry" | "taint" | "protect" | "rename" | "nothing";
  /** The resource is not among those that the command is about. */
  leavesOut?: boolean;
  /** Looks at the live objects first. */
  refreshes?: boolean;
  /** Makes it again, whether it differs or not. */
  replaces?: boolean;
  /** A failure ends nothing but what depends on it. */
  goesOn?: boolean;
  /** Protected resources are left in peace. */
  sparesProtected?: boolean;
}

/** Names in a command line. */
export interface Names {
  /** URNs of the subjects, those of the program and those of the state. */
  subjects: readonly string[];
  /** Those of the state alone. */
  known: readonly string[];
  /** One of the state for each subject. */
  recorded: readonly string[];
  /** A resource that every subject depends on. */
  base: string;
  /** A resource that has nothing to do with them. */
  beside: string;
}

export interface Command {
  title: string;
  action: Action;
  /** Command lines, one after the other. */
  lines(names: Names): readonly string[];
  /** Why there is no such cell. */
  impossible?(fate: Fate): string | undefined;
}

const flags = (flag: string, urns: readonly string[]): string => urns.map((urn) => `${flag} ${urn}`).join(" ");

const plain = (title: string, action: Action): Command => ({ title, action, lines: () => [title] });

const up: Action = { verb: "up" };
const preview: Action = { verb: "preview" };
const nothing: Action = { verb: "nothing" };
const refresh: Action = { verb: "refresh" };
const destroy: Action = { verb: "destroy" };

/** A command on entries of the state has none to take where nothing was made. */
const needsEntry = ({ steps }: Fate): string | undefined =>
  steps.some(
    (step) =>
      ("up" in step && step.up.length > 0 && step.refuse !== "create") || ("state" in step && step.state === "twin"),
  ) && !steps.some((step) => "state" in step && step.state === "pending create")
    ? undefined
    : "the state has no entry of it";

const needsName = (fate: Fate): string | undefined =>
  fate.program.length > 0 || needsEntry(fate) === undefined ? undefined : "neither the program nor the state has it";

/** Its component is no dependent of what it depends on. */
const isGrouped = ({ program }: Fate): string | undefined =>
  program.some(({ grouped }) => grouped) ? "the component around it depends on nothing" : undefined;

/** The engine takes for a replacement only what the state has before the program runs. */
const needsSameUrn = (fate: Fate): string | undefined =>
  needsEntry(fate) ??
  (fate.program.every(({ name, grouped }) => name === undefined && !grouped)
    ? undefined
    : "the state has no entry of its URN");

const oneEntry = (fate: Fate): string | undefined =>
  needsEntry(fate) ?? (fate.title.startsWith("pending delete") ? "two entries of the state have its URN" : undefined);

const onEntry = (line: string, action: Action): Command => ({
  title: line,
  action,
  lines: ({ recorded }) => recorded.map((urn) => `${line} ${urn}`),
  impossible: oneEntry,
});

const nameIn = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);

export const commands: readonly Command[] = [
  plain("up", up),
  plain("up --refresh", { ...up, refreshes: true }),
  plain("up --refresh --run-program", { ...up, refreshes: true }),
  {
    title: "up --target it",
    action: up,
    lines: ({ subjects }) => [`up ${flags("--target", subjects)}`],
    impossible: needsName,
  },
  {
    title: "up --target another",
    action: { ...up, leavesOut: true },
    lines: ({ beside }) => [`up --target ${beside}`],
  },
  {
    title: "up --target-dependents",
    action: up,
    lines: ({ base }) => [`up --target ${base} --target-dependents`],
    impossible: isGrouped,
  },
  {
    title: "up --exclude it",
    action: { ...up, leavesOut: true },
    lines: ({ subjects }) => [`up ${flags("--exclude", subjects)}`],
    impossible: needsName,
  },
  {
    title: "up --exclude-dependents",
    action: { ...up, leavesOut: true },
    lines: ({ base }) => [`up --exclude ${base} --exclude-dependents`],
    impossible: isGrouped,
  },
  { title: "up --exclude another", action: up, lines: ({ beside }) => [`up --exclude ${beside}`] },
  {
    title: "up --replace",
    action: { ...up, replaces: true },
    lines: ({ known }) => [`up ${flags("--replace", known)}`],
    impossible: needsSameUrn,
  },
  {
    title: "up --target-replace",
    action: { ...up, replaces: true },
    lines: ({ known }) => [`up ${flags("--target-replace", known)}`],
    impossible: needsSameUrn,
  },
  plain("up --continue-on-error", { ...up, goesOn: true }),
  {
    title: "up --plan",
    action: up,
    lines: () => ["preview --save-plan plan.json", "up --plan plan.json"],
  },
  plain("preview", preview),
  plain("preview --refresh", preview),
  plain("refresh", refresh),
  plain("refresh --preview-only", nothing),
  plain("refresh --run-program", refresh),
  {
    title: "refresh --target it",
    action: refresh,
    lines: ({ known }) => [`refresh ${flags("--target", known)}`],
    impossible: needsEntry,
  },
  {
    title: "refresh --target another",
    action: { ...refresh, leavesOut: true },
    lines: ({ beside }) => [`refresh --target ${beside}`],
  },
  plain("refresh --clear-pending-creates", refresh),
  plain("destroy", destroy),
  plain("destroy --refresh", { ...destroy, refreshes: true }),
  plain("destroy --run-program", destroy),
  {
    title: "destroy --target it",
    action: destroy,
    lines: ({ known }) => [`destroy ${flags("--target", known)}`],
    impossible: needsEntry,
  },
  {
    title: "destroy --target another",
    action: { ...destroy, leavesOut: true },
    lines: ({ beside }) => [`destroy --target ${beside}`],
  },
  plain("destroy --exclude-protected", { ...destroy, sparesProtected: true }),
  onEntry("state delete", { verb: "delete entry" }),
  onEntry("state taint", { verb: "taint" }),
  onEntry("state protect", { verb: "protect" }),
  {
    title: "state rename",
    action: { verb: "rename" },
    lines: ({ recorded }) => recorded.map((urn) => `state rename ${urn} ${nameIn(urn)}-later`),
    impossible: oneEntry,
  },
  plain("cancel", nothing),
];
