import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeSystemError } from "../../../io/files/disk-error";
import { assertWritable, makePrivateFolder } from "../../../io/files/folders";
import { GroupCommit } from "../../../io/files/group-commit";
import { appendLines, LineReader } from "../../../io/files/line-files";
import { ceilings, readTextSync, UnreadableFileError } from "../../../io/files/read";
import { type Environment, stateFolder } from "../../../io/files/user-folders";
import { removeFile, replaceFile } from "../../../io/files/write";
import { ConfigurationError } from "../../core/errors";
import { dayMs } from "../../core/values/grouping";
import { memoizeByText } from "../../core/values/once";
import { type CreateAttempt, type Fact, factIn, OwnershipHistory, type OwnershipJournal } from "./history";
import { projectOf, stackOf } from "./identity";

/** Folder of the ownership journal if none is set. */
export const journalFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** The folder of this run. */
export const journalFolderOf = ({ intents }: { intents?: string | undefined }, env: Environment): string =>
  intents ?? journalFolder(env);

/** A project may name any folder, so a file in it may be endless. */
const longest = 64 * 1024 * 1024;

const fileOf = memoizeByText(
  (stack: string): string => `${createHash("sha256").update(stack).digest("hex").slice(0, 40)}.jsonl`,
);

/**
 * A file of lines for each stack, to which all processes of a run append. Each read includes what others have
 * appended.
 */
export function journalIn(folder: string, now: () => number): OwnershipJournal {
  const stacks = new Map<string, StackFile>();
  const shortened = new Set<string>();
  /** Lines to append, by stack. */
  let waiting = new Map<string, string>();
  let tidied = false;

  const opened = (name: string): StackFile => {
    const known = stacks.get(name) ?? new StackFile(folder, name);
    stacks.set(name, known);
    return known;
  };

  const group = new GroupCommit(async () => {
    const linesOf = waiting;
    waiting = new Map();
    makePrivateFolder(folder);
    if (!tidied) tidyFolder(folder, now());
    tidied = true;
    for (const [stack, lines] of linesOf) {
      const file = opened(fileOf(stack));
      if (!shortened.has(stack)) shorten(file.path, now());
      shortened.add(stack);
      await file.append(lines);
    }
  });

  return {
    async append(fact) {
      const stack = stackOf(fact.urn);
      waiting.set(stack, `${waiting.get(stack) ?? ""}${JSON.stringify(fact)}\n`);
      await group.commit().catch((cause: unknown) => {
        throw unwritableError(folder, cause);
      });
    },
    objection() {
      try {
        assertWritable(folder);
        return undefined;
      } catch (cause) {
        return unwritableError(folder, cause).message;
      }
    },
    read: async (origin, account, stack) => readable(() => opened(fileOf(stack)).read(origin, account)),
    async readProject(origin, account, project) {
      const ofProject = journalsIn(folder)
        .map(opened)
        .filter((stack) => stack.mayBeOf(project));
      return readable(() => ofProject.map((stack) => stack.read(origin, account)));
    },
  };
}

/** What to do about a journal that is no longer read. */
export const moveJournalAdvice =
  "Move the file away: the next `up` begins another one, which knows of no create that an earlier run left.";

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof UnreadableFileError)) throw cause;
    throw new ConfigurationError(`the journal ${cause.path} ${cause.code}`, {
      code: "journal-unwritable",
      advice: moveJournalAdvice,
      topic: "the-journal-cannot-be-written",
      cause,
    });
  }
}

function unwritableError(folder: string, cause: unknown): ConfigurationError {
  const { reason, remedy = "Find out what is wrong with it" } = describeSystemError(cause);
  return new ConfigurationError(
    `the journal of what is about to be created cannot be written to ${folder}: ${reason}`,
    {
      code: "journal-unwritable",
      advice: `${remedy}, or set \`modelplatform:intents\` (MODELPLATFORM_INTENTS) to a folder that can be written.`,
      topic: "the-journal-cannot-be-written",
      cause,
    },
  );
}

/** Unfinished creates of a stack, or of every stack that ran on this machine. */
export const openAttemptsIn = (folder: string, stack?: string): CreateAttempt[] =>
  factsIn(folder, stack).flatMap((facts) => new OwnershipHistory(facts).open());

/** An object that a stack had last, and the service that has it. */
interface HeldObject extends Pick<Fact, "origin" | "account"> {
  name: string;
  /** The URN under which the stack's state held it. */
  holder: string;
}

/** Objects that the stack has neither deleted nor retained. */
export const heldObjectsIn = (folder: string, stack: string): HeldObject[] =>
  factsIn(folder, stack).flatMap((facts) =>
    new OwnershipHistory(facts).held().map(({ identity, holder }) => {
      const { origin, account } = facts[0]!;
      return { origin, account, name: identity.name, holder: holder! };
    }),
  );

/** The facts of a stack, or of each stack, about each account of each service. */
const factsIn = (folder: string, stack?: string): (readonly Fact[])[] =>
  journalsIn(folder)
    .filter((name) => stack === undefined || name === fileOf(stack))
    .flatMap((name) => new StackFile(folder, name).readAll());

function journalsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{40}\.jsonl$/.test(name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Holds the first fact of a journal, which names the project. */
const firstBytes = 4096;

/** The journal of one stack, by service and account. */
class StackFile {
  readonly path: string;
  private readonly lines: LineReader;
  private stack: string | undefined;
  private byAccount = new Map<string, Fact[]>();

  constructor(
    folder: string,
    private readonly name: string,
  ) {
    this.path = join(folder, name);
    this.lines = new LineReader(this.path, longest);
  }

  /** False only for a stack of another project. */
  mayBeOf(project: string): boolean {
    if (this.stack === undefined) this.receive(firstBytes);
    return this.stack === undefined || projectOf(this.stack) === project;
  }

  append(lines: string): Promise<void> {
    return appendLines(this.path, lines, (appended) => this.add(this.lines.take(appended)));
  }

  read(origin: string, account: string): readonly Fact[] {
    this.receive();
    return this.factsOf(origin, account);
  }

  /** The facts of each account of each service. */
  readAll(): (readonly Fact[])[] {
    this.receive();
    return [...this.byAccount.values()];
  }

  private receive(atMost?: number): void {
    const { lines, again } = this.lines.read(atMost);
    if (again) this.byAccount = new Map();
    this.add(lines);
  }

  private add(lines: readonly string[]): void {
    for (const line of lines) {
      const fact = factIn(line);
      if (fact && this.isOwn(stackOf(fact.urn))) this.factsOf(fact.origin, fact.account).push(fact);
    }
  }

  private isOwn(stack: string): boolean {
    if (this.stack === undefined && fileOf(stack) === this.name) this.stack = stack;
    return this.stack === stack;
  }

  private factsOf(origin: string, account: string): Fact[] {
    const key = JSON.stringify([origin, account]);
    const facts = this.byAccount.get(key) ?? [];
    this.byAccount.set(key, facts);
    return facts;
  }
}

/** An unfinished create may be the only trace of an object. */
const retentionMs = 180 * dayMs;

/** How long files are kept that are useful for minutes only. */
const shortLived = dayMs;

/** Shorter journals are left as they are. */
const long = 64 * 1024;

/** Another process of the same run may be appending to a journal that has just grown. */
const quiet = 60_000;

/**
 * Rewrites a journal without what is of no more use. Called before this process appends for the first time: its run
 * holds the stack's lock.
 */
function shorten(path: string, now: number): void {
  const before = statSync(path, { throwIfNoEntry: false });
  if (!before || before.size < long || now - before.mtimeMs < quiet) return;
  const facts = readTextSync(path, ceilings.state)
    .split("\n")
    .flatMap((line) => factIn(line) ?? []);
  const history = new OwnershipHistory(facts);
  const useful = facts.filter((fact) => history.hasOpenOrLive(fact) && now - fact.at < retentionMs);
  if (useful.length > facts.length / 2) return;
  const unless = (): boolean => statSync(path, { throwIfNoEntry: false })?.size !== before.size;
  replaceFile(path, useful.map((fact) => `${JSON.stringify(fact)}\n`).join(""), { unless });
}

/** Leftovers of broken writes, and the rates that processes with the same key share. */
const isShortLived = (name: string): boolean =>
  /^[0-9a-f]{40}\.(jsonl?\.[0-9a-f-]{36}(\.tmp)?|rate(\.new|\.lock|(\.lock)?\.[0-9a-f-]{36}(\.tmp)?)?)$/.test(name);

/** How long an unchanged file may stay, old notes included; undefined for files of another origin. */
function longestOf(name: string): number | undefined {
  if (isShortLived(name)) return shortLived;
  return /^[0-9a-f]{40}\.jsonl?$/.test(name) ? retentionMs : undefined;
}

/** Removes what is no longer of use. What cannot be done is left to the next process. */
function tidyFolder(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const longest = longestOf(name);
    const file = join(folder, name);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (longest !== undefined && changed !== undefined && now - changed > longest) removeFile(file);
  }
}
