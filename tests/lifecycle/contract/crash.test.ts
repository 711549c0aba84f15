import { isNightly, longerAtNight } from "../../nightly";
import type { Values } from "../../values";
import { DeclaredResource } from "./declaration";
import { onEachHost } from "./hosts";
import { declarationOf, type HostedHarness, live, openService } from "./service";
import type { ContractSubject } from "./subject";
import { subjects } from "./subjects/index";

/**
 * The provider's process ends without a word at each point of each mutation, once and twice in a row, and whatever it
 * had begun is not recorded in any state. After at most two runs there is what is wanted, once, and the next run finds
 * nothing to do. Crashes of whole programs and of engines, state files included, are in `tests/e2e/crash.test.ts`.
 */

let at: HostedHarness;

interface Point {
  title: string;
  /** What keeps the process at the point; absent where it gets there by itself. */
  fault?: { kind: "hang"; commit: boolean };
  /** The request before the mutation is what hangs. */
  before?: true;
  reached(begun: Begun): boolean | Promise<boolean>;
}

interface Begun {
  time: number;
  objects: string;
}

const struck = async (): Promise<boolean> => (await at.faultHits()) > 0;

const points: readonly Point[] = [
  { title: "before the request is sent", fault: { kind: "hang", commit: false }, before: true, reached: struck },
  {
    title: "after the request was received and before it was carried out",
    fault: { kind: "hang", commit: false },
    reached: struck,
  },
  {
    title: "after the request was carried out and before its answer",
    fault: { kind: "hang", commit: true },
    reached: struck,
  },
  { title: "during the wait", reached: ({ time, objects }) => at.clock.now() > time && objects !== worldText() },
  { title: "with an answer that nobody gets", reached: () => false },
];

const worldText = (): string =>
  JSON.stringify([...at.emulator.world.all()].map(({ name, fields }) => [name, fields["updateTime"], fields["state"]]));

interface Mutation {
  title: string;
  verb: "create" | "update" | "delete";
  /** What the program says before and after; undefined is without the resource. */
  programs(subject: ContractSubject): { before?: Values; after?: Values } | undefined;
}

const program = ({ inputs, removable }: ContractSubject): Values => ({ ...inputs, ...removable });

/** A change of the object's own that another object has to have. */
function replaced(subject: ContractSubject): Values | undefined {
  const { message, behaviours } = declarationOf(subject).fields;
  const own = [...message, ...behaviours].map(({ name }) => name);
  const [name, change] =
    Object.entries(subject.replacements).find(
      ([field, { from, with: rest }]) => own.includes(field) && !from && !rest,
    ) ?? [];
  return name === undefined ? undefined : { ...program(subject), [name]: change!.to };
}

const mutations: readonly Mutation[] = [
  { title: "create", verb: "create", programs: (subject) => ({ after: program(subject) }) },
  {
    title: "update",
    verb: "update",
    programs: (subject) => {
      const [name, change] = Object.entries(subject.updates[0]?.changes ?? {})[0] ?? [];
      return name === undefined
        ? undefined
        : { before: program(subject), after: { ...program(subject), [name]: change!.to } };
    },
  },
  {
    title: "delete",
    verb: "delete",
    programs: (subject) => (declarationOf(subject).operations["delete"] ? { before: program(subject) } : undefined),
  },
  {
    title: "replacement",
    verb: "create",
    programs: (subject) => {
      const after = replaced(subject);
      return after && { before: program(subject), after };
    },
  },
  {
    title: "replacement's delete",
    verb: "delete",
    programs: (subject) => {
      const after = replaced(subject);
      return after && { before: program(subject), after };
    },
  },
];

const cases = subjects.flatMap((subject) =>
  mutations.flatMap((mutation) =>
    mutation.programs(subject) ? [[mutation.title, subject.kind, subject, mutation] as const] : [],
  ),
);

/** A second crash in a row is for one kind by day. */
const rounds = ({ kind }: ContractSubject): readonly number[] => (isNightly || kind === "Deployment" ? [1, 2] : [1]);

longerAtNight(() => {
  onEachHost(2, 0, cases, (cases, host) =>
    test.each(cases)("a %s of a %s that dies at any point is recovered", async (_, _kind, subject, mutation) => {
      for (const point of points) {
        for (const times of rounds(subject)) {
          at = await openService({}, subject, host);
          await madeGood(subject, mutation, point, times).finally(() => at.close());
        }
      }
    }),
  );
});

async function madeGood(subject: ContractSubject, mutation: Mutation, point: Point, times: number): Promise<void> {
  const title = `${point.title}, ${times} times`;
  const it = new DeclaredResource(at, subject.kind);
  const { before, after } = mutation.programs(subject)!;
  const command = async (): Promise<unknown> => (after ? it.up(after) : it.state && it.destroy());
  if (before) await it.up(before);
  for (let round = 0; round < times; round++) {
    if (point.fault)
      await at.fault({ match: { operation: operationAt(subject, mutation, point) }, fault: point.fault });
    const begun = { time: at.clock.now(), objects: worldText() };
    const reached = await it.crash(command, () => point.reached(begun));
    if (point.fault && round === 0) expect([title, reached]).toEqual([title, true]);
    await at.clearFaults();
  }
  const steps = await runs(command, title);
  expect([title, live(at, subject).map(({ name }) => name)]).toEqual([title, after ? [it.id] : []]);
  if (after) expect([title, steps.length, await it.up(after)]).toEqual([title, steps.length, "same"]);
}

/** At most two runs put things right. */
async function runs(command: () => Promise<unknown>, title: string): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const _ of [1, 2]) {
    const outcome = await command().catch((error: Error) => error);
    outcomes.push(outcome);
    if (!(outcome instanceof Error)) return outcomes;
  }
  throw new Error(`${title}: ${outcomes.map(String).join("; ")}`);
}

function operationAt(subject: ContractSubject, { verb }: Mutation, { before }: Point): string {
  const { kind, singleton } = declarationOf(subject);
  if (before) return verb === "create" && !singleton ? "getPolicySettings" : `get${kind}`;
  return singleton ? `update${kind}` : `${verb}${kind}`;
}
