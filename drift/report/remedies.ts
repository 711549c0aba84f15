import { printable } from "../../io/text/printable";
import type { DriftReport, Finding } from "../scan/document";
import { isTold } from "../scan/nature";

/** The edits that would make a program declare what a finding found, and what is left to a person, in words. */
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

/** Findings that are no difference between what is declared and what is live. */
const undeclared: ReadonlySet<string> = new Set([
  "drift/failed",
  "drift/remade",
  "drift/output",
  "drift/recorded-twice",
]);

/** How to accept a finding, and how to restore the desired state. */
export function remediesOf(finding: Finding, { scope }: Pick<DriftReport, "scope">, own?: FindingPatch): Remedy[] {
  if (finding.suppressed !== undefined || isTold(finding) || undeclared.has(finding.ruleId)) return [];
  const patch = own?.patch ?? "";
  const isLeft = own !== undefined && own.left.length > 0;
  const what = isLeft ? "Accept the rest" : "Accept it";
  const remedies: [title: string, text: string | undefined][] = [
    [`${what}: a patch for \`git apply\``, isShowable(patch) ? patch : undefined],
    [
      `${what}: run this in the program's folder`,
      isLeft && patch === "" ? undefined : acceptCommand(finding, scope.stacks),
    ],
    ["Set it back", setBackCommand(finding)],
  ];
  return remedies.flatMap(([title, text]) => (text === undefined || text === "" ? [] : [{ title, text }]));
}

function acceptCommand({ verdict, stacks, urn, name }: Finding, scanned: readonly string[]): string | undefined {
  if (!["changed", "missing", "unmanaged"].includes(verdict)) return undefined;
  const onlyScanned = scanned.length === 1 ? scanned[0] : undefined;
  const stack = stacks[0] ?? onlyScanned;
  if (stack === undefined) return undefined;
  const unmanaged = verdict === "unmanaged" ? ["--unmanaged"] : [];
  return line("npx pulumi-modelplatform accept", [
    `--stack=${stack}`,
    ...unmanaged,
    `--only=${urn ?? name}`,
    "--write",
  ]);
}

/** `up` does not restore what the program does not set. */
function setBackCommand({ verdict, stacks: [stack], urn, changes }: Finding): string | undefined {
  const isDeclared = verdict === "missing" || (verdict === "changed" && changes.some(({ managed }) => managed));
  if (!isDeclared || stack === undefined || urn === null) return undefined;
  return line("pulumi up --refresh", [`--stack=${stack}`, `--target=${urn}`]);
}

/** A line for a POSIX shell, in which no word is more than a word. */
function line(command: string, words: readonly string[]): string | undefined {
  if (!words.every((word) => isShowable(word) && !word.includes("\n"))) return undefined;
  return [command, ...words.map(quoted)].join(" ");
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Whether what is copied is what is seen. */
const isShowable = (text: string): boolean =>
  text.split("\n").every((each) => printable(each.replaceAll("\t", "")) === each.replaceAll("\t", ""));
