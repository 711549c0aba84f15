import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { CostReport } from "../../governance/cost/report";
import { type MarkdownOptions, reviewMarkdown } from "../../governance/review/markdown";
import { previewIn, reviewOf, type StackReview } from "../../governance/review/report";

export const fixture = (name: string): string => join(__dirname, "fixtures", `${name}.json`);

/** What an engine wrote: `cli-changes`, `builtin-key`. */
export const recorded = (name: string): string => readFileSync(fixture(name), "utf8");

export const recordedCost = (): CostReport => CostReport.parse(JSON.parse(recorded("cost")));

export const reviewed = (text: string, options: Partial<Parameters<typeof reviewOf>[1]> = {}): StackReview =>
  reviewOf(previewIn(text), { name: "preview.json", ...options });

export const written = (reviews: readonly StackReview[], options: Partial<MarkdownOptions> = {}): string =>
  reviewMarkdown(reviews, { id: "default", maxLength: 60_000, ...options });

/** Markdown as somebody reads its source: entities in their characters. */
export const legible = (markdown: string): string =>
  markdown.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

export const html = (markdown: string): string => marked.parse(markdown, { async: false });

/** A user as a document of the Pulumi CLI has it. */
export const userUrn = (name: string): string =>
  `urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:User::${name}`;

interface UserStep {
  op?: string;
  name?: string;
  old?: object;
  new?: object;
}

export function userStep({ op = "create", name = "ada", old, new: fresh }: UserStep): object {
  const urn = userUrn(name);
  const stateOf = (inputs: object) => ({ urn, type: urn.split("::")[2], id: `accounts/a/users/${name}`, inputs });
  return { op, urn, ...(old && { oldState: stateOf(old) }), ...(fresh && { newState: stateOf(fresh) }) };
}

/** A preview of the Pulumi CLI. */
export const preview = (steps: readonly object[], more: object = {}): string => JSON.stringify({ steps, ...more });
