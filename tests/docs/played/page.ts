import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a page has its reader do, in order. */
export type Block =
  | { kind: "commands"; text: string }
  /** Commands for the Pulumi CLI alone. */
  | { kind: "cli commands"; text: string }
  /** `name`, relative to where the commands have led. */
  | { kind: "file"; name: string; text: string }
  /** What the commands before it print; `…` stands for anything. */
  | { kind: "output"; text: string }
  /** What no test plays, and why. */
  | { kind: "left"; text: string; reason: string }
  /** Code and data that is looked at, and not done. */
  | { kind: "shown"; text: string };

const fence = /^( *)```(\w*)\n(.*?)^\1```$/gms;

/**
 * Marks in a page's source, which its readers do not see. `goes on after` names the section of a page whose reader this
 * page has; the others are above a block.
 */
const marks = {
  goesOnAfter: /<!-- goes on after: (\S+)#(\S+) -->/,
  left: /<!-- not played: (.+) -->$/,
  needsCli: /<!-- needs the Pulumi CLI -->$/,
};

/** A page's blocks, behind those of the page that it goes on after. */
export function blocksOf(path: string): Block[] {
  const page = readFileSync(path, "utf8");
  const [, before, section] = marks.goesOnAfter.exec(page) ?? [];
  const earlier = before === undefined ? [] : blocksUpTo(join(dirname(path), before), section!);
  return [...earlier, ...fencedIn(page)];
}

/** A page's own blocks. */
export const ownBlocksOf = (path: string): Block[] => fencedIn(readFileSync(path, "utf8"));

/** The blocks of a page to the end of a section. */
function blocksUpTo(path: string, section: string): Block[] {
  const page = readFileSync(path, "utf8");
  const headings = [...page.matchAll(/^#+ (.*)$/gm)];
  const at = headings.findIndex(([, heading = ""]) => anchorOf(heading) === section);
  if (at < 0) throw new Error(`${path} has no section ${section}`);
  const left = [...page.slice(headings[at + 1]?.index ?? page.length).matchAll(fence)].length;
  const all = blocksOf(path);
  return all.slice(0, all.length - left);
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");

const fencedIn = (page: string): Block[] =>
  [...page.matchAll(fence)].map(({ 1: indent = "", 2: language = "", 3: text = "", index }) =>
    blockOf(language, text.replaceAll(new RegExp(`^${indent}`, "gm"), ""), page.slice(0, index).trimEnd()),
  );

function blockOf(language: string, text: string, before: string): Block {
  const [, reason] = marks.left.exec(before) ?? [];
  if (reason !== undefined) return { kind: "left", text, reason };
  if (language === "sh") return { kind: marks.needsCli.test(before) ? "cli commands" : "commands", text };
  if (language === "text" || language === "diff") return { kind: "output", text };
  if (language === "") throw new Error(`the page does not say what this is:\n${text}`);
  const paragraph = before.split("\n\n").at(-1) ?? "";
  const name = /`([\w.-]+\.(?:ts|py|json|yaml))`/.exec(paragraph)?.[1];
  return name === undefined ? { kind: "shown", text } : { kind: "file", name, text };
}
