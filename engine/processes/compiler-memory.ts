import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readCached, writeCached } from "../../io/files/user-folders";

/** Answers of a compiler, valid while everything that it read for them is unchanged. */
interface CachedAnswers {
  /** Fingerprints by `kind:path`. */
  seen: Record<string, string>;
  /** As JSON, by the question's key. */
  answers: Record<string, string>;
}

export const keyOf = (question: readonly unknown[]): string => digestOf(JSON.stringify(question));

const nothing = (): CachedAnswers => ({ seen: {}, answers: {} });

/** Days after which a program that has not been changed is checked again. */
const days = 30;

interface MemoryOptions {
  folder: string;
  /** The compiler's main file. */
  compiler: string;
  /** The real path of the program's folder. */
  program: string;
  /** Each kind of process has its own file, so that two that end together do not overwrite each other. */
  of: "run" | "check";
}

/**
 * Remembers answers of a program's compiler across processes. Ignores files that another user could have written, and
 * all answers after a change of a file that the compiler has read or missed.
 */
export class CompilerCache {
  private readonly file: { folder: string; name: string };
  private cached: CachedAnswers | undefined;
  private readonly used = new Set<string>();
  private hasChanged = false;
  private readonly of: MemoryOptions["of"];

  constructor({ folder, compiler, program, of }: MemoryOptions) {
    const { size, mtimeMs } = statSync(compiler);
    const name = digestOf(JSON.stringify([compiler, size, mtimeMs, program, of])).replace(/\W/g, "");
    this.of = of;
    this.file = { folder, name: `${name}.json` };
  }

  /** The kept answer, or that of `ask`, which is kept if it is plain JSON and `isGood`. */
  answer<T>(question: readonly unknown[], ask: () => T, isGood: (answer: T) => boolean = () => true): T {
    // Computed before the compiler changes its arguments.
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

  /** Records what the compiler reads; `print`: its fingerprint, if already known. */
  note(what: ProbeKind, path: string, print: string = fingerprint(what, path)): void {
    const key = `${what}:${path}`;
    if (this.valid.seen[key] === print) return;
    this.valid.seen[key] = print;
    this.hasChanged = true;
  }

  /** Failures are ignored: a program also runs where nothing can be kept. */
  save(): void {
    if (!this.hasChanged || !this.cached) return;
    try {
      writeCached(this.file.folder, this.file.name, JSON.stringify({ ...this.cached, answers: this.answers() }), days);
    } catch {
      // A full disk, or a missing folder.
    }
  }

  /** A run keeps only answers it has used: others concern outdated texts. A check keeps all. */
  private answers(): CachedAnswers["answers"] {
    const all = Object.entries(this.valid.answers);
    return Object.fromEntries(this.of === "run" ? all.filter(([key]) => this.used.has(key)) : all);
  }

  private get valid(): CachedAnswers {
    return (this.cached ??= stillTrue(read(join(this.file.folder, this.file.name))) ?? nothing());
  }
}

/** A compiler by the names of its members. */
export type CompilerModule = Record<string, unknown>;

export type Member = (...args: unknown[]) => unknown;

/** The compiler's file system, which records every read. */
export function observeReads(sys: () => Record<string, Member>, memory: CompilerCache): Record<string, Member> {
  const noteAccess =
    (name: string, note: (path: string, answer: unknown) => void = () => {}) =>
    (path: string, ...rest: unknown[]) => {
      const answer = sys()[name]!(path, ...rest);
      note(path, answer);
      return answer;
    };
  const own: Record<string, unknown> = {
    readFile: noteAccess("readFile", (path, text) =>
      memory.note("text", path, textFingerprint(text as string | undefined)),
    ),
    fileExists: noteAccess("fileExists", (path) => memory.note("file", path)),
    directoryExists: noteAccess("directoryExists", (path) => memory.note("folder", path)),
    getDirectories: noteAccess("getDirectories", (path) => memory.note("entries", path)),
    // The file list of a project does not affect a file that is compiled by name.
    readDirectory: noteAccess("readDirectory"),
  };
  return new Proxy(own, {
    get: (_, name) => (name in own ? own[name as string] : sys()[name as string]),
  }) as Record<string, Member>;
}

function read(file: string): CachedAnswers | undefined {
  try {
    return JSON.parse(readCached(file) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function stillTrue(cached: CachedAnswers | undefined): CachedAnswers | undefined {
  const isSame = ([key, recordedPrint]: [string, string]): boolean => {
    const [what, ...path] = key.split(":");
    return fingerprint(what as ProbeKind, path.join(":")) === recordedPrint;
  };
  return cached && Object.entries(cached.seen).every(isSame) ? cached : undefined;
}

/** Undefined if JSON cannot hold it, such as a diagnostic that refers to a syntax tree. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

/** Probes of a path; each gives a text that changes with the content. */
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

/** The fingerprint of a text that has been read already. */
export const textFingerprint = (text: string | undefined): string =>
  text === undefined ? none : digestOf(withoutMark(text));

/** A request to check the types of a file that a program has transpiled. One line of JSON. */
export interface CheckRequest {
  /** The compiler's main file. */
  compiler: string;
  /** Where the check keeps its results. */
  folder: string;
  /** The compiler's options, as `ts-node` has read them. */
  settings: object;
  /** The program's files so far. */
  files: readonly string[];
  file: string;
  /** Fingerprint of the transpiled text. */
  text: string;
}

/** The answer to each request, in order: the compiler's errors as text, or empty. */
export interface TypeAnswer {
  errors: string;
}

/** The parts of the key under which a check remembers that this text has no errors. */
export const checkKeyParts = ({ file, text, settings }: CheckRequest): unknown[] => ["checked", file, text, settings];

/** The answer to a request whose text is no longer that of the program that runs. */
export const changedText = (file: string): string => `${file} was changed while its program ran: run it again.`;
