import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import type * as commandLines from "../../io/text/command-line";
import { root, sourcesOfRooms } from "../rooms";

/** Which calls in the code write command lines for people, and which of them have written what a test pastes. */

/** What writes them, and what the life cycle wraps it in. */
const writers = ["commandLine", "quotedCommand"];
const wrapping = "provider/lifecycle/commands.ts";
const wrappers = ["stackCommand", "recoveringUp", "forgetting", "importing", "freeing", "objectCommand"];
const own = ["io/text/command-line.ts", wrapping];

/** A call that writes one: where it is, and the words that are fixed in it. */
interface Site {
  file: string;
  line: number;
  column: number;
  /** `provider/lifecycle/update.ts objectDeletedError: refresh`. */
  key: string;
}

const callOfOne = new RegExp(`\\b(?:${[...writers, ...wrappers].join("|")})\\(`);

function sitesIn(file: string): Site[] {
  const text = readFileSync(join(root, file), "utf8");
  if (!callOfOne.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Site[] = [];
  const visit = (node: ts.Node, within: string): void => {
    const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isVariableDeclaration(node);
    const isOuter = within === "" || ts.isMethodDeclaration(node);
    const name = isNamed && isOuter ? (node.name?.getText() ?? within) : within;
    if (ts.isCallExpression(node) && [...writers, ...wrappers].includes(node.expression.getText())) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
      const words = [...node.getText().matchAll(/"([a-z-]+)"/g)].map(([, word]) => word).join(" ");
      const key = `${file} ${name}: ${words || node.expression.getText()}`;
      found.push({ file, line: line + 1, column: character + 1, key });
    }
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(source, "");
  return found;
}

const sites: readonly Site[] = sourcesOfRooms()
  .filter((file) => !own.includes(file) && !file.startsWith("tools/"))
  .flatMap(sitesIn);

export const written: ReadonlySet<string> = new Set(sites.map(({ key }) => key));

/** By line: the calls that have written it. */
const writing = new Map<string, Set<string>>();
const pasted = new Set<string>();

/** The call at which a frame of the stack stands, past those that write for others. */
function callerOf(stack: string): string | undefined {
  for (const [, path, line, column] of stack.matchAll(/\(?(\/[^():]+):(\d+):(\d+)\)?$/gm)) {
    const file = relative(root, path!);
    if (own.includes(file) || file.startsWith("tests/")) continue;
    const [nearest] = sites
      .filter((site) => site.file === file && site.line === Number(line))
      .sort((one, other) => Math.abs(one.column - Number(column)) - Math.abs(other.column - Number(column)));
    return nearest?.key;
  }
  return undefined;
}

/** A program may keep the stacks of its errors short. */
function stackHere(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 20;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** The module, which also notes who writes what. */
export function noting(actual: typeof commandLines): typeof commandLines {
  const note = <T extends string | undefined>(text: T): T => {
    const key = text === undefined ? undefined : callerOf(stackHere());
    const line = text?.replace(/^`|`$/g, "") ?? "";
    if (key !== undefined) writing.set(line, (writing.get(line) ?? new Set()).add(key));
    return text;
  };
  return {
    ...actual,
    commandLine: (...words) => note(actual.commandLine(...words)),
    quotedCommand: (...words) => note(actual.quotedCommand(...words)),
  };
}

/** A test runs the line as it is printed, and looks at what the text promises. */
export function notePasted(line: string): void {
  for (const key of writing.get(line) ?? []) pasted.add(key);
}

/** What no other test has written comes from this one. */
export const forgetWritten = (): void => writing.clear();

/** The calls that have written no line which a test has pasted. */
export const unpasted = (): string[] => [...written].filter((key) => !pasted.has(key)).sort();
