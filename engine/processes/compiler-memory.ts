import { statSync } from "node:fs";
import { join } from "node:path";
import { keepOwn, readOwn } from "../../io/files/own";
import { digestOf, look, type PathQuestion } from "./looks";

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

/**
 * What the compiler of a program's process has answered to earlier ones. Nothing is believed that another user could
 * have written, nor anything after a change of a file that the compiler has read or missed.
 */
export class CompilerMemory {
  private readonly name: string;
  private kept: Kept | undefined;
  private hasChanged = false;

  constructor(
    private readonly folder: string,
    /** The compiler's main file. */
    compiler: string,
    program: string,
  ) {
    const { size, mtimeMs } = statSync(compiler);
    this.name = `${digestOf(JSON.stringify([compiler, size, mtimeMs, program])).replace(/\W/g, "")}.json`;
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
    return text === undefined ? undefined : { answer: JSON.parse(text) as T };
  }

  keep(key: string, answer: unknown): void {
    const text = plainJson(answer);
    if (text === undefined) return;
    this.valid.answers[key] = text;
    this.hasChanged = true;
  }

  /** Notes what the compiler looks at; `found` is what it got, where that says more than another look. */
  see(what: PathQuestion, path: string, found: string = look(what, path)): void {
    const key = `${what}:${path}`;
    if (this.valid.seen[key] === found) return;
    this.valid.seen[key] = found;
    this.hasChanged = true;
  }

  /** A program runs also where nothing can be kept. */
  save(): void {
    if (!this.hasChanged || !this.kept) return;
    try {
      keepOwn(this.folder, this.name, JSON.stringify(this.kept), days);
    } catch {
      // A full disk, or a folder that is gone.
    }
  }

  private get valid(): Kept {
    return (this.kept ??= stillTrue(read(join(this.folder, this.name))) ?? nothing());
  }
}

function read(file: string): Kept | undefined {
  try {
    return JSON.parse(readOwn(file) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

function stillTrue(kept: Kept | undefined): Kept | undefined {
  const isSame = ([key, found]: [string, string]): boolean => {
    const [what, ...path] = key.split(":");
    return look(what as PathQuestion, path.join(":")) === found;
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
