import { isNightly, longerAtNight } from "../../nightly";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { type FaultCase, faultCases, fewFaults, type Position, positions, strike } from "./faults";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, live, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * Each fault strikes each operation, at the first request, at a later one, and at every one. Whatever happens: no
 * second object, no object that nobody knows of, bounded requests and time, an error that helps and shows no secret,
 * and once the fault is over one run puts things right and the next finds nothing to do.
 */

let at: HostedHarness;
afterEach(() => at.close());

const minutes = 10;
const timeouts = { create: `${minutes}m`, update: `${minutes}m`, delete: `${minutes}m` };
/** A look every 5 s of the time that a wait may take, ten looks more, and ten requests of everything else. */
const mostRequests = (minutes * 60) / 5 + 20;

interface Operation {
  title: string;
  verb: string;
  /** Leads up to the command, without faults. */
  before(it: DeclaredResource, subject: ContractSubject): Promise<unknown>;
  command(it: DeclaredResource, subject: ContractSubject): Promise<unknown>;
  /** What a person does once the fault is over; afterwards the object is as declared, or gone. */
  recover(it: DeclaredResource, subject: ContractSubject): Promise<unknown>;
  leaves: "object" | "nothing";
}

const programOf = (subject: ContractSubject, it: DeclaredResource): Values => ({
  ...subject.inputs,
  ...subject.removable,
  ...own(subject, it),
  timeouts,
});

/** Objects with a natural key need one each. */
const own = ({ kind }: ContractSubject, { name }: DeclaredResource): Values =>
  kind === "User"
    ? { email: `${name}@example.com` }
    : kind === "Secret"
      ? { keyName: name.toUpperCase().replaceAll("-", "_") }
      : kind === "DeployedModel"
        ? { model: `accounts/acme/models/${name}` }
        : {};

const change = (subject: ContractSubject, it: DeclaredResource): Values => {
  const [name, { to }] = Object.entries(subject.updates[0]!.changes).find(([field]) => !(field in own(subject, it)))!;
  return { ...programOf(subject, it), [name]: to };
};

const up = (it: DeclaredResource, subject: ContractSubject) => it.up(programOf(subject, it));
const nothing = async (): Promise<void> => undefined;

const operations: readonly Operation[] = [
  { title: "create", verb: "create", before: nothing, command: up, recover: up, leaves: "object" },
  { title: "wait", verb: "get", before: nothing, command: up, recover: up, leaves: "object" },
  {
    title: "read in refresh",
    verb: "get",
    before: up,
    command: (it) => it.refresh(),
    recover: (it, subject) => (it.state ? it.refresh() : up(it, subject)),
    leaves: "object",
  },
  {
    title: "read in import",
    verb: "get",
    before: up,
    command: (it) => new DeclaredResource(at, it.kind, `${it.name}-imported`).import(it.id),
    recover: nothing,
    leaves: "object",
  },
  {
    title: "update",
    verb: "update",
    before: up,
    command: (it, subject) => it.up(change(subject, it)),
    recover: (it, subject) => it.up(change(subject, it)),
    leaves: "object",
  },
  {
    title: "delete",
    verb: "delete",
    before: up,
    command: (it) => it.destroy(),
    recover: async (it) => it.state && it.destroy(),
    leaves: "nothing",
  },
  {
    title: "list",
    verb: "list",
    before: async (it, subject) => {
      await up(it, subject);
      await at.vanish(it.id);
    },
    command: (it) => it.refresh(),
    recover: async (it) => it.state && it.refresh(),
    leaves: "nothing",
  },
];

/**
 * One kind whose ids are the client's stands everything, one whose ids are the service's where that
 * tells; the others what is taken in another way. By day only a create stands every fault.
 */
const isInFull = (kind: string, title: string): boolean =>
  isNightly
    ? kind === "Deployment" || (kind === "User" && ["create", "update"].includes(title))
    : kind === "Deployment" && title === "create";

type Strike = readonly [FaultCase, Position];

const strikes = (faults: readonly FaultCase[], places: readonly Position[]): Strike[] =>
  faults.flatMap((fault) => places.map((position): Strike => [fault, position]));
const fewPlaces = positions.filter(({ skip }) => skip === 0);

/** By day each fault once, at the places in turns. */
const inTurns = (faults: readonly FaultCase[], places: readonly Position[], index: number): Strike[] =>
  faults.map((fault, place) => [fault, places[(index + place) % places.length]!]);

function strikesOf(kind: string, title: string, index: number): readonly Strike[] {
  const [faults, places] = isInFull(kind, title) ? [faultCases, positions] : [fewFaults, fewPlaces];
  return isNightly ? strikes(faults, places) : inTurns(faults, places, index);
}

const cases = subjects
  .flatMap((subject) =>
    operations
      .filter(({ verb, title }) => isThere(subject, verb, title))
      .map((operation) => [operation.title, subject.kind, subject, operation] as const),
  )
  .map((each, index) => [...each, strikesOf(each[1], each[0], index)] as const);

/** Settings are made by an update and always there; a job is never changed; what does not move is not waited for. */
function isThere(subject: ContractSubject, verb: string, title: string): boolean {
  const { operations: known, singleton, deletion, lifecycle } = declarationOf(subject);
  if (title === "wait" && !lifecycle?.moving.length) return false;
  if (singleton) return verb === "update" || verb === "get";
  return known[verb] !== undefined && (title !== "list" || deletion !== "forever");
}

longerAtNight(() => {
  onEachHost(3, 0, cases, (cases, host) =>
    test.each(cases)(
      "%s of a %s survives every fault at every position",
      async (_title, _kind, subject, operation, struck) => {
        at = await openService({}, subject, host);
        const problems: string[] = [];
        for (const [fault, position] of struck) problems.push(...(await stands(subject, operation, fault, position)));
        expect(problems).toEqual([]);
      },
    ),
  );
});

let count = 0;

/** What is wrong with how one fault at one position was taken; nothing, where all is well. */
async function stands(
  subject: ContractSubject,
  operation: Operation,
  fault: FaultCase,
  position: Position,
): Promise<string[]> {
  const it = new DeclaredResource(at, subject.kind, `it-${++count}`);
  const title = `${fault.title}, ${position.title}`;
  const problems: string[] = [];
  const expectThat = (holds: boolean, text: string): void => void (holds || problems.push(`${title}: ${text}`));
  await operation.before(it, subject);
  const others = live(at, subject).length - (it.state && operation.leaves === "object" ? 1 : 0);
  const before = names(subject);
  await at.requests();
  const begun = at.clock.now();
  await strike(
    at,
    { kind: subject.kind, collection: declarationOf(subject).collection, verb: operation.verb },
    fault,
    position,
  );
  const error = await operation.command(it, subject).then(
    () => undefined,
    (reason: Error) => reason,
  );
  const struck = await at.faultHits();
  await at.clearFaults();
  expectThat(struck > 0 || position.skip > 0, "was never struck");
  const requests = (await at.requests()).length;
  const elapsed = (at.clock.now() - begun) / 60_000;
  const made = names(subject).filter((name) => !before.includes(name));
  expectThat(made.length <= 1, `I1: made ${made.join(", ")}`);
  expectThat(
    made.every((name) => it.state?.id === name || it.told.some((text) => text.includes(name)) || error !== undefined),
    `I2: nobody knows of ${made.join()}: ${error?.message ?? "no error"}`,
  );
  expectThat(requests <= mostRequests, `I3: ${requests} requests`);
  expectThat(elapsed <= minutes * 1.1, `I4: ${elapsed} min`);
  if (error) problems.push(...helpful(error, fault).map((text) => `${title}: I5: ${text}`));
  problems.push(
    ...(await recovers(subject, operation, it)).map(
      (text) => `${title}: I6: ${text}${error ? ` after ${error.message}` : ""}`,
    ),
  );
  expectThat(live(at, subject).length <= others + 1, "I1: doubled in the end");
  if (it.state) await it.destroy().catch((reason: Error) => problems.push(`${title}: left behind: ${reason.message}`));
  return problems;
}

const names = (subject: ContractSubject): string[] => live(at, subject).map(({ name }) => String(name));

function helpful({ message }: Error, { tells }: FaultCase): string[] {
  const problems: string[] = [];
  if (!message.includes("accounts/acme/")) problems.push(`does not say what it is about: ${message}`);
  if (tells !== undefined && !message.includes(tells)) problems.push(`does not say ${tells}: ${message}`);
  if (/acme-key|first value/.test(message)) problems.push(`shows a secret: ${message}`);
  return problems;
}

async function recovers(subject: ContractSubject, operation: Operation, it: DeclaredResource): Promise<string[]> {
  try {
    await operation.recover(it, subject);
    if (operation.leaves === "nothing") return it.state ? ["still in the state"] : [];
    const program = operation.title === "update" ? change(subject, it) : programOf(subject, it);
    const step = await it.up(program);
    return step === "same" ? [] : [`the next run would ${step}`];
  } catch (error) {
    return [(error as Error).message];
  }
}
