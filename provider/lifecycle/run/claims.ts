import { urnWithoutStack } from "../identity";
import { type ObjectIdentity, objectKey } from "../journal/facts";

/**
 * What the declarations of one run claim: every provider process that works for the same engine reads and adds to
 * it, so that an explicit provider, a component's own copy of the package or a process that replaces another one
 * in the middle of a command knows of them all.
 */
export interface Claims {
  /** The URN other than `urn` that has the object. */
  otherHolderOf(name: string, urn: string): string | undefined;
  /** The URN other than `urn` that declares one of the keys. */
  otherDeclarerOf(keys: readonly string[], urn: string): string | undefined;
  /** The object that this URN has. */
  heldBy(urn: string): string | undefined;
  /**
   * The URN that continues with the object of that name, which the state has under `former`; undefined where none
   * does.
   */
  currentUrnOf(former: string, name: string): string | undefined;
  /** What this run's engine has shown as recorded under one of these URNs, whatever their stack is called. */
  recordedUnder(urns: Iterable<string>): ObjectIdentity[];
  /** A refresh of this run has read what the state holds. */
  hasRefreshed(): boolean;
}

/** The same with writes, which only the memory of a resource makes. */
export interface RunClaims extends Claims {
  /** Makes `keys` everything that this URN declares. Returns the other URNs that declare some of them, by key. */
  declare(urn: string, keys: readonly string[]): Map<string, string>;
  /**
   * This URN has this object now: a diff left it in place, or a create or update
   * answered it. Undefined: it has none any longer.
   */
  hold(urn: string, name: string | undefined): void;
  /** This URN continues with what others have been before. */
  continueFrom(urn: string, formers: readonly Former[]): void;
  /** The engine shows a record of the object, or this run has found it gone. */
  noteEngineRecord(urn: string, object: ObjectIdentity, how: EngineRecord["how"]): void;
}

/**
 * What a URN was before. Without a name: whatever the program does not declare under that URN by now. Without a URN:
 * the object of that name, under whichever URN the state has it.
 */
type Former = { urn: string; name?: string } | { urn?: never; name: string };

/** What an engine shows of its state. */
interface EngineRecord {
  urn: string;
  object: ObjectIdentity;
  /** `read`: by a refresh. `gone`: no longer. */
  how: "shown" | "read" | "gone";
}

/** What one URN claims. */
interface UrnClaims {
  urn: string;
  declared: readonly string[];
  held?: string | undefined;
  formers?: readonly Former[];
}

/** What a process reports to the others of its run. */
export type ClaimMessage = UrnClaims | EngineRecord;

/** Where the claims of other processes come from and this one's go to. */
export interface ClaimExchange {
  /** What came in since the last call, oldest first. */
  receive(): readonly ClaimMessage[];
  /** Visible to every other process when it returns. */
  publish(message: ClaimMessage): void;
}

const alone: ClaimExchange = { receive: () => [], publish: () => undefined };

export function createRunClaims(exchange: ClaimExchange = alone): RunClaims {
  const byUrn = new Map<string, UrnClaims>();
  const declarers = new Map<string, Set<string>>();
  const holders = new Map<string, Set<string>>();
  /** The URNs of this run's stack, by what a stack's former name leaves of them. */
  const byTail = new Map<string, string>();
  /** URNs by what they continue with: a former URN, or the name of an object. */
  const byFormer = new Map<string, Set<string>>();

  function apply(claims: UrnClaims): void {
    const known = byUrn.get(claims.urn);
    for (const key of known?.declared ?? []) declarers.get(key)?.delete(claims.urn);
    if (known?.held !== undefined) holders.get(known.held)?.delete(claims.urn);
    byUrn.set(claims.urn, claims);
    byTail.set(urnWithoutStack(claims.urn), claims.urn);
    for (const key of claims.declared) entry(declarers, key).add(claims.urn);
    if (claims.held !== undefined) entry(holders, claims.held).add(claims.urn);
    for (const { urn, name } of claims.formers ?? []) entry(byFormer, urn ?? name).add(claims.urn);
  }

  const engineRecords = new EngineRecords();

  const receive = (): void =>
    exchange.receive().forEach((message) => ("how" in message ? engineRecords.add(message) : apply(message)));
  const put = (claims: UrnClaims): void => {
    apply(claims);
    exchange.publish(claims);
  };
  const otherIn = (urns: ReadonlySet<string> | undefined, urn: string): string | undefined =>
    [...(urns ?? [])].find((other) => other !== urn);

  return {
    declare(urn, keys) {
      receive();
      const others = new Map<string, string>();
      for (const key of keys) {
        const first = otherIn(declarers.get(key), urn);
        if (first !== undefined) others.set(key, first);
      }
      const known = byUrn.get(urn);
      const declared = keys.filter((key) => !others.has(key));
      if (declared.join("\n") !== known?.declared.join("\n")) put({ ...known, urn, declared });
      return others;
    },
    hold(urn, name) {
      receive();
      const known = byUrn.get(urn);
      if (known?.held === name) return;
      put({ declared: [], ...known, urn, held: name });
    },
    otherHolderOf(name, urn) {
      receive();
      return otherIn(holders.get(name), urn);
    },
    otherDeclarerOf(keys, urn) {
      receive();
      return keys.map((key) => otherIn(declarers.get(key), urn)).find((other) => other !== undefined);
    },
    heldBy(urn) {
      receive();
      return byUrn.get(urn)?.held;
    },
    continueFrom(urn, formers) {
      receive();
      const known = byUrn.get(urn) ?? { urn, declared: [] };
      const formersSoFar = known.formers ?? [];
      const others = formers.filter(
        (former) =>
          former.urn !== urn && !formersSoFar.some((each) => each.urn === former.urn && each.name === former.name),
      );
      if (others.length > 0) put({ ...known, formers: [...formersSoFar, ...others] });
    },
    noteEngineRecord(urn, object, how) {
      const showing = { urn, object, how };
      const isNews = (how === "gone") === engineRecords.has(showing) || (how === "read" && !engineRecords.hasRefreshed);
      engineRecords.add(showing);
      try {
        if (isNews) exchange.publish(showing);
      } catch {
        // A refresh and a delete must work on a full disk; another process reads the state itself.
      }
    },
    recordedUnder(urns) {
      receive();
      return engineRecords.under(urns);
    },
    hasRefreshed() {
      receive();
      return engineRecords.hasRefreshed;
    },
    currentUrnOf(former, name) {
      receive();
      const isNamed = (each: Former): boolean => each.urn === undefined && each.name === name;
      const isOf = (each: Former): boolean =>
        isNamed(each) || (each.urn === former && (each.name === undefined ? !byUrn.has(former) : each.name === name));
      if (byUrn.get(former)?.formers?.some(isNamed)) return undefined;
      const candidates = [...(byFormer.get(former) ?? []), ...(byFormer.get(name) ?? [])];
      const isKnown = byUrn.has(former);
      return (
        candidates.find((urn) => byUrn.get(urn)!.formers!.some(isOf)) ??
        (isKnown ? undefined : byTail.get(urnWithoutStack(former)))
      );
    },
  };
}

/** What the state of a run's engine holds, as far as the engine has shown it. */
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

  under(urns: Iterable<string>): ObjectIdentity[] {
    return [...urns].flatMap((urn) => [...(this.byUrnWithoutStack.get(urnWithoutStack(urn))?.values() ?? [])]);
  }
}

function entry(sets: Map<string, Set<string>>, key: string): Set<string> {
  const set = sets.get(key) ?? new Set<string>();
  sets.set(key, set);
  return set;
}
