import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemTime } from "../../api/time";
import { baselineOf, latestExpiry } from "../../drift/baseline";
import type { Finding } from "../../drift/document";
import { patchOf } from "../../rewrite/patch";
import type { Program } from "../../rewrite/program";
import { rewrite } from "../../rewrite/rewrite";
import { type Refusal, type Wish, wishesOf } from "../../rewrite/wishes";
import type { Project } from "../../state/project";
import type { CliContext } from "../context";
import { writeText } from "../drift-report";
import { jsonText } from "../listing";
import type { AcceptFlags } from "./flags";
import type { Found } from "./found";
import { allowing, shortName } from "./outcome";
import { surroundingsOf } from "./surroundings";
import { rootOf } from "./worktree";

const defaultBaseline = "drift-baseline.json";

/** Asks what to do with each change, and returns those to accept, with those that nobody has decided about. */
export async function talk(
  found: Found,
  program: Program,
  project: Project,
  flags: AcceptFlags,
  context: CliContext,
): Promise<(Wish | Refusal)[]> {
  const all = wishesOf(found.findings, { allow: new Set(flags.allow ?? []), only: flags.only ?? [] });
  const root = await rootOf(project.folder);
  const chosen: (Wish | Refusal)[] = [];
  const back = new Set<string>();
  const around = await surroundingsOf(found, all, program, project, context);
  for (const [index, wish] of all.entries()) {
    const { files, left } = rewrite(program, [wish], { ...around, holders: () => [] });
    const [problem] = left;
    context.stdout.write(`\n${index + 1} of ${all.length}: ${subject(wish)}.\n`);
    context.stdout.write(problem ? `It cannot be accepted: ${why(problem)}.\n` : patchOf(files, root.nameOf));
    const answer = await choice(problem === undefined, context);
    if (answer === "accept") chosen.push(wish);
    else if (answer === "set back") back.add(wish.finding.urn ?? wish.finding.name);
    else if (answer === "ignore") await ignore(wish, found, flags, context);
    else chosen.push({ ...wish, reason: problem?.reason ?? "was left" } as Refusal);
  }
  if (back.size > 0) context.stdout.write(`\nTo set back what you chose:\n  ${setBack([...back])}\n`);
  return chosen;
}

const why = ({ reason, rule }: Refusal): string => `it ${reason}${allowing(rule)}`;

const subject = ({ finding, ...wish }: Wish | Refusal): string =>
  "path" in wish && wish.path !== undefined
    ? `\`${wish.path}\` of ${shortName(finding)}${valuesOf(finding, wish.path)}`
    : `${shortName(finding)} is ${finding.verdict}`;

/** Of a refusal the values stand in the finding. */
function valuesOf({ changes }: Finding, path: string): string {
  const change = changes.find((each) => each.path === path);
  return change ? ` is ${JSON.stringify(change.live)}, and was ${JSON.stringify(change.recorded)}` : "";
}

export const setBack = (urns: readonly string[]): string =>
  ["pulumi up --refresh", ...urns.map((urn) => `--target '${urn.replaceAll("'", "'\\''")}'`)].join(" ");

type Choice = "accept" | "set back" | "ignore" | "leave";

async function choice(mayAccept: boolean, context: CliContext): Promise<Choice> {
  const known: Readonly<Record<string, Choice>> = {
    ...(mayAccept && { a: "accept" }),
    s: "set back",
    i: "ignore",
    l: "leave",
  };
  const question = `${mayAccept ? "(a)ccept, " : ""}(s)et back, (i)gnore for a time, (l)eave? `;
  for (;;) {
    const answer = await context.ask(question);
    if (answer === undefined) return "leave";
    const chosen = known[answer.trim().toLowerCase().charAt(0)];
    if (chosen) return chosen;
  }
}

/** Adds it to the baseline, with who, why and until when. */
async function ignore(wish: Wish | Refusal, { report }: Found, flags: AcceptFlags, context: CliContext): Promise<void> {
  const now = (context.time ?? systemTime).now();
  const latest = latestExpiry(now);
  const asked = async (question: string, isGood: (answer: string) => boolean): Promise<string> => {
    for (;;) {
      const answer = (await context.ask(question))?.trim() ?? "";
      if (isGood(answer)) return answer;
    }
  };
  const owner = await asked("Who answers for it? ", (answer) => answer !== "");
  const reason = await asked("Why? ", (answer) => answer !== "");
  const expires = await asked(
    `Until which day (YYYY-MM-DD, up to ${latest})? `,
    (answer) => /^\d{4}-\d\d-\d\d$/.test(answer) && answer <= latest,
  );
  const path = "path" in wish ? wish.path : undefined;
  const changes = wish.finding.changes.filter((change) => path === undefined || change.path === path);
  const added = baselineOf(
    { ...report, findings: [{ ...wish.finding, changes }] },
    { owner, reason, expires, allowError: true },
  );
  const file = resolve(context.cwd, flags.baseline ?? defaultBaseline);
  const before = existsSync(file)
    ? (JSON.parse(await readFile(file, "utf8")) as typeof added)
    : { version: 1 as const, entries: [] };
  await writeText(file, jsonText({ ...before, entries: [...before.entries, ...added.entries] }));
  context.stdout.write(`Ignored until ${expires} by ${flags.baseline ?? defaultBaseline}.\n`);
}
