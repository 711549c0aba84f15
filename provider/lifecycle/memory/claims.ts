import { createHash } from "node:crypto";
import { closeSync, fstatSync, readdirSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DiskError, toDiskError } from "../../../io/files/disk-error";
import { makePrivateFolder } from "../../../io/files/folders";
import { ceilings, readTextSync } from "../../../io/files/read";
import { openPrivate, removeFile } from "../../../io/files/write";
import type { DeclaredUrn, RecordedUrn } from "../../../io/text/urns";
import { entryIn } from "../../core/values/grouping";
import { z } from "../../core/zod";
import { type ObjectIdentity, objectKey } from "./history";
import { urnWithoutStack } from "./identity";

/** A line of the file: what a URN claims or is recorded to have, and the process that reports it. */
const Line = z.union([
  z.object({
    pid: z.number(),
    urn: z.string(),
    declared: z.array(z.string()),
    held: z.string().optional(),
    formers: z.array(z.object({ urn: z.string().optional(), name: z.string().optional() })).optional(),
  }),
  z.object({
    pid: z.number(),
    urn: z.string(),
    object: z.object({ name: z.string(), createTime: z.string().optional() }),
    how: z.enum(["shown", "read", "gone"]),
  }),
]);

interface ClaimsFileOptions {
  /** Folder of the runs of this user; created if missing. */
  folder: string;
  /** Identifies the run: the same for every process that works for one engine at one service. */
  run: string;
  pid: number;
  /** Whether a process of this machine is running. */
  isRunning(pid: number): boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A file of another run is removed after this time without a write if all its writers have ended. */
const quietMs = 10 * 60_000;

/**
 * Claims in one small file per run, which its processes append to. A line is one write at the end of the file, so lines
 * of several processes never mix. If the folder cannot be written, each process knows its own claims only.
 */
export function shareClaims(options: ClaimsFileOptions): ClaimExchange {
  const { folder, run, pid, isRunning, now } = options;
  const path = join(folder, `${createHash("sha256").update(run).digest("hex").slice(0, 32)}.jsonl`);
  let file: number | undefined;
  let unusable = false;
  let position = 0;
  let rest = "";
  /** Prefix of this process's lines, which it need not read. */
  const own = `{"pid":${pid},`;

  function isAbandoned(path: string): boolean {
    const lines = claimsIn(readTextSync(path, ceilings.state).split("\n"));
    return lines.length > 0 && !lines.some((line) => isRunning(line.pid));
  }

  /** Addresses of engines are reused: a file of this name may belong to an earlier run. */
  function removeAbandoned(): void {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".jsonl"))) {
      const other = join(folder, name);
      try {
        const quiet = other === path || now() - statSync(other).mtimeMs > quietMs;
        if (quiet && isAbandoned(other)) removeFile(other);
      } catch {
        // Another process was first.
      }
    }
  }

  function opened(): number | undefined {
    if (file !== undefined || unusable) return file;
    try {
      makePrivateFolder(folder);
      removeAbandoned();
      file = openPrivate(path, "append");
      // Claims nothing: a file with a running writer is not taken for an earlier run's.
      append(file, { pid, urn: "", declared: [] });
    } catch (error) {
      if (error instanceof DiskError) throw error;
      unusable = true;
    }
    return file;
  }

  /** A run that has begun to share its claims MUST NOT continue without doing so. */
  function append(to: number, line: ClaimMessage & { pid: number }): void {
    try {
      writeSync(to, `${JSON.stringify(line)}\n`);
    } catch (cause) {
      throw toDiskError(path, "written", cause);
    }
  }

  function receive(): ClaimMessage[] {
    const from = opened();
    const unread = from === undefined ? 0 : fstatSync(from).size - position;
    if (from === undefined || unread === 0) return [];
    const text = Buffer.alloc(unread);
    position += readSync(from, text, 0, unread, position);
    rest += text.toString("utf8");
    const end = rest.lastIndexOf("\n") + 1;
    const lines = rest.slice(0, end).split("\n");
    rest = rest.slice(end);
    return claimsIn(lines.filter((line) => !line.startsWith(own)))
      .filter((line) => line.pid !== pid && line.urn !== "")
      .map(({ pid: _, ...claims }) => claims as ClaimMessage);
  }

  return {
    receive,
    publish(message) {
      const into = opened();
      if (into !== undefined) append(into, { pid, ...message });
    },
    remove() {
      const isOurs = file !== undefined;
      if (file !== undefined) closeSync(file);
      file = undefined;
      unusable = true;
      if (isOurs) removeFile(path);
    },
  };
}

/** Readable lines; others are skipped. */
function claimsIn(lines: readonly string[]): z.infer<typeof Line>[] {
  return lines.flatMap((line) => {
    try {
      const parsed = Line.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}

/**
 * A former identity of a URN. Without `name`: any object under that URN that the program no longer declares. Without
 * `urn`: the object of that name, under any URN.
 */
type Former = { urn: RecordedUrn; name?: string } | { urn?: never; name: string };

/** What an engine reports of its state. */
interface EngineRecord {
  urn: RecordedUrn;
  object: ObjectIdentity;
  /** `read`: by a refresh. `gone`: no longer recorded. */
  how: "shown" | "read" | "gone";
}

interface UrnClaims {
  urn: DeclaredUrn;
  declared: readonly string[];
  held?: string | undefined;
  formers?: readonly Former[];
}

/** What a process reports to the others of its run. */
type ClaimMessage = UrnClaims | EngineRecord;

/** What a process reports to the others of its run. */
interface ClaimExchange {
  /** Messages since the last call, oldest first. */
  receive(): readonly ClaimMessage[];
  /** Visible to every other process when it returns. */
  publish(message: ClaimMessage): void;
  /** The run is over. */
  remove(): void;
}

const alone: ClaimExchange = { receive: () => [], publish: () => undefined, remove: () => undefined };

/**
 * What the declarations of one run claim. Every provider process of one engine reads and adds to it, so that an
 * explicit provider, a component's own copy of the package or a process that replaces another one in the middle of a
 * command knows all claims.
 */
export class RunClaims {
  private readonly byUrn = new Map<DeclaredUrn, UrnClaims>();
  private readonly declarers = new Map<string, Set<DeclaredUrn>>();
  private readonly holders = new Map<string, Set<DeclaredUrn>>();
  /** The URNs of this run's stack, by their part without the stack. */
  private readonly byTail = new Map<string, DeclaredUrn>();
  /** URNs by former identity: a former URN, or the name of an object. */
  private readonly byFormer = new Map<string, Set<DeclaredUrn>>();
  private readonly engineRecords = new EngineRecords();

  constructor(private readonly exchange: ClaimExchange = alone) {}

  /** Replaces what this URN declares. Returns the other URNs that declare some of `keys`, by key. */
  declare(urn: DeclaredUrn, keys: readonly string[]): Map<string, DeclaredUrn> {
    this.receive();
    const others = new Map<string, DeclaredUrn>();
    for (const key of keys) {
      const first = otherIn(this.declarers.get(key), urn);
      if (first !== undefined) others.set(key, first);
    }
    const known = this.byUrn.get(urn);
    const declared = keys.filter((key) => !others.has(key));
    if (declared.join("\n") !== known?.declared.join("\n")) this.put({ ...known, urn, declared });
    return others;
  }

  /**
   * This URN holds this object now: a diff left it in place, or a create or update returned it. Undefined: it holds
   * none.
   */
  hold(urn: DeclaredUrn, name: string | undefined): void {
    this.receive();
    const known = this.byUrn.get(urn);
    if (known?.held === name) return;
    this.put({ declared: [], ...known, urn, held: name });
  }

  /** This URN continues these former identities. */
  continueFrom(urn: DeclaredUrn, formers: readonly Former[]): void {
    this.receive();
    const known = this.byUrn.get(urn) ?? { urn, declared: [] };
    const formersSoFar = known.formers ?? [];
    const others = formers.filter(
      (former) =>
        former.urn !== (urn as string) &&
        !formersSoFar.some((each) => each.urn === former.urn && each.name === former.name),
    );
    if (others.length > 0) this.put({ ...known, formers: [...formersSoFar, ...others] });
  }

  /** The engine shows a record of the object, or this run has seen that it is deleted. */
  noteEngineRecord(urn: RecordedUrn, object: ObjectIdentity, how: EngineRecord["how"]): void {
    const showing = { urn, object, how };
    const records = this.engineRecords;
    const isNews = (how === "gone") === records.has(showing) || (how === "read" && !records.hasRefreshed);
    records.add(showing);
    try {
      if (isNews) this.exchange.publish(showing);
    } catch {
      // A refresh and a delete must work on a full disk; another process reads the state itself.
    }
  }

  /** The URN other than `urn` that holds the object. */
  otherHolderOf(name: string, urn: DeclaredUrn): DeclaredUrn | undefined {
    this.receive();
    return otherIn(this.holders.get(name), urn);
  }

  /** The URN other than `urn` that declares one of the keys. */
  otherDeclarerOf(keys: readonly string[], urn: DeclaredUrn): DeclaredUrn | undefined {
    this.receive();
    return keys.map((key) => otherIn(this.declarers.get(key), urn)).find((other) => other !== undefined);
  }

  /** The object that this URN holds. */
  heldBy(urn: DeclaredUrn): string | undefined {
    this.receive();
    return this.byUrn.get(urn)?.held;
  }

  /** The URN that continues with the object of that name, recorded under `former`; undefined if none does. */
  currentUrnOf(former: RecordedUrn, name: string): DeclaredUrn | undefined {
    this.receive();
    const isNamed = (each: Former): boolean => each.urn === undefined && each.name === name;
    const unchanged: DeclaredUrn = former as string;
    const isKnown = this.byUrn.has(unchanged);
    const isOf = (each: Former): boolean =>
      isNamed(each) || (each.urn === former && (each.name === undefined ? !isKnown : each.name === name));
    if (this.byUrn.get(unchanged)?.formers?.some(isNamed)) return undefined;
    const candidates = [...(this.byFormer.get(former) ?? []), ...(this.byFormer.get(name) ?? [])];
    return (
      candidates.find((urn) => this.byUrn.get(urn)!.formers!.some(isOf)) ??
      (isKnown ? undefined : this.byTail.get(urnWithoutStack(former)))
    );
  }

  /** What this run's engine has recorded under one of these URNs, in a stack of any name. */
  recordedUnder(urns: Iterable<RecordedUrn>): ObjectIdentity[] {
    this.receive();
    return this.engineRecords.under(urns);
  }

  /** A refresh of this run has read the state. */
  hasRefreshed(): boolean {
    this.receive();
    return this.engineRecords.hasRefreshed;
  }

  /** The run is over. */
  end(): void {
    this.exchange.remove();
  }

  private receive(): void {
    for (const message of this.exchange.receive())
      if ("how" in message) this.engineRecords.add(message);
      else this.apply(message);
  }

  private put(claims: UrnClaims): void {
    this.apply(claims);
    this.exchange.publish(claims);
  }

  private apply(claims: UrnClaims): void {
    const known = this.byUrn.get(claims.urn);
    for (const key of known?.declared ?? []) this.declarers.get(key)?.delete(claims.urn);
    if (known?.held !== undefined) this.holders.get(known.held)?.delete(claims.urn);
    this.byUrn.set(claims.urn, claims);
    this.byTail.set(urnWithoutStack(claims.urn), claims.urn);
    for (const key of claims.declared) entryIn(this.declarers, key).add(claims.urn);
    if (claims.held !== undefined) entryIn(this.holders, claims.held).add(claims.urn);
    for (const { urn, name } of claims.formers ?? []) entryIn(this.byFormer, urn ?? name).add(claims.urn);
  }
}

const otherIn = (urns: ReadonlySet<DeclaredUrn> | undefined, urn: DeclaredUrn): DeclaredUrn | undefined =>
  [...(urns ?? [])].find((other) => other !== urn);

/** The state of a run's engine, as far as the engine has reported it. */
class EngineRecords {
  /** By types and name: a record keeps the URN of the stack's former name until it is written again. */
  private readonly byUrnWithoutStack = new Map<string, Map<string, ObjectIdentity>>();
  hasRefreshed = false;

  add({ urn, object, how }: EngineRecord): void {
    const objects = this.byUrnWithoutStack.get(urnWithoutStack(urn)) ?? new Map<string, ObjectIdentity>();
    this.byUrnWithoutStack.set(urnWithoutStack(urn), objects);
    if (how === "read") this.hasRefreshed = true;
    if (how === "gone") objects.delete(objectKey(object));
    else objects.set(objectKey(object), object);
  }

  has({ urn, object }: EngineRecord): boolean {
    return this.byUrnWithoutStack.get(urnWithoutStack(urn))?.has(objectKey(object)) === true;
  }

  under(urns: Iterable<RecordedUrn>): ObjectIdentity[] {
    return [...urns].flatMap((urn) => [...(this.byUrnWithoutStack.get(urnWithoutStack(urn))?.values() ?? [])]);
  }
}
