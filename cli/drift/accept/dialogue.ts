import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { rewrite } from "../../../drift/accept/rewrite";
import { editsFor, type Holder, type ManualPart, type ProgramEdit, patchOf } from "../../../drift/accept/wishes";
import { baselineOf } from "../../../drift/scan/baseline";
import type { Finding } from "../../../drift/scan/finding-document";
import { latestExpiry } from "../../../drift/scan/verdicts";
import { ceilings, readText } from "../../../io/files/read";
import { jsonValue } from "../../../io/text/parse-problem";
import { dayOf } from "../../../provider/core/values/grouping";
import { z } from "../../../provider/core/zod";
import type { CliContext } from "../../command/context";
import { jsonText, writeReportFile } from "../../command/output";
import { baselineIn } from "../scan-files";
import type { AcceptFlags, AcceptInput } from "./findings";
import { allowHint, shortName } from "./outcome";
import { type AcceptContext, programDeps } from "./program";
import { rootOf } from "./worktree";

const defaultBaseline = "drift-baseline.json";

/** Asks what to do with each change, and returns those to accept, with those that nobody has decided about. */
export async function promptForChanges(
  acceptance: AcceptContext,
  flags: AcceptFlags,
): Promise<(ProgramEdit | ManualPart)[]> {
  const { input, program, project, context } = acceptance;
  const all = editsFor(input.findings, { allow: new Set(flags.allow ?? []), only: flags.only ?? [] });
  // What cannot be read cannot be added to, and is reported before anybody has answered.
  if (existsSync(baselineFile(flags, context)))
    await baselineIn(flags.baseline ?? defaultBaseline, context, context.time.now(), true);
  const root = await rootOf(project.folder);
  const chosen: (ProgramEdit | ManualPart)[] = [];
  const back = new Set<string>();
  const deps = await programDeps(acceptance, all);
  // What the other findings ask of the stacks that were looked at is not decided yet.
  const holders = (finding: Finding): readonly Holder[] =>
    deps.holders(finding).filter(({ stack }) => !input.stacks.includes(stack));
  for (const [index, wish] of all.entries()) {
    const { files, left } = rewrite(program, [wish], { ...deps, holders });
    const [problem] = left;
    context.stdout.write(`\n${index + 1} of ${all.length}: ${subject(wish)}.\n`);
    context.stdout.write(problem ? `It cannot be accepted: ${why(problem)}.\n` : patchOf(files, root.nameOf));
    const answer = await choice(choicesFor(wish, problem === undefined), context);
    if (answer === "accept") chosen.push(wish);
    else if (answer === "revert") back.add(wish.finding.urn!);
    else if (answer !== "ignore" || !(await ignore(wish, input, flags, context)))
      chosen.push({ ...wish, reason: problem?.reason ?? "was left" } as ManualPart);
  }
  if (back.size > 0) context.stdout.write(`\nTo revert what you chose:\n  ${setBack([...back])}\n`);
  return chosen;
}

const why = (part: ManualPart): string => `it ${part.reason}${allowHint(part)}`;

const subject = ({ finding, ...wish }: ProgramEdit | ManualPart): string =>
  "path" in wish && wish.path !== undefined
    ? `\`${wish.path}\` of ${shortName(finding)}${valuesOf(finding, wish.path)}`
    : `${shortName(finding)} is ${finding.verdict}`;

/** Of a refusal the values stand in the finding. */
function valuesOf({ changes }: Finding, path: string): string {
  const change = changes.find((each) => each.path === path);
  return change ? ` is ${JSON.stringify(change.live)}, and was ${JSON.stringify(change.recorded)}` : "";
}

const setBack = (urns: readonly string[]): string =>
  ["pulumi up --refresh", ...urns.map((urn) => `--target '${urn.replaceAll("'", "'\\''")}'`)].join(" ");

type Choice = "accept" | "revert" | "ignore" | "leave";

/** What the program says nothing of cannot be reverted to it. */
const choicesFor = ({ finding }: ProgramEdit | ManualPart, mayAccept: boolean): Choice[] => [
  ...(mayAccept ? (["accept"] as const) : []),
  ...(finding.urn === null ? [] : (["revert"] as const)),
  "ignore",
  "leave",
];

const wording: Readonly<Record<Choice, string>> = {
  accept: "(a)ccept",
  revert: "(r)evert",
  ignore: "(i)gnore for a time",
  leave: "(l)eave",
};

async function choice(choices: readonly Choice[], context: CliContext): Promise<Choice> {
  const question = `${choices.map((each) => wording[each]).join(", ")}? `;
  for (;;) {
    const answer = await context.prompt(question);
    if (answer === undefined) return "leave";
    const first = answer.trim().toLowerCase().charAt(0);
    const chosen = choices.find((each) => first !== "" && each.startsWith(first));
    if (chosen) return chosen;
  }
}

/** Adds it to the baseline, with who, why and until when; or not, where nobody answers. */
async function ignore(
  wish: ProgramEdit | ManualPart,
  { report }: AcceptInput,
  flags: AcceptFlags,
  context: CliContext,
): Promise<boolean> {
  const now = context.time.now();
  const latest = latestExpiry(now);
  const answerTo = async (question: string, isGood = (answer: string): boolean => answer !== "") => {
    for (;;) {
      const answer = (await context.prompt(question))?.trim();
      if (answer === undefined || isGood(answer)) return answer;
    }
  };
  const owner = await answerTo("Who answers for it? ");
  const reason = owner && (await answerTo("Why? "));
  const expires = reason && (await answerTo(`Until which day (YYYY-MM-DD, up to ${latest})? `, isDay(now, latest)));
  if (!owner || !reason || !expires) return false;
  const path = "path" in wish ? wish.path : undefined;
  const changes = wish.finding.changes.filter((change) => path === undefined || change.path === path);
  const added = baselineOf(
    { ...report, findings: [{ ...wish.finding, changes }] },
    { owner, reason, expires, allowError: true },
  );
  const file = baselineFile(flags, context);
  const before = existsSync(file)
    ? (jsonValue(await readText(file, ceilings.document), file) as typeof added)
    : { version: 1 as const, entries: [] };
  writeReportFile(file, jsonText({ ...before, entries: [...before.entries, ...added.entries] }), context);
  context.stdout.write(`Ignored until ${expires} by ${flags.baseline ?? defaultBaseline}.\n`);
  return true;
}

/** A day of the calendar, from today to `latest`. */
const isDay =
  (now: number, latest: string) =>
  (text: string): boolean =>
    z.iso.date().safeParse(text).success && text >= dayOf(now) && text <= latest;

const baselineFile = ({ baseline = defaultBaseline }: AcceptFlags, { cwd }: CliContext): string =>
  resolve(cwd, baseline);
