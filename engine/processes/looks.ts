import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

/** What can be asked about a path; every answer is a text that changes with what is there. */
const looks = {
  text: (path: string) => digestOf(textOf(path)),
  file: (path: string) => String(statSync(path, { throwIfNoEntry: false })?.isFile() === true),
  folder: (path: string) => String(statSync(path, { throwIfNoEntry: false })?.isDirectory() === true),
  entries: (path: string) => digestOf(readdirSync(path).sort().join("\0")),
};

export type PathQuestion = keyof typeof looks;

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

/** As compilers read a file. */
export const textOf = (path: string): string => withoutMark(readFileSync(path, "utf8"));

const none = "none";

export function look(what: PathQuestion, path: string): string {
  try {
    return looks[what](path);
  } catch {
    return none;
  }
}

/** The same for a text that has been read already. */
export const textLook = (text: string | undefined): string => (text === undefined ? none : digestOf(withoutMark(text)));
