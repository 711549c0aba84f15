import { join } from "node:path";
import { codeOf } from "../../io/files/disk-error";
import { ceilings, readTextSync } from "../../io/files/read";
import { replaceFile } from "../../io/files/write";
import { printableJson } from "../../io/text/printable";
import { z } from "../../provider/core/zod";
import type { History } from "../history/history";
import { Occurrence } from "../history/records";
import { type LockWait, type News, underHistoryLock } from "../history/store";
import { MissingPart } from "../scan/document";
import { shortHash } from "../scan/finding";
import { type Finding, Time } from "../scan/finding-document";

/** What a receiver has not been told yet. Like a history it names findings, and keeps no values of theirs. */
const Untold = z.object({
  /** Fingerprints. */
  found: z.array(z.string()),
  worse: z.array(z.string()),
  resolved: z.array(Occurrence),
  missing: z.array(MissingPart.extend({ at: Time })).default([]),
});

const Message = Untold.extend({
  to: z.string(),
  /** Of the message, the same for each try to send it. */
  id: z.string(),
  /** A run is sending it, and until then no other one does. Milliseconds since 1970. */
  takenUntil: z.number().optional(),
});

const OutboxFile = z.object({ schemaVersion: z.literal(1), messages: z.array(Message) });

type Untold = z.infer<typeof Untold>;
type Message = z.infer<typeof Message>;

/** A message that this run sends, or what it would say. */
export interface Taken {
  id: string;
  news: News;
}

/** What of a scan is news for one receiver. */
export interface Tidings {
  /** The receiver, by a name that stays. */
  to: string;
  /** Of a message about this scan alone. */
  id: string;
  news: News;
  /** What the scan has found for the receiver, by which older news is told again. */
  findings: readonly Finding[];
  history: Pick<History, "open">;
}

/** Milliseconds after which a run that has not ended is held to be lost. */
const longestSending = 180_000;

/**
 * The messages of a history that have not arrived: a file beside its lines, changed under its lock. A run adds its news
 * before the history has it, so that what a crash or a receiver that is down leaves is sent by the next run, once: what
 * is here and not in the history the next run finds again.
 */
export class Outbox {
  constructor(
    private readonly folder: string,
    private readonly around: LockWait & { now(): number },
  ) {}

  /** What there is to tell, without taking it. */
  look(tidings: Tidings): Taken | undefined {
    return takenOf(this.combine(this.read(), tidings, untoldOf(tidings)).message, tidings);
  }

  /** Adds the news of a scan, for this run to take, or for the next one. The caller has the history's lock. */
  keep(tidings: Tidings): void {
    const before = this.read();
    const { message, others } = this.combine(before, tidings, untoldOf(tidings));
    this.write(before, [...others, message]);
  }

  /**
   * Takes what is kept, for this run to send. Undefined where there is nothing. What the scan has not read is told
   * later, by a message of its own: under the same id a receiver takes it for a repetition.
   */
  take(tidings: Tidings): Promise<Taken | undefined> {
    return this.change((messages) => {
      const { message, others } = this.combine(messages, tidings, nothing);
      const taken = takenOf(message, tidings);
      if (!taken) return [[...others, stillOpen(message, tidings)], taken];
      const told = new Set([...taken.news.found, ...taken.news.worse].map(({ fingerprint }) => fingerprint));
      const part = (isTold: boolean): Pick<Message, "found" | "worse"> => ({
        found: message.found.filter((fingerprint) => told.has(fingerprint) === isTold),
        worse: message.worse.filter((fingerprint) => told.has(fingerprint) === isTold),
      });
      const sent = { ...message, ...part(true), takenUntil: this.around.now() + longestSending };
      const left = stillOpen(
        { ...message, ...part(false), resolved: [], missing: [], id: shortHash(message.id) },
        tidings,
      );
      return [[...others, sent, left], taken];
    });
  }

  /** Ends what was taken: it has arrived, or is kept for the next run. */
  settle({ to }: Tidings, { id }: Taken, arrived: boolean): Promise<void> {
    return this.change((messages) => {
      const after = messages.flatMap((message): Message[] => {
        if (message.to !== to || message.id !== id) return [message];
        const { takenUntil: _, ...kept } = message;
        return arrived ? [] : [kept];
      });
      return [after, undefined];
    });
  }

  private combine(
    messages: readonly Message[],
    { to, id }: Tidings,
    fresh: Untold,
  ): { message: Message; others: Message[] } {
    const isFree = ({ takenUntil = 0, ...message }: Message): boolean =>
      message.to === to && takenUntil <= this.around.now();
    const waiting = messages.filter(isFree);
    const all = [...waiting, ...(isEmpty(fresh) ? [] : [fresh])];
    const [only] = waiting;
    return {
      message: { to, id: all.length === 1 && only ? only.id : id, ...all.reduce(joined, nothing) },
      others: messages.filter((message) => !isFree(message)),
    };
  }

  private read(): Message[] {
    try {
      return OutboxFile.parse(JSON.parse(readTextSync(this.path, ceilings.document))).messages;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
      throw new Error(
        `${this.path} is damaged, or another release wrote it: remove it, and what it keeps is not sent, but stays in the history`,
        { cause: error },
      );
    }
  }

  private change<T>(work: (messages: Message[]) => [after: Message[], result: T]): Promise<T> {
    return underHistoryLock(this.folder, this.around, () => {
      const before = this.read();
      const [after, result] = work(before);
      this.write(before, after);
      return result;
    });
  }

  private write(before: readonly Message[], all: readonly Message[]): void {
    const after = all.filter((message) => !isEmpty(message));
    if (before.length + after.length > 0)
      replaceFile(this.path, `${printableJson({ schemaVersion: 1, messages: after }, 2)}\n`);
  }

  private get path(): string {
    return join(this.folder, "unsent.json");
  }
}

const nothing: Untold = { found: [], worse: [], resolved: [], missing: [] };

const untoldOf = ({ news: { found, worse, resolved, missing = [] } }: Tidings): Untold => ({
  found: found.map(({ fingerprint }) => fingerprint),
  worse: worse.map(({ fingerprint }) => fingerprint),
  resolved: [...resolved],
  missing: [...missing],
});

const isEmpty = ({ found, worse, resolved, missing }: Readonly<Record<keyof Untold, readonly unknown[]>>): boolean =>
  found.length + worse.length + resolved.length + missing.length === 0;

/** Older news and newer: what came and went before anybody was told of it is none. */
function joined(older: Untold, newer: Untold): Untold {
  const gone = new Set(newer.resolved.map(({ fingerprint }) => fingerprint));
  const back = new Set(newer.found);
  const before = new Set(older.found);
  const found = new Set([...older.found.filter((each) => !gone.has(each)), ...newer.found]);
  const worse = [...older.worse.filter((each) => !gone.has(each)), ...newer.worse];
  return {
    found: [...found],
    worse: [...new Set(worse)].filter((each) => !found.has(each)),
    resolved: [
      ...older.resolved.filter(({ fingerprint }) => !back.has(fingerprint) && !gone.has(fingerprint)),
      ...newer.resolved.filter(({ fingerprint }) => !before.has(fingerprint)),
    ],
    missing: [
      ...new Map([...older.missing, ...newer.missing].map((each) => [`${each.part} ${each.name}`, each])).values(),
    ],
  };
}

/** What of a message may still be told once its objects are read again. */
const stillOpen = (message: Message, { history }: Tidings): Message => ({
  ...message,
  found: message.found.filter((fingerprint) => history.open.has(fingerprint)),
  worse: message.worse.filter((fingerprint) => history.open.has(fingerprint)),
  resolved: message.resolved.filter(({ fingerprint }) => !history.open.has(fingerprint)),
});

/** By the findings of now: what is not among them is not told, and neither is as gone what is open after all. */
function takenOf(message: Message, { findings, history }: Tidings): Taken | undefined {
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const findingsOf = (fingerprints: readonly string[]): Finding[] =>
    fingerprints.flatMap((fingerprint) => {
      const finding = byFingerprint.get(fingerprint);
      return finding && !finding.suppressed ? [finding] : [];
    });
  const news = {
    found: findingsOf(message.found),
    worse: findingsOf(message.worse),
    resolved: message.resolved.filter(({ fingerprint }) => !history.open.has(fingerprint)),
    missing: message.missing,
  };
  return isEmpty(news) ? undefined : { id: message.id, news };
}
