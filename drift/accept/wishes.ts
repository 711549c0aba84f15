import { isDeepStrictEqual } from "node:util";
import { createTwoFilesPatch, diffLines } from "diff";
import { resetValue } from "../../provider/core/comparison/desired";
import { holdsSecret, opensUp } from "../../provider/core/declaration/openings";
import { isUnset } from "../../provider/core/fields/equality";
import { type Field, fieldsOnPath } from "../../provider/core/fields/fields";
import { isWithin, parsePath, type Values } from "../../provider/core/values/values";
import { inPreferredSpelling, writtenValue } from "../../provider/core/written-inputs";
import { hooksOf } from "../../provider/kinds/index";
import { specOf } from "../../provider/resources/index";
import { acceptanceKey } from "../scan/baseline";
import { shortHash } from "../scan/finding";
import { type Change as Drifted, type Finding, isInformational } from "../scan/finding-document";
import type { ProgramChange } from "./change";
import type { Obstacle } from "./declarations";
import type { SourceLocation } from "./program";
import type { NewStatement } from "./statements";

/** A part of a finding that the program says once the files are changed. */
export interface AcceptedPart {
  finding: Finding;
  path?: string;
  /** Where the program says it. */
  place?: SourceLocation | undefined;
}

export interface RewriteResult {
  accepted: AcceptedPart[];
  left: ManualPart[];
  files: FileChange[];
}

/** A stack of the project that has a resource, or may have it. */
export interface Holder {
  /** Full name. */
  stack: string;
  /** The resource's inputs by the stack's state; undefined where that is not at hand. */
  inputs?: Values;
}

/** What an edit of the program depends on besides its text. */
export interface ProgramDeps {
  /** The stacks of the project that have the resource of the finding. */
  holders(finding: Finding): readonly Holder[];
  /** Of a stack: where its config lies, and its text; undefined where there is no such file. */
  config(stack: string): { file: string; text: string | undefined };
  /** Declarations for objects that no stack manages, by resource name; the reason where there is none. */
  statements?: ReadonlyMap<string, NewStatement | string>;
}

/** A file before and after; undefined if it does not exist. */
export interface FileChange {
  /** Absolute. */
  file: string;
  before: string | undefined;
  after: string;
}

/** The changes as `git apply` takes them; `nameOf` is the file's path from where that is run. */
export const patchOf = (changes: readonly FileChange[], nameOf: (file: string) => string): string =>
  changes.map((change) => filePatch(change, nameOf(change.file))).join("");

function filePatch({ before, after }: FileChange, name: string): string {
  const [from, to] = [pathText(before === undefined ? "/dev/null" : `a/${name}`), pathText(`b/${name}`)];
  const hunks = createTwoFilesPatch(from, to, before ?? "", after, undefined, undefined, { context: 3 });
  const body = hunks.slice(hunks.indexOf("--- "));
  const head = `diff --git ${pathText(`a/${name}`)} ${to}\n${before === undefined ? "new file mode 100644\n" : ""}`;
  return `${head}${body}`;
}

/** Git quotes names with characters that its format has other uses for. */
const pathText = (path: string): string => (/["\\\p{Cc}]/u.test(path) ? JSON.stringify(path) : path);

/** The line of `before` that has become a line of `after`; of one that is new, the line that it follows. */
export function lineBefore(before: string, after: string, line: number): number {
  let [old, now, removedLines] = [1, 1, 0];
  for (const { count, added, removed } of diffLines(before, after)) {
    const isHere = !removed && line < now + count;
    if (isHere && !added) return old + line - now;
    if (isHere) return Math.max(1, Math.min(old - removedLines + line - now, old - 1));
    removedLines = removed ? count : 0;
    if (!added) old += count;
    if (!removed) now += count;
  }
  return old;
}

/** What a program is to say of one finding. */
export type ProgramEdit =
  /** Another value. */
  | { act: "say"; finding: Finding; path: string; change: ProgramChange }
  /** That the object no longer exists. */
  | { act: "drop"; finding: Finding }
  /** That there is another object. */
  | { act: "declare"; finding: Finding };

/** A part of a finding that needs a person. */
export interface ManualPart extends Obstacle {
  finding: Finding;
  path?: string | undefined;
  /** The rule that leaves it. */
  rule?: string | undefined;
  /** What `--allow` takes to let it pass. */
  allow?: string | undefined;
  /** What the program would have to say. */
  value?: unknown;
}

/** The rules that leave a part of a finding to a person unless `--allow` names rule and part. */
export const rules = ["loosening", "role", "public", "secret"] as const;
type WishRule = (typeof rules)[number];

/** One part of one finding, for as long as it is what somebody has looked at. */
const allowanceOf = (rule: WishRule, { finding, ...wish }: ProgramEdit): string => {
  const change = "path" in wish ? finding.changes.find(({ path }) => path === wish.path) : undefined;
  const { urn, stacks, verdict } = finding;
  return `${rule}:${shortHash(JSON.stringify([urn, stacks, verdict, change?.recorded, acceptanceKey(finding, change)]))}`;
};

interface WishOptions {
  /** What may pass, as `ManualPart` has it. */
  allow: ReadonlySet<string>;
  /** URNs, resource names and fields; empty: all. */
  only: readonly string[];
}

export const isManual = (wish: ProgramEdit | ManualPart): wish is ManualPart => "reason" in wish;

/**
 * What the findings ask of the program, and what a person has to look at first. What is suppressed asks nothing.
 */
export function editsFor(findings: readonly Finding[], { allow, only }: WishOptions): (ProgramEdit | ManualPart)[] {
  return findings
    .filter((finding) => finding.suppressed === undefined && !isInformational(finding))
    .flatMap((finding) => wishesOfFinding(finding))
    .filter((wish) => isChosen(wish, only))
    .map((wish) => applyGuards(wish, allow));
}

/** A field is named by its path or by a part that the path begins with. */
function isChosen(wish: ProgramEdit | ManualPart, only: readonly string[]): boolean {
  const { urn, name } = wish.finding;
  const path = "path" in wish ? wish.path : undefined;
  const isOf = (field: string): boolean => path !== undefined && isWithin(path, field);
  return only.length === 0 || only.some((each) => each === urn || each === name || isOf(each));
}

const unacceptable: Readonly<Record<string, string>> = {
  "drift/failed": "has failed, which no program can express",
  "drift/remade":
    "is a different object of the same name: review it, and give the program the `acceptDrift` of the finding",
  "drift/output": "was created by a job, so that no declaration of its own can say what it is",
  "drift/recorded-twice": "is recorded by several resources: remove it from all but one of them first",
};

function wishesOfFinding(finding: Finding): (ProgramEdit | ManualPart)[] {
  const reason = unacceptable[finding.ruleId];
  if (reason !== undefined) return [{ finding, reason }];
  switch (finding.verdict) {
    case "changed":
      return finding.changes.map((change) => wishOfChange(finding, change));
    case "missing":
      return [{ act: "drop", finding }];
    case "unmanaged":
      return [{ act: "declare", finding }];
    default:
      return [{ finding, reason: `could not be read: ${finding.reason}` }];
  }
}

function wishOfChange(
  finding: Finding,
  { path, recorded, live: answered, managed }: Drifted,
): ProgramEdit | ManualPart {
  const spec = specOf(finding.type);
  const segments = parsePath(path);
  const top = spec?.fields.message.find(({ name }) => name === segments[0]);
  if (!spec || !top) return { finding, path, reason: "is set by the service alone" };
  if (isHidden(recorded) || isHidden(answered)) return { finding, path, reason: secretReason, rule: "secret" };
  const along = fieldsOnPath(top, segments.slice(1));
  // Undeclared parts of a value are copied as they are.
  const field = along.length === segments.length ? along.at(-1) : undefined;
  const live = answered ?? (field && omittedValue(field));
  const none = live === undefined;
  const reset = none && field ? resetValue(field, {}) : undefined;
  if (reset !== undefined && reset !== null && !isUnset(field!, reset))
    return {
      finding,
      path,
      reason: `has no value live, and is ${JSON.stringify(reset)} where a program leaves it out`,
    };
  const spelled = none || !field ? live : spelling(field, live, recorded);
  const change: ProgramChange = {
    path: segments,
    field,
    fields: [...(spec.fields.resourceId ? [spec.fields.resourceId] : []), ...spec.fields.message],
    recorded: recorded ?? undefined,
    isSet: managed,
    live,
    spelled,
    desired: none || isSilent(along, live) ? undefined : spelled,
  };
  return { act: "say", finding, path, change };
}

/** As people write it, unless that is what the program says already: a shape, of which another version is live. */
function spelling(field: Field, live: unknown, recorded: unknown): unknown {
  const usual = inPreferredSpelling(field, live, {});
  return isDeepStrictEqual(usual, recorded) ? live : usual;
}

/** The value of a field that a response omits, if it is certain (A094). */
function omittedValue({ type, markers }: Field): unknown {
  if (type === "boolean") return false;
  return markers.resetTo === 0 ? 0 : undefined;
}

const secretReason = "is a secret, whose value no scan knows";

const isHidden = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value as { redacted?: unknown }).redacted === true;

/**
 * Whether a program that leaves the field out has this value. A watched field has to be written where leaving it out
 * means to keep the live value.
 */
function isSilent(along: readonly Field[], live: unknown): boolean {
  const field = along.at(-1)!;
  const [top] = along as [Field];
  if (top.markers.watched && (top.markers.onRemoval ?? "keep") === "keep") return false;
  // A key of a map is there even with an empty value.
  if (along.slice(0, -1).some(({ type, markers }) => markers.whole || markers.setOf || type === "map")) return false;
  // What a default depends on is another field, which the finding may not tell.
  if (typeof field.markers.resetTo === "object") return false;
  return writtenValue(field, live, {}) === undefined;
}

/** What opens something up is left, unless it is named. */
function applyGuards(wish: ProgramEdit | ManualPart, allow: ReadonlySet<string>): ProgramEdit | ManualPart {
  if (isManual(wish)) return wish;
  const opened = openedBy(wish);
  if (!opened) return wish;
  const allowance = allowanceOf(opened.rule, wish);
  if (allow.has(allowance)) return wish;
  const path = wish.act === "say" ? { path: wish.path, value: wish.change.spelled } : {};
  return { finding: wish.finding, ...path, ...opened, allow: allowance };
}

function openedBy(wish: ProgramEdit): { rule: WishRule; reason: string } | undefined {
  const { finding } = wish;
  const spec = specOf(finding.type);
  const loosening = { rule: "loosening" as const, reason: "loosens the policy" };
  if (finding.ruleId === "drift/loosened") return loosening;
  if (wish.act === "drop") return spec && hooksOf(spec).loosened ? loosening : undefined;
  if (wish.act === "declare") return spec && holdsSecret(spec) ? { rule: "secret", reason: secretReason } : undefined;
  const { recorded, live, path, fields } = wish.change;
  const top = fields.find(({ name }) => name === path[0]);
  const guard = top?.markers.opens;
  if (!top || !guard || !opensUp(guard, top, recorded, live)) return undefined;
  return { rule: guard.rule as WishRule, reason: `opens up \`${wish.path}\`` };
}
