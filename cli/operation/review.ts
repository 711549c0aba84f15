import type { Command } from "commander";
import { UnreadableDocumentError } from "../../governance/cost/preview";
import { CostReport } from "../../governance/cost/report";
import { breachOf } from "../../governance/policies/cost-rules";
import { type Refusal, refusalIn, refusals, refusedRows } from "../../governance/review/gates";
import { reviewMarkdown } from "../../governance/review/markdown";
import {
  previewIn,
  reviewDocument,
  reviewOf,
  type StackReview,
  unreadableReview,
} from "../../governance/review/report";
import { printable, printableJson } from "../../io/text/printable";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, withHelpGroup } from "../command/flags";
import { hourlyCeiling } from "../command/hourly-ceiling";
import { inputFrom } from "../command/input";
import { writeReportFile } from "../command/output";

/** Something of one stack, or of every stack that no other flag names. */
interface OfStack<T> {
  stack: string | undefined;
  value: T;
}

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("review"), reviewFlags())
    .description(
      "Turns previews into the Markdown of a comment on a pull request: what is deleted, replaced or opened up comes first. Posts nothing, and needs no key, no state and no network.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform review --preview-json preview.json --exit-code 0",
        "pulumi preview --json | npx pulumi-modelplatform review --preview-json -",
        "npx pulumi-modelplatform review --preview-json staging=a.json --preview-json prod=b.json --exit-code prod=255 --output review.md",
        "npx pulumi-modelplatform review --preview-json preview.json --cost-json cost.json --fail-on delete,role --fail-above 120/h",
      ),
    )
    .addHelpText(
      "after",
      "Exit codes: 0 written, 1 failed preview or unreadable file, 2 refused by a gate,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: ReviewFlags) => run(flags, context));
}

const reviewFlags = () => [
  ...withHelpGroup("What is reviewed:", [
    fileFlag("--preview-json", "what `preview --json` printed; - is standard input; may be repeated, as stack=file"),
    fileFlag("--cost-json", "what `cost --format json` says of the same preview"),
    flag("--exit-code <[stack=]code>", "what the preview ended with; 0 and 7 are not failures", exitCode),
  ]),
  ...withHelpGroup("Gates:", [
    flag(
      "--fail-on <what>",
      `exit with 2 on any of ${refusals.join(", ")}; price=2x and price=10/h only from so much more on`,
      failOn,
    ),
    flag("--fail-above <amount>", "exit with 2 when an hour may cost more, such as 120/h", hourlyCeiling),
    flag("--strict", "what costs nobody knows how much is above --fail-above"),
  ]),
  ...withHelpGroup("Report:", [
    flag("--format <format>", "how it is written (default: markdown)", ["markdown", "json"]),
    flag("--output <file>", "write to this file"),
    flag("--max-length <characters>", "leave rows out beyond this length (default: 60000)", length),
    flag("--id <name>", "tells the comments of several projects apart (default: default)", id),
    flag("--commit <sha>", "the commit that was previewed", commit),
    flag("--link <url>", "where the whole preview is, with https", link),
  ]),
];

type ReviewFlags = FlagsOf<typeof reviewFlags>;

const fileFlag = <Name extends string>(name: Name, description: string) =>
  flag(`${name} <[stack=]file>`, description, (text: string, before: OfStack<string>[] = []): OfStack<string>[] => {
    const { stack, value } = ofStack(text);
    if (stack === "" || value === "")
      throw usageError(`${name} takes a file, or a stack and its file: prod=prod.json.`);
    return [...before, { stack, value }];
  });

function ofStack(text: string): OfStack<string> {
  const cut = text.indexOf("=");
  return cut < 0 ? { stack: undefined, value: text } : { stack: text.slice(0, cut), value: text.slice(cut + 1) };
}

function failOn(text: string, before: Refusal[] = []): Refusal[] {
  const refused = text.split(",").map((word) => {
    const refusal = refusalIn(word.trim());
    if (refusal !== undefined) return refusal;
    throw usageError(
      `--fail-on does not know ${JSON.stringify(word.trim())}; there are ${refusals.join(", ")}, and a price with a limit: price=2x, price=10/h.`,
    );
  });
  return [...before, ...refused];
}

function exitCode(text: string, before: OfStack<number>[] = []): OfStack<number>[] {
  const { stack, value } = ofStack(text);
  if (!/^\d{1,3}$/.test(value) || stack === "")
    throw usageError("--exit-code takes what the preview ended with, such as 0 or prod=255.");
  return [...before, { stack, value: Number(value) }];
}

/** Headings and counts alone take some hundred characters a stack. */
const shortest = 2000;

function length(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= shortest) return Number(text);
  throw usageError(`--max-length takes a number of characters from ${shortest} on, such as 60000.`);
}

function id(text: string): string {
  if (/^[A-Za-z0-9._-]{1,100}$/.test(text) && !text.includes("--")) return text;
  throw usageError("--id takes letters, digits, `.`, `_` and single `-`, such as `shop`.");
}

function commit(text: string): string {
  if (/^[0-9a-f]{7,64}$/i.test(text)) return text;
  throw usageError("--commit takes the hash of a commit, in hexadecimal.");
}

/** Written as it is, so nothing in it may end the link. */
function link(text: string): string {
  if (URL.canParse(text) && /^https:\/\/[\w.:/?&=%#~+,;-]+$/.test(text)) return text;
  throw usageError("--link takes an address with https, without spaces, brackets and quotes.");
}

async function run(flags: ReviewFlags, context: CliContext): Promise<void> {
  checkFlags(flags);
  const { reviews, text } = await context.signals.leave(() => reviewIn(flags, context));
  if (flags.output === undefined) context.stdout.write(text);
  else writeReportFile(flags.output, text, context);
  if (reviews.some(({ failed }) => failed)) context.exitCode = exitCodes.error;
  judge(reviews, flags, context);
}

async function reviewIn(flags: ReviewFlags, context: CliContext): Promise<{ reviews: StackReview[]; text: string }> {
  const reviews = await reviewsOf(flags, context);
  const text =
    flags.format === "json"
      ? `${printableJson(reviewDocument(reviews), 2)}\n`
      : reviewMarkdown(reviews, { ...flags, id: flags.id ?? "default", maxLength: flags.maxLength ?? 60_000 });
  return { reviews, text };
}

function checkFlags({ previewJson = [], strict = false, failAbove }: ReviewFlags): void {
  if (previewJson.length === 0)
    throw usageError("Name a preview: --preview-json preview.json, or - for standard input.");
  if (previewJson.filter(({ value }) => value === "-").length > 1)
    throw usageError("Standard input is one preview: only one --preview-json takes -.");
  if (strict && failAbove === undefined) throw usageError("--strict belongs to --fail-above: give a ceiling.");
}

async function reviewsOf(flags: ReviewFlags, context: CliContext): Promise<StackReview[]> {
  const reviews: StackReview[] = [];
  for (const { stack, value: file } of flags.previewJson ?? []) {
    const review = await reviewOfFile(file, stack, flags, context);
    const isSecond = review.unreadable === undefined && reviews.some((each) => each.stack === review.stack);
    reviews.push(
      isSecond
        ? refused(`${named(file)} is a second preview of the stack ${review.stack}.`, review.stack, context)
        : review,
    );
  }
  return reviews;
}

const named = (file: string): string => (file === "-" ? "Standard input" : file);

/** The sentence goes into the comment and to standard error: the other stacks are still written. */
function refused(sentence: string, stack: string, context: CliContext, code?: number): StackReview {
  context.exitCode = exitCodes.error;
  context.stderr.write(`error: ${printable(sentence)}\n`);
  return unreadableReview(stack, sentence, code);
}

async function reviewOfFile(
  file: string,
  stack: string | undefined,
  flags: ReviewFlags,
  context: CliContext,
): Promise<StackReview> {
  const name = stack ?? named(file);
  try {
    const preview = previewIn(await textOf(file, context));
    const own = [stack, preview.stack ?? name].filter((each) => each !== undefined);
    const cost = await costOf(flags.costJson, own, context);
    return reviewOf(preview, { name, exitCode: valueFor(flags.exitCode, own), cost });
  } catch (error) {
    if (!(error instanceof UnreadableDocumentError || error instanceof CommandError)) throw error;
    const sentence = error instanceof CommandError ? error.message : `${named(file)}: ${error.message}`;
    return refused(sentence, name, context, valueFor(flags.exitCode, [name]));
  }
}

/** The value for one of the names, otherwise the value for no stack in particular. */
const valueFor = <T>(list: readonly OfStack<T>[] = [], names: readonly string[]): T | undefined =>
  (
    list.find(({ stack }) => stack !== undefined && names.includes(stack)) ??
    list.find(({ stack }) => stack === undefined)
  )?.value;

async function costOf(
  list: readonly OfStack<string>[] | undefined,
  names: readonly string[],
  context: CliContext,
): Promise<CostReport | undefined> {
  const file = valueFor(list, names);
  if (file === undefined) return undefined;
  try {
    return CostReport.parse(JSON.parse(await textOf(file, context)));
  } catch (error) {
    const why = error instanceof CommandError ? error.message : `${file} is not what \`cost --format json\` writes.`;
    context.stderr.write(`error: ${printable(why)} The costs are left out.\n`);
    context.exitCode = exitCodes.error;
    return undefined;
  }
}

async function textOf(file: string, context: CliContext): Promise<string> {
  return (await inputFrom(file, context)).replace(/^\ufeff/, "");
}

const isOfPrice = (refusal: Refusal): boolean => refusal === "price" || typeof refusal === "object";

/** The gates, of which a failure goes first. */
function judge(
  reviews: readonly StackReview[],
  { failOn = [], failAbove, strict = false }: ReviewFlags,
  context: CliContext,
): void {
  const breaches = reviews.flatMap((review) => {
    const rows = refusedRows(review.rows, failOn);
    const first = rows[0] && `${rows[0].kind} ${rows[0].name}`;
    const refused = rows.length === 1 ? first : `${rows.length} rows, such as ${first}`;
    const about = rows.length === 0 ? [] : [`${review.stack}: --fail-on refuses ${refused}.`];
    const above = review.cost && breachOf(review.cost, { ceiling: failAbove, strict });
    return above === undefined ? about : [...about, `${review.stack}: ${above}`];
  });
  for (const breach of breaches) context.stderr.write(`${printable(breach)}\n`);
  if (breaches.length > 0 && context.exitCode === exitCodes.done) context.exitCode = exitCodes.aboveCeiling;
  const needing = failAbove === undefined ? failOn.find(isOfPrice) && "--fail-on price" : "--fail-above";
  if (needing === undefined || context.exitCode !== exitCodes.done) return;
  const uncosted = reviews.find(({ cost, rows }) => !cost && rows.some(({ spec }) => spec?.billing));
  if (uncosted) throw usageError(`${needing} needs the costs of ${uncosted.stack}: give --cost-json.`);
}
