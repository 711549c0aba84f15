import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { keepCached, readCached } from "../../io/files/user-cache";

/** What a compiler has answered, and all that it has looked at for that: while that is the same, the answers are. */
interface Kept {
  /** By `look:path`. */
  seen: Record<string, string>;
  /** As JSON, by the question's key. */
  answers: Record<string, string>;
}

export const keyOf = (question: readonly unknown[]): string => digestOf(JSON.stringify(question));

const nothing = (): Kept => ({ seen: {}, answers: {} });

/** Days after which a program that has not been changed is checked again. */
const days = 30;

interface MemoryOptions {
  folder: string;
  /** The compiler's main file. */
  compiler: string;
  /** The real path of the program's folder. */
  program: string;
  /** Each kind of process has a file of its own: two that end together do not write over each other. */
  of: "run" | "check";
}

/**
 * What the compiler of a program has answered to earlier processes. Nothing is believed that another user could have
 * written, nor anything after a change of a file that the compiler has read or missed.
 */
export class CompilerMemory {
  private readonly file: { folder: string; name: string };
  private kept: Kept | undefined;
  private readonly used = new Set<string>();
  private hasChanged = false;
  private readonly of: MemoryOptions["of"];

  constructor({ folder, compiler, program, of }: MemoryOptions) {
    const { size, mtimeMs } = statSync(compiler);
    const name = digestOf(JSON.stringify([compiler, size, mtimeMs, program, of])).replace(/\W/g, "");
    this.of = of;
    this.file = { folder, name: `${name}.json` };
  }

  /** The kept answer, or `ask`'s, which is kept if it is one of plain values and `isGood`. */
  answer<T>(question: readonly unknown[], ask: () => T, isGood: (answer: T) => boolean = () => true): T {
    // Before the compiler changes what it is given.
    const key = keyOf(question);
    const known = this.recall<T>(key);
    if (known) return known.answer;
    const answer = ask();
    if (isGood(answer)) this.keep(key, answer);
    return answer;
  }

  recall<T>(key: string): { answer: T } | undefined {
    const text = this.valid.answers[key];
    this.used.add(key);
    return text === undefined ? undefined : { answer: JSON.parse(text) as T };
  }

  keep(key: string, answer: unknown): void {
    const text = plainJson(answer);
    if (text === undefined) return;
    this.valid.answers[key] = text;
    this.used.add(key);
    this.hasChanged = true;
  }

  /** Notes what the compiler looks at; `found` is what it got, where that says more than another look. */
  note(what: ProbeKind, path: string, found: string = fingerprint(what, path)): void {
    const key = `${what}:${path}`;
    if (this.valid.seen[key] === found) return;
    this.valid.seen[key] = found;
    this.hasChanged = true;
  }

  /** A program runs also where nothing can be kept. */
  save(): void {
    if (!this.hasChanged || !this.kept) return;
    try {
      keepCached(this.file.folder, this.file.name, JSON.stringify({ ...this.kept, answers: this.answers() }), days);
    } catch {
      // A full disk, or a folder that is gone.
    }
  }

  /** Of a run, those that it has asked for: others are about texts that are gone. A check notes each text it sees. */
  private answers(): Kept["answers"] {
    const all = Object.entries(this.valid.answers);
    return Object.fromEntries(this.of === "run" ? all.filter(([key]) => this.used.has(key)) : all);
  }

  private get valid(): Kept {
    return (this.kept ??= stillTrue(read(join(this.file.folder, this.file.name))) ?? nothing());
  }
}

/** A compiler by the names of its members. */
export type CompilerModule = Record<string, unknown>;

export type Member = (...args: unknown[]) => unknown;

/** The compiler's way to the disk, with a note of each look. */
export function observed(sys: () => Record<string, Member>, memory: CompilerMemory): Record<string, Member> {
  const noted =
    (name: string, note: (path: string, answer: unknown) => void = () => {}) =>
    (path: string, ...rest: unknown[]) => {
      const answer = sys()[name]!(path, ...rest);
      note(path, answer);
      return answer;
    };
  const own: Record<string, unknown> = {
    readFile: noted("readFile", (path, text) => memory.note("text", path, textFingerprint(text as string | undefined))),
    fileExists: noted("fileExists", (path) => memory.note("file", path)),
    directoryExists: noted("directoryExists", (path) => memory.note("folder", path)),
    getDirectories: noted("getDirectories", (path) => memory.note("entries", path)),
    // Which files a project includes makes no difference to one that is asked for by name.
    readDirectory: noted("readDirectory"),
  };
  return new Proxy(own, {
    get: (_, name) => (name in own ? own[name as string] : sys()[name as string]),
  }) as Record<string, Member>;
}

function read(file: string): Kept | undefined {
  try {
    return JSON.parse(readCached(file) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function stillTrue(kept: Kept | undefined): Kept | undefined {
  const isSame = ([key, found]: [string, string]): boolean => {
    const [what, ...path] = key.split(":");
    return fingerprint(what as ProbeKind, path.join(":")) === found;
  };
  return kept && Object.entries(kept.seen).every(isSame) ? kept : undefined;
}

/** Undefined for what JSON cannot hold, such as a diagnostic that refers to the tree of a file. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

/** What can be asked about a path; every answer is a text that changes with what is there. */
const probes = {
  text: (path: string) => digestOf(textOf(path)),
  file: (path: string) => String(statSync(path, { throwIfNoEntry: false })?.isFile() === true),
  folder: (path: string) => String(statSync(path, { throwIfNoEntry: false })?.isDirectory() === true),
  entries: (path: string) => digestOf(readdirSync(path).sort().join("\0")),
};

type ProbeKind = keyof typeof probes;
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

/** As compilers read a file. */
export const textOf = (path: string): string => withoutMark(readFileSync(path, "utf8"));
const none = "none";

export function fingerprint(what: ProbeKind, path: string): string {
  try {
    return probes[what](path);
  } catch {
    return none;
  }
}

/** The same for a text that has been read already. */
export const textFingerprint = (text: string | undefined): string =>
  text === undefined ? none : digestOf(withoutMark(text));

/** What a program's process asks to be checked: a file that it has transpiled and not checked. One line of JSON. */
export interface CheckRequest {
  /** The compiler's main file. */
  compiler: string;
  /** Where the check keeps what it has found. */
  folder: string;
  /** The compiler's options, as `ts-node` has read them. */
  settings: object;
  /** What the program consists of so far. */
  files: readonly string[];
  file: string;
  /** As `look` sees the text that was transpiled. */
  text: string;
}

/** What the check answers to each request, in order: the errors as the compiler prints them, empty without any. */
export interface TypeAnswer {
  errors: string;
}

/** By which a check remembers that a file with this text was without errors. */
export const checkKeyParts = ({ file, text, settings }: CheckRequest): unknown[] => ["checked", file, text, settings];
