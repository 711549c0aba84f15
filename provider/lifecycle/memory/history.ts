import type { RecordedUrn } from "../../../io/text/urns";
import { entryIn, groupBy } from "../../core/values/grouping";
import { canonicalBaseUrl, projectOf, stackOf, urnWithoutStack } from "./identity";

/** One object for good: a name returns, a name with its creation time does not. Some kinds have no creation time. */
export interface ObjectIdentity {
  name: string;
  createTime?: string | undefined;
}

/** Distinguishes an object from every other one of its account. */
export const objectKey = ({ name, createTime = "" }: ObjectIdentity): string => `${name} ${createTime}`;

/** What only one live object can have at a time: a name, or a natural key, recorded only as a digest. */
export interface Slot {
  name?: string | undefined;
  keyDigest?: string | undefined;
}

/** What a create sent, by path, as salted digests: enough to recognise it, without values of inputs. */
export interface SentDigests {
  salt: string;
  fields: Record<string, string>;
}

/** What every fact records beside the event. */
export interface FactContext {
  kind: string;
  urn: RecordedUrn;
  /** Base URL of the service. */
  origin: string;
  account: string;
  /** This machine's clock, in milliseconds since 1970. */
  at: number;
}

/** A create is about to be sent. */
export interface SentFact {
  fact: "sent";
  /** Identifies the attempt. */
  id: string;
  place: Slot;
  /** The service's clock, at most a second behind; absent if unknown. */
  clock?: number | undefined;
  /** By the same clock: an object created later is not the result. */
  until?: number | undefined;
  /** Digest of the inputs. */
  digest: string;
  sent?: SentDigests | undefined;
  /** For settings, which always exist: their version before the change. */
  version?: string | undefined;
  /** And what they were, which their removal may restore. */
  previous?: Readonly<Record<string, unknown>> | undefined;
  /** The service was asked right before, and nothing had the name or the key. */
  absent?: true | undefined;
}

interface About {
  object: ObjectIdentity;
  keyDigest?: string | undefined;
}

/** What happened to a create or an object. Holds no value of an input, and of the service what settings were before. */
export type Event =
  | SentFact
  /**
   * The attempt certainly created nothing. `refused`: according to its response; the conflicting object may be its own
   * result, sent twice by a gateway.
   */
  | { fact: "void"; id: string; refused?: true }
  /** The object is about to be changed. */
  | (About & { fact: "writing"; id: string })
  /** A delete of the object is about to be sent. */
  | (About & { fact: "deleting"; id: string })
  /** The outcome of that change is known; or the delete was refused, or the object was seen since. */
  | { fact: "written"; id: string }
  /** A request of that URN created the object, as its response or later evidence proves. */
  | (About & { fact: "made" })
  /** A state holds the object under that URN. */
  | (About & { fact: "held"; adopted?: true | undefined })
  /** The object was deleted, or its stack retained it and no longer manages it. */
  | (About & { fact: "gone" });

export type Fact = Event & FactContext;

/**
 * What happened to the creates and objects of stacks, in order and append-only. The arrays grow by later facts,
 * including those of other processes; a shortened journal gets a new array.
 */
export interface OwnershipJournal {
  /** Durable when it resolves. */
  append(fact: Fact): Promise<void>;
  /** Why `append` would reject, as far as that shows without a write. */
  objection?(): string | undefined;
  /** The facts of one stack in one account of one service. */
  read(origin: string, account: string, stack: string): Promise<readonly Fact[]>;
  /** The same of every stack of a project that ran on this machine. */
  readProject(origin: string, account: string, project: string): Promise<readonly (readonly Fact[])[]>;
}

/** Parses a line; undefined if a crash has torn it: its request was never sent. */
export function factIn(line: string): Fact | undefined {
  try {
    const fact: unknown = JSON.parse(line);
    return isFact(fact) ? fact : undefined;
  } catch {
    return undefined;
  }
}

const texts = ["kind", "urn", "origin", "account"];

const ofObjects = ["made", "held", "gone", "writing", "deleting"];

/** A project may name any folder, so a line may hold anything. */
function isFact(value: unknown): value is Fact {
  const { fact, id, place, object, at, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof at !== "number" || !texts.every((name) => typeof rest[name] === "string")) return false;
  if (fact === "sent") return typeof id === "string" && typeof place === "object" && place !== null;
  if (fact === "void" || fact === "written") return typeof id === "string";
  if ((fact === "writing" || fact === "deleting") && typeof id !== "string") return false;
  return ofObjects.includes(String(fact)) && typeof (object as { name?: unknown } | null)?.name === "string";
}

/** Histories, and how many of their facts are read. Later facts extend them. */
const histories = new WeakMap<readonly Fact[], { history: OwnershipHistory; length: number }>();

function historyIn(facts: readonly Fact[]): OwnershipHistory {
  const known = histories.get(facts) ?? { history: new OwnershipHistory(), length: 0 };
  histories.set(facts, known);
  for (; known.length < facts.length; known.length += 1) known.history.add(facts[known.length]!);
  return known.history;
}

/** The history of the stack of a URN, in one account of one service. */
export const historyOf = async (
  journal: OwnershipJournal,
  origin: string,
  account: string,
  urn: string,
): Promise<OwnershipHistory> => historyIn(await journal.read(canonicalBaseUrl(origin), account, stackOf(urn)));

/** URNs by what stays of them where a stack is renamed. */
export type UrnsByTail = ReadonlyMap<string, readonly string[]>;

/** The URNs with unfinished creates, of each stack of a project that ran on this machine. */
export async function unfinishedUrns(
  journal: OwnershipJournal,
  origin: string,
  account: string,
  project: string,
): Promise<UrnsByTail> {
  const stacks = await journal.readProject(canonicalBaseUrl(origin), account, project);
  const open = stacks.flatMap((facts) => historyIn(facts).open());
  // A file that names no project may still be of another one.
  const urns = new Set(open.map(({ urn }) => urn).filter((urn) => projectOf(urn) === project));
  return groupBy(urns, urnWithoutStack);
}

/** Who has held the object, in each stack of a project that ran on this machine and has not deleted it since. */
export async function holdsOf(
  journal: OwnershipJournal,
  { origin, account, project }: { origin: string; account: string; project: string },
  object: ObjectIdentity,
): Promise<{ urn: RecordedUrn; at: number }[]> {
  const stacks = await journal.readProject(canonicalBaseUrl(origin), account, project);
  return stacks.flatMap((facts) => {
    const { holder, held, gone } = historyIn(facts).object(object) ?? {};
    return holder !== undefined && held && !gone ? [{ urn: holder, at: held.at }] : [];
  });
}

/** What is known of one object. */
export interface ObjectHistory {
  identity: ObjectIdentity;
  /** Position of the first fact about it. */
  since: number;
  /** The URN whose request created it. */
  createdBy?: RecordedUrn;
  /** When, by the clock of the machine that sent it. */
  createdAt?: number;
  /** The URN under which a state held it last. */
  holder?: RecordedUrn;
  /** Position and time of the last `held`. */
  held?: { position: number; at: number };
  /** It existed before its last holder. */
  adopted?: true;
  /** Every URN under which a state held it. */
  holders: Set<RecordedUrn>;
  gone?: true;
}

/** A create that was sent, and its outcome. */
export interface CreateAttempt extends SentFact, FactContext {
  position: number;
  /** What it created, if known. */
  created?: ObjectIdentity;
  /** A state has held its result, or it certainly created nothing. */
  isClosed: boolean;
  /** Rejected because its slot was taken. */
  isRefused?: true;
}

/** A delete that was sent, and whose end no run has recorded. */
export type SentDelete = Extract<Fact, { fact: "deleting" }> & { position: number };

/** The name that an attempt created or requested; undefined if the service chooses it. */
export const nameOfAttempt = ({ created, place }: CreateAttempt): string | undefined => created?.name ?? place.name;

/**
 * The journal, read. One rule ends attempts: a slot has one object at a time, so an object that is created, held or
 * deleted there ends the earlier creates for it.
 */
export class OwnershipHistory {
  private readonly objects = new Map<string, ObjectHistory>();
  private readonly byName = new Map<string, Set<ObjectHistory>>();
  private readonly byHolder = new Map<RecordedUrn, Set<ObjectHistory>>();
  private readonly attempts = new Map<string, CreateAttempt>();
  private readonly openUnder = new Map<RecordedUrn, Set<CreateAttempt>>();
  /** The same by name and natural key of their slot, and by result. */
  private readonly unfinished = new Map<string, Set<CreateAttempt>>();
  /** Kinds of which a create returned the name that it had requested. */
  private readonly kindsWithOwnIds = new Set<string>();
  /**
   * If objects tell no time, when a state last held an object that is deleted now. A state that has it again without a
   * create is older than what its resource had later.
   */
  private readonly lastHolds = new Map<string, number>();
  /** Changes and deletes whose outcome is unknown, by their ids, and the ids by their object. */
  private readonly writes = new Map<string, ObjectIdentity>();
  private readonly deletes = new Map<string, SentDelete>();
  private readonly unended = new Map<string, Set<string>>();
  private length = 0;
  /** When the first fact was recorded. */
  private first: number | undefined;

  constructor(facts: readonly Fact[] = []) {
    for (const fact of facts) this.add(fact);
  }

  add(fact: Fact): void {
    const position = this.length++;
    this.first ??= fact.at;
    if (fact.fact === "sent") return this.begin({ ...fact, position, isClosed: false });
    if (fact.fact === "void") return this.void(fact);
    if (fact.fact === "writing" || fact.fact === "deleting") return this.beginChange(fact, position);
    if (fact.fact === "written") return this.endChange(fact.id);
    if (fact.fact === "gone") return this.remove(fact);
    const object = this.objectOf(fact.object, position);
    delete object.gone;
    if (fact.fact === "made") object.createdBy = fact.urn;
    if (fact.fact === "held") this.hold(object, fact, position);
    const affected = fact.fact === "held" ? this.attemptsClosedBy(fact) : this.affected(fact, object);
    const isLater = (sent: SentDelete): boolean => affected.some((attempt) => attempt.position > sent.position);
    for (const sent of this.deletesOf(fact.object))
      if (fact.fact === "made" || fact.adopted || isLater(sent)) this.endChange(sent.id);
    for (const attempt of affected) {
      if (fact.fact === "made") this.identify(attempt, fact);
      else this.end(attempt);
    }
    if (fact.fact === "made") object.createdAt = fact.at;
  }

  object(identity: ObjectIdentity): ObjectHistory | undefined {
    return this.objects.get(objectKey(identity));
  }

  /** Changes of the object whose outcome is unknown. */
  openWrites(identity: ObjectIdentity): string[] {
    return this.unendedOf(identity).filter((id) => this.writes.has(id));
  }

  /**
   * Deletes of the object that were sent, and whose end is unknown. Without a creation time, a later create at its slot
   * may have made another object of its name.
   */
  openDeletes(identity: ObjectIdentity): SentDelete[] {
    return this.deletesOf(identity).filter(({ object: { name }, keyDigest, position }) =>
      this.openAt({ name, keyDigest }).every((attempt) => attempt.position < position),
    );
  }

  /** Whether requested ids of the kind are known to count. */
  idsCount(kind: string): boolean {
    return this.kindsWithOwnIds.has(kind);
  }

  /** The objects of that name that are not known to be deleted. */
  named(name: string): ObjectHistory[] {
    return [...(this.byName.get(name) ?? [])].filter(({ gone: isDeleted }) => !isDeleted);
  }

  /** Unfinished attempts: no state has held their result, and they are not known to have failed. */
  open(urns?: ReadonlySet<RecordedUrn>): CreateAttempt[] {
    const attempts = [...(urns ?? this.openUnder.keys())].flatMap((urn) => [...(this.openUnder.get(urn) ?? [])]);
    return attempts.sort(inOrder);
  }

  openAt(place: Slot): CreateAttempt[] {
    const candidates = keysOf(place).flatMap((key) => [...(this.unfinished.get(key) ?? [])]);
    return [...new Set(candidates)].filter((attempt) => isAt(attempt.place, place)).sort(inOrder);
  }

  /**
   * The open attempts that end if a state holds the object. A state may hold a deleted object: without a creation time,
   * that proves nothing about an attempt at another name.
   */
  attemptsClosedBy(held: ObjectFact): CreateAttempt[] {
    const { name, createTime } = held.object;
    return this.affected(held, this.object(held.object) ?? { since: this.length }).filter(
      (attempt) => createTime !== undefined || [undefined, name].includes(nameOfAttempt(attempt)),
    );
  }

  /** Every held object that is not known to be deleted. */
  held(): ObjectHistory[] {
    return [...this.objects.values()].filter(({ holder, gone: isDeleted }) => holder !== undefined && !isDeleted);
  }

  isOlderThan(time: number): boolean {
    return this.first !== undefined && this.first < time;
  }

  /** The object that a state held last under one of these URNs, unless it is known to be deleted. */
  lastHeld(urns: ReadonlySet<RecordedUrn>): ObjectHistory | undefined {
    return this.lastsHeld(urns)[0];
  }

  /** The same, followed by those that were held before it; empty where the last one is gone. */
  lastsHeld(urns: ReadonlySet<RecordedUrn>): readonly ObjectHistory[] {
    const held = [...urns].flatMap((urn) => [...(this.byHolder.get(urn) ?? [])]);
    held.sort(byLastHold);
    return held[0]?.gone ? [] : held.filter(({ gone }) => !gone);
  }

  /** Whether the fact is still of use: about an open attempt, or about an object that may exist. */
  hasOpenOrLive(fact: Fact): boolean {
    if (fact.fact === "void") return fact.refused === true && this.attempts.get(fact.id)?.isClosed === false;
    if (fact.fact === "gone" || fact.fact === "written") return false;
    if (fact.fact === "writing") return this.writes.has(fact.id);
    if (fact.fact === "deleting") return this.deletes.has(fact.id);
    if (fact.fact !== "sent") return this.object(fact.object)?.gone !== true;
    return !this.attempts.get(fact.id)!.isClosed;
  }

  private begin(attempt: CreateAttempt): void {
    // The line was appended twice.
    if (this.attempts.has(attempt.id)) return;
    this.attempts.set(attempt.id, attempt);
    entryIn(this.openUnder, attempt.urn).add(attempt);
    for (const key of keysOf(attempt.place)) entryIn(this.unfinished, key).add(attempt);
  }

  private void({ id, refused }: Extract<Fact, { fact: "void" }>): void {
    const attempt = this.attempts.get(id);
    if (attempt && refused && !attempt.isClosed) attempt.isRefused = true;
    else this.end(attempt);
  }

  private identify(attempt: CreateAttempt, { object, kind, urn }: Extract<Fact, { fact: "made" }>): void {
    if (attempt.place.name === object.name) this.kindsWithOwnIds.add(kind);
    removeFrom(this.openUnder, attempt.urn, attempt);
    Object.assign(attempt, { created: object, urn });
    entryIn(this.openUnder, urn).add(attempt);
    entryIn(this.unfinished, objectKey(object)).add(attempt);
  }

  private end(attempt: CreateAttempt | undefined): void {
    if (!attempt || attempt.isClosed) return;
    attempt.isClosed = true;
    removeFrom(this.openUnder, attempt.urn, attempt);
    const keys = [...keysOf(attempt.place), ...(attempt.created ? [objectKey(attempt.created)] : [])];
    for (const key of keys) removeFrom(this.unfinished, key, attempt);
  }

  private hold(object: ObjectHistory, fact: Extract<Fact, { fact: "held" }>, position: number): void {
    const { urn, at, adopted } = fact;
    const isSame = object.createdBy === undefined && object.holder === undefined;
    const before = isSame ? this.lastHolds.get(objectKey(object.identity)) : undefined;
    if (object.holder !== undefined) this.byHolder.get(object.holder)?.delete(object);
    Object.assign(object, { holder: urn, held: { position: before ?? position, at } });
    entryIn(this.byHolder, urn).add(object);
    object.holders.add(urn);
    if (adopted) object.adopted = true;
    else delete object.adopted;
  }

  /** Its slot was empty then, so earlier attempts at it have no live result. */
  private remove({ object: identity }: Extract<Fact, { fact: "gone" }>): void {
    for (const id of this.unendedOf(identity)) this.endChange(id);
    const fruitless = this.unfinished.get(objectKey(identity)) ?? [];
    for (const attempt of [...this.openAt({ name: identity.name }), ...fruitless]) this.end(attempt);
    const object = this.object(identity);
    if (!object) return;
    object.gone = true;
    // Without createTime we cannot distinguish a recreated object.
    if (identity.createTime !== undefined) return;
    if (object.held) this.lastHolds.set(objectKey(identity), object.held.position);
    this.objects.delete(objectKey(identity));
    this.byName.get(identity.name)?.delete(object);
    if (object.holder !== undefined) this.byHolder.get(object.holder)?.delete(object);
  }

  private deletesOf(identity: ObjectIdentity): SentDelete[] {
    return this.unendedOf(identity).flatMap((id) => this.deletes.get(id) ?? []);
  }

  private unendedOf(identity: ObjectIdentity): string[] {
    return [...(this.unended.get(objectKey(identity)) ?? [])];
  }

  private beginChange(fact: Extract<Fact, { fact: "writing" | "deleting" }>, position: number): void {
    this.endChange(fact.id);
    if (fact.fact === "writing") this.writes.set(fact.id, fact.object);
    else this.deletes.set(fact.id, { ...fact, position });
    entryIn(this.unended, objectKey(fact.object)).add(fact.id);
  }

  private endChange(id: string): void {
    const object = this.writes.get(id) ?? this.deletes.get(id)?.object;
    if (object === undefined) return;
    this.writes.delete(id);
    this.deletes.delete(id);
    removeFrom(this.unended, objectKey(object), id);
  }

  /** The open attempts whose result or end the fact reports. */
  private affected({ object, keyDigest }: ObjectFact, { since }: Pick<ObjectHistory, "since">): CreateAttempt[] {
    const here = this.openAt({ name: object.name, keyDigest }).filter(
      ({ position, created }) =>
        (object.createTime === undefined || since > position) &&
        (created === undefined || created.name === object.name),
    );
    return [...new Set([...here, ...(this.unfinished.get(objectKey(object)) ?? [])])];
  }

  private objectOf(identity: ObjectIdentity, position: number): ObjectHistory {
    const known = this.object(identity);
    if (known) return known;
    const object: ObjectHistory = { identity, since: position, holders: new Set() };
    this.objects.set(objectKey(identity), object);
    entryIn(this.byName, identity.name).add(object);
    return object;
  }
}

type ObjectFact = Pick<Extract<Fact, { fact: "made" | "held" }>, "object" | "keyDigest">;

const keysOf = ({ name, keyDigest }: Slot): string[] => [name, keyDigest].filter((key) => key !== undefined);

/** The last one first. */
export const byLastHold = (one: ObjectHistory, other: ObjectHistory): number =>
  other.held!.position - one.held!.position;

const inOrder = (one: CreateAttempt, other: CreateAttempt): number => one.position - other.position;

/** A natural key distinguishes an object from a later one of the same name. */
const isAt = (place: Slot, { name, keyDigest }: Slot): boolean =>
  place.keyDigest !== undefined && keyDigest !== undefined
    ? place.keyDigest === keyDigest
    : name !== undefined && place.name === name;

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
