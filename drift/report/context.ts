import { commandLine, ownCommand } from "../../io/text/command-line";
import { printable } from "../../io/text/printable";
import type { Format, Render } from "../../io/text/report-format";
import { groupBy } from "../../provider/core/values/grouping";
import type { LastScans, RemedyTimes } from "../history/store";
import type { DriftReport } from "../scan/document";
import { type Finding, isInformational } from "../scan/finding-document";
import { engineOf } from "./advice";

/** Where a report is displayed. */
export interface ReportContext {
  /** Characters in a line. */
  columns: number;
  /** Whether colours may be used. */
  color: boolean;
  /**
   * Folder of each stack's program, by the stack's name in the report: relative to the
   * repository's root, with `/`. Default: the root.
   */
  programs?: Readonly<Record<string, string>>;
  /** By a finding's fingerprint, where the programs have been read. */
  patches?: ReadonlyMap<string, FindingPatch> | undefined;
  /** Stacks of which only the built-in engine has written the state. */
  builtIn?: ReadonlySet<string> | undefined;
  /**
   * By a finding's fingerprint: what `accept --allow` has to name. It cannot edit a program for findings that
   * are absent. Default: it can for all, and needs none.
   */
  allowances?: ReadonlyMap<string, readonly string[]> | undefined;
  /** With a history. */
  remedies?: readonly RemedyTimes[] | undefined;
  lastScans?: LastScans | undefined;
  /** What is open and this scan has not read. */
  unread?: readonly Pick<Finding, "account" | "verdict" | "severity" | "owner">[] | undefined;
}

export type ReportWriter = Render<DriftReport, ReportContext>;
export type ReportFormat = Format<DriftReport, ReportContext>;

/** The edits that make a program declare the live value, and the parts left to a person, in words. */
export interface FindingPatch {
  /** For `git apply`; empty where there is nothing to edit. */
  patch: string;
  left: readonly string[];
}

/** A text to copy. */
export interface Remedy {
  title: string;
  text: string;
}

/** Findings that are no difference between the program and the live state. */
const undeclared: ReadonlySet<string> = new Set([
  "drift/failed",
  "drift/remade",
  "drift/output",
  "drift/recorded-twice",
]);

/** What a report does not say of the stacks, and commands depend on. */
type KnownOfStacks = Pick<ReportContext, "builtIn" | "allowances">;

/** How to accept a finding, and how to restore the desired state. */
export function remediesOf(
  finding: Finding,
  { scope }: Pick<DriftReport, "scope">,
  own?: FindingPatch,
  known: KnownOfStacks = {},
): Remedy[] {
  if (finding.suppressed !== undefined || !hasRemedy(finding)) return [];
  const patch = own?.patch ?? "";
  const isLeft = own !== undefined && own.left.length > 0;
  const allow = allowancesIn(finding, known);
  const isGuarded = allow !== undefined && allow.length > 0;
  const what = isLeft ? "Accept the rest" : "Accept it";
  const whole = isLeft && isGuarded ? "Accept all of it, once you have looked at it" : what;
  const remedies: [title: string, text: string | undefined][] = [
    [`${what}: a patch for \`git apply\``, isShowable(patch) ? patch : undefined],
    [
      `${whole}: run this in the program's folder`,
      acceptance(finding, scope.stacks, isLeft && patch === "" && !isGuarded ? undefined : allow).map(line)[0],
    ],
    ["Revert it", reversal(finding, known).map(line)[0]],
  ];
  return remedies.flatMap(([title, text]) => (text === undefined || text === "" ? [] : [{ title, text }]));
}

/** The same for findings of one cause, a line per stack. Each finding has its own patch. */
export function remediesOfAll(
  findings: readonly Finding[],
  { scope }: Pick<DriftReport, "scope">,
  known: KnownOfStacks = {},
): Remedy[] {
  const open = findings.filter((finding) => finding.suppressed === undefined && hasRemedy(finding));
  const commands: [title: string, calls: Call[]][] = [
    [
      "Accept them: run this in the program's folder",
      open.flatMap((finding) => acceptance(finding, scope.stacks, allowancesIn(finding, known))),
    ],
    ["Revert them", open.flatMap((finding) => reversal(finding, known))],
  ];
  return commands.flatMap(([title, calls]) => {
    const together = groupBy(calls, ({ before, of = "", after = [] }) => [...before, of, ...after].join(" "));
    const lines = [...together].flatMap(
      ([, all]) => line({ ...all[0]!, objects: [...new Set(all.flatMap(({ objects }) => objects))] }) ?? [],
    );
    return lines.length === 0 ? [] : [{ title, text: lines.join("\n") }];
  });
}

/** A stack's project; undefined of a stack that goes by its short name. */
export const projectIn = (stack: string): string | undefined => stack.split("/").at(-2);

const hasRemedy = (finding: Finding): boolean => !isInformational(finding) && !undeclared.has(finding.ruleId);

/** A call of a command that takes several objects. */
interface Call {
  /** The command and what it takes once. */
  before: readonly string[];
  /** The program that it edits: once for all of its stacks, as an edit for one alone would change the others. */
  of?: string;
  objects: readonly string[];
  after?: readonly string[];
}

const allowancesIn = ({ fingerprint }: Finding, { allowances }: KnownOfStacks): readonly string[] | undefined =>
  allowances ? allowances.get(fingerprint) : [];

/** `allow`: what it has to be allowed; undefined if no edit of the program accepts the finding. */
function acceptance(
  { verdict, stacks, urn, name }: Finding,
  scanned: readonly string[],
  allow: readonly string[] | undefined,
): Call[] {
  if (allow === undefined || !["changed", "missing", "unmanaged"].includes(verdict)) return [];
  const onlyScanned = scanned.length === 1 ? scanned[0] : undefined;
  const stack = stacks[0] ?? onlyScanned;
  if (stack === undefined) return [];
  const unmanaged = verdict === "unmanaged" ? ["--unmanaged"] : [];
  return [
    {
      before: [...ownCommand, "accept"],
      of: projectIn(stack) ?? stack,
      objects: [`--stack=${stack}`, ...unmanaged, `--only=${urn ?? name}`],
      after: [...allow.flatMap((each) => ["--allow", each]), "--write"],
    },
  ];
}

/** `up` does not restore what the program does not set. */
function reversal({ verdict, stacks: [stack], urn, changes }: Finding, { builtIn }: KnownOfStacks): Call[] {
  const isDeclared = verdict === "missing" || (verdict === "changed" && changes.some(({ managed }) => managed));
  if (!isDeclared || stack === undefined || urn === null) return [];
  return [
    { before: [...engineOf(stack, builtIn), "up", "--refresh", `--stack=${stack}`], objects: [`--target=${urn}`] },
  ];
}

function line({ before, objects, after = [] }: Call): string | undefined {
  return commandLine([...before, ...objects, ...after]);
}

/** Whether what is copied is what is seen. */
const isShowable = (text: string): boolean =>
  text.split("\n").every((each) => printable(each.replaceAll("\t", "")) === each.replaceAll("\t", ""));
