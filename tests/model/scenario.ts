import fc from "fast-check";
import { faultCases } from "../lifecycle/contract/faults";
import { type Deviation, deviation } from "./deviations";

/**
 * What happens to a stack, as plain values: places are numbers, taken modulo what
 * is there, so that any part can be left out.
 */

export type ProgramEdit =
  | { edit: "add"; kind: string; variant: number }
  | { edit: "remove"; at: number }
  | { edit: "rename"; at: number; how: "alias" | "adopt" | "plain" }
  | { edit: "change"; at: number; variant: number }
  /** Another resource with the id or the key of one that is declared. */
  | { edit: "collide"; at: number }
  | { edit: "option"; at: number; option: "protect" | "retainOnDelete" | "replaceOnChanges" | "deleteBeforeReplace" };

/** `seize`: another team deletes the object and makes one of its own under the same name. */
export type Outside = { outside: "change" | "delete" | "seize"; at: number };

/** What a person does to a state by hand, or to the name of its stack. */
export type StateEdit =
  /** With another project, or in the same one. */
  | { state: "rename stack"; project: boolean }
  /** One resource goes to the other stack, and its declaration to that one's program. */
  | { state: "move"; at: number }
  /** The declaration gets the new name as well, and no alias. */
  | { state: "rename"; at: number }
  | { state: "delete"; at: number }
  /** The state from before one of the last commands. */
  | { state: "restore"; ago: number }
  /** All of it, as `stack rm --force` and `stack init` leave it. */
  | { state: "lose" };

export type CommandName =
  | "up"
  | "up --refresh"
  | "up --refresh --run-program"
  | "up --continue-on-error"
  | "up --refresh --continue-on-error"
  | "up --target"
  | "up --refresh --target"
  | "up --replace"
  | "taint, up"
  | "refresh"
  | "destroy"
  | "destroy --refresh";

export interface ModelCommand {
  command: CommandName;
  /** The resource that the flag is about. */
  at: number;
  serial: boolean;
}

export type Trouble =
  | { trouble: "fault"; title: string; of: number; verb: string; skip: number; times: number | "every" }
  | { trouble: "kill"; request: number; when: "before" | "after" }
  | { trouble: "lose"; call: number }
  | { trouble: "interrupt"; request: number }
  /** A kill once the n-th write of this method was carried out, of which no answer comes. */
  | { trouble: "cut"; method: "POST" | "PATCH" | "DELETE"; write: number }
  /** A gateway sends the n-th create twice, and answers as the service does the second time. */
  | { trouble: "double"; create: number }
  /** What is begun takes so many minutes. */
  | { trouble: "slow"; minutes: number }
  /**
   * Another team makes the same object: before our create arrives, or between a first try that fails and the next one.
   */
  | { trouble: "rival"; create: number; after: string | undefined };

export interface Round {
  edits: ProgramEdit[];
  outside: Outside[];
  states: StateEdit[];
  command: ModelCommand;
  /** Which of the two stacks that the team has on its machine. */
  stack: 0 | 1;
  troubles: Trouble[];
  /** The next command runs on a machine that knows nothing of this one. */
  moves: boolean;
  /** The program is first what it was before the edits of the stack's last round. */
  reverts: boolean;
  /** The answer that the command gets in advance to whatever it asks about ownership. */
  recover: "ask" | "take" | "new";
}

/** A run that is cut off in a write, and what happens next in place of a second run of the same. */
export interface Aftermath {
  /** What is there before. */
  before: Round;
  cut: Round;
  next: Round;
}

/** A run in which an answer misleads or a wait ends early, after one that gives it something to work on. */
export interface Twist {
  before: Round[];
  twisted: Round;
  next: Round[];
}

export interface Scenario {
  rounds: Round[];
  recovery: "up" | "up --refresh" | "up --refresh --run-program";
  aftermaths: Aftermath[];
  /** Whether the engine answers questions about its state, as the built-in one does. */
  isAsked: boolean;
  twists: Twist[];
  deviations: Deviation[];
}

export const kinds = ["User", "Secret", "Deployment", "SupervisedFineTuningJob", "PolicySettings"] as const;

export const place = fc.nat(5);
const variant = fc.nat(15);
export const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constant("User") },
  { weight: 4, arbitrary: fc.constant("Deployment") },
  { weight: 2, arbitrary: fc.constant("Secret") },
  { weight: 1, arbitrary: fc.constant("SupervisedFineTuningJob") },
  { weight: 1, arbitrary: fc.constant("PolicySettings") },
);

export const edit: fc.Arbitrary<ProgramEdit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ edit: fc.constant("add" as const), kind, variant }) },
  { weight: 3, arbitrary: fc.record({ edit: fc.constant("change" as const), at: place, variant }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("remove" as const), at: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      edit: fc.constant("rename" as const),
      at: place,
      how: fc.constantFrom("alias" as const, "adopt" as const, "plain" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      edit: fc.constant("option" as const),
      at: place,
      option: fc.constantFrom(
        "protect" as const,
        "retainOnDelete" as const,
        "replaceOnChanges" as const,
        "deleteBeforeReplace" as const,
      ),
    }),
  },
);

/** Of requests about a resource; those that change something are the ones that matter most. */
export const verb = fc.constantFrom("create", "create", "get", "list", "update", "update", "delete", "delete");

export const outside: fc.Arbitrary<Outside> = fc.record({
  outside: fc.constantFrom("change" as const, "delete" as const, "seize" as const),
  at: place,
});

export const stateEdit: fc.Arbitrary<StateEdit> = fc.oneof(
  fc.record({ state: fc.constant("rename stack" as const), project: fc.boolean() }),
  fc.record({ state: fc.constantFrom("move" as const, "rename" as const, "delete" as const), at: place }),
  { weight: 2, arbitrary: fc.record({ state: fc.constant("restore" as const), ago: fc.integer({ min: 1, max: 2 }) }) },
);

const command: fc.Arbitrary<ModelCommand> = fc.record({
  command: fc.constantFrom<CommandName[]>(
    "up",
    "up --refresh",
    "up --refresh --run-program",
    "up --continue-on-error",
    "up --refresh --continue-on-error",
    "up --target",
    "up --refresh --target",
    "up --replace",
    "taint, up",
    "refresh",
    "destroy",
    "destroy --refresh",
  ),
  at: place,
  serial: fc.boolean(),
});

const titles = faultCases.map(({ title }) => title);

/** Failures of a create's first try after which another one may follow. */
const passing = [
  "1 429 with seconds",
  "4 429 bare",
  "5 500",
  "6 502 with a page",
  "7 503 with seconds",
  "9 408",
  "10 409",
];
const lost = ["12 reset before anything was applied", "14 headers that never come"];

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({
    trouble: fc.constant("fault" as const),
    title: fc.constantFrom(...titles),
    of: place,
    verb,
    skip: fc.nat(1),
    times: fc.constantFrom<(number | "every")[]>(1, 2, "every"),
  }),
  fc.record({
    trouble: fc.constant("kill" as const),
    request: fc.integer({ min: 1, max: 12 }),
    when: fc.constantFrom("before" as const, "after" as const),
  }),
  fc.record({ trouble: fc.constant("lose" as const), call: fc.integer({ min: 1, max: 10 }) }),
  fc.record({ trouble: fc.constant("interrupt" as const), request: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    trouble: fc.constant("rival" as const),
    create: fc.integer({ min: 1, max: 2 }),
    after: fc.constantFrom(undefined, ...passing, ...lost),
  }),
);

const round: fc.Arbitrary<Round> = fc.record({
  edits: fc.array(edit, { minLength: 0, maxLength: 4 }),
  outside: fc.array(outside, { maxLength: 1 }),
  states: fc.oneof(
    { weight: 3, arbitrary: fc.constant<StateEdit[]>([]) },
    { weight: 2, arbitrary: fc.array(stateEdit, { minLength: 1, maxLength: 2 }) },
  ),
  command,
  stack: fc.constantFrom<(0 | 1)[]>(0, 0, 0, 0, 1),
  troubles: fc.array(trouble, { maxLength: 2 }),
  moves: fc.boolean().map(() => false),
  reverts: fc.constant(false),
  recover: fc.constant("ask" as const),
});

const up: ModelCommand = { command: "up", at: 0, serial: false };
const quiet: Round = {
  ...{ edits: [], outside: [], states: [], command: up, stack: 0, troubles: [] },
  ...{ moves: false, reverts: false, recover: "ask" },
};

/** Edits that lead to a write, most of them to an update or a delete. */
const writing: fc.Arbitrary<ProgramEdit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ edit: fc.constant("change" as const), at: place, variant }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("remove" as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("add" as const), kind, variant }) },
);

const cut: fc.Arbitrary<Trouble> = fc.record({
  trouble: fc.constant("cut" as const),
  method: fc.constantFrom("POST" as const, "PATCH" as const, "PATCH" as const, "DELETE" as const),
  write: fc.integer({ min: 1, max: 2 }),
});

const aftermath: fc.Arbitrary<Aftermath> = fc.record({
  before: fc
    .array(fc.record({ edit: fc.constant("add" as const), kind, variant }), { minLength: 1, maxLength: 2 })
    .map((edits) => ({ ...quiet, edits })),
  cut: fc
    .record({
      edits: fc.array(writing, { minLength: 1, maxLength: 2 }),
      troubles: fc.tuple(cut),
      command: fc.constantFrom<CommandName[]>("up", "up", "up", "up --replace", "destroy"),
      moves: fc.constantFrom(false, false, false, true),
    })
    .map(({ command: name, ...rest }) => ({ ...quiet, ...rest, command: { ...up, command: name } })),
  next: fc
    .record({
      reverts: fc.constantFrom(true, true, false),
      edits: fc.array(writing, { maxLength: 1 }),
      states: fc.oneof(
        { weight: 4, arbitrary: fc.constant<StateEdit[]>([]) },
        { weight: 3, arbitrary: fc.tuple(stateEdit) },
        { weight: 1, arbitrary: fc.constant<StateEdit[]>([{ state: "lose" }]) },
      ),
      command: fc.record({
        command: fc.constantFrom<CommandName[]>(
          ...(["up", "up", "up", "up --refresh", "up --continue-on-error", "up --target"] as const),
          ...(["up --refresh --run-program", "refresh", "destroy", "destroy --refresh"] as const),
        ),
        at: place,
        serial: fc.boolean(),
      }),
      troubles: fc.oneof({ weight: 4, arbitrary: fc.constant<Trouble[]>([]) }, { weight: 1, arbitrary: fc.tuple(cut) }),
      recover: fc.constantFrom("ask" as const, "ask" as const, "ask" as const, "take" as const, "new" as const),
    })
    .map((each) => ({ ...quiet, ...each })),
});

const named: fc.Arbitrary<ProgramEdit> = fc.record({
  edit: fc.constant("add" as const),
  kind: fc.constantFrom("User", "User", "Secret", "Deployment", "Deployment"),
  // Deployments of these choose an id, of a model that exists.
  variant: fc.constantFrom(1, 3, 5, 7, 13, 15),
});
const answer = fc.constantFrom("ask" as const, "take" as const, "take" as const, "new" as const);
const adding = fc.array(named, { minLength: 1, maxLength: 2 }).map((edits) => [{ ...quiet, edits }]);
const running = (...names: CommandName[]): fc.Arbitrary<ModelCommand> =>
  fc.record({ command: fc.constantFrom(...names), at: place, serial: fc.boolean() });

/** Each create of the run is sent twice, or one. */
const doubled: fc.Arbitrary<Twist> = fc.record({
  before: fc.constant([]),
  twisted: fc
    .record({
      edits: fc.array(fc.oneof(named, writing), { minLength: 1, maxLength: 2 }),
      command: running("up", "up", "up --refresh", "up --continue-on-error"),
      troubles: fc.array(
        fc.record({ trouble: fc.constant("double" as const), create: fc.integer({ min: 1, max: 2 }) }),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
    })
    .map((each) => ({ ...quiet, ...each })),
  next: fc
    .record({
      edits: fc.array(writing, { maxLength: 1 }),
      command: running("up", "refresh", "destroy", "up --target"),
      recover: answer,
    })
    .map((each) => [{ ...quiet, ...each }]),
});

/** Two resources that want the same, the second with an answer in advance. */
const collided: fc.Arbitrary<Twist> = fc.record({
  before: fc.oneof(
    adding,
    fc
      .record({ edit: fc.constant("add" as const), kind: fc.constant("Deployment"), variant })
      .map((each) => [{ ...quiet, edits: [each] }]),
  ),
  twisted: fc
    .record({
      edits: fc.tuple(fc.record({ edit: fc.constant("collide" as const), at: place })),
      command: running(
        "up",
        "up",
        "up --refresh",
        "up --continue-on-error",
        "up --target",
        "up --refresh --run-program",
      ),
      recover: answer,
    })
    .map((each) => ({ ...quiet, ...each })),
  next: fc.constant([]),
});

/** A run that gives up waiting, by itself or because of an interrupt; then a refresh, and perhaps its preview. */
const waiting: fc.Arbitrary<Twist> = fc.record({
  before: fc.oneof(fc.constant<Round[]>([]), adding),
  twisted: fc
    .record({
      edits: fc.tuple(
        fc.oneof(
          fc.record({ edit: fc.constant("add" as const), kind: fc.constant("Deployment"), variant }),
          fc.record({ edit: fc.constant("change" as const), at: place, variant }),
        ),
      ),
      command: running("up", "up", "up --continue-on-error"),
      troubles: fc.oneof(
        fc.tuple(fc.constant<Trouble>({ trouble: "slow", minutes: 90 })),
        fc.tuple(
          fc.constant<Trouble>({ trouble: "slow", minutes: 30 }),
          fc.record({ trouble: fc.constant("interrupt" as const), request: fc.integer({ min: 3, max: 15 }) }),
        ),
      ),
    })
    .map((each) => ({ ...quiet, ...each })),
  next: fc
    .record({ command: running("refresh", "refresh", "up", "up --target"), edits: fc.constant<ProgramEdit[]>([]) })
    .map((each) => [{ ...quiet, ...each }]),
});

/** New parts come last, so that the rounds of a seed and a number stay what they were. */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
  recovery: fc.constantFrom("up" as const, "up --refresh" as const, "up --refresh --run-program" as const),
  aftermaths: fc.array(aftermath, { maxLength: 2 }),
  isAsked: fc.boolean(),
  twists: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Twist[]>([]) },
    { weight: 1, arbitrary: fc.tuple(fc.oneof(doubled, collided, waiting)) },
  ),
  deviations: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Deviation[]>([]) },
    { weight: 1, arbitrary: fc.tuple(deviation) },
  ),
});

/** All rounds of a scenario, in order. */
export const roundsOf = ({ rounds, aftermaths, twists }: Scenario): Round[] => [
  ...rounds,
  ...aftermaths.flatMap(({ before, cut: broken, next }) => [before, broken, next]),
  ...twists.flatMap(({ before, twisted, next }) => [...before, twisted, ...next]),
];
