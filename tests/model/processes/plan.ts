import fc from "fast-check";
import { faultCases } from "../../lifecycle/contract/faults";
import { edit, type Outside, outside, type ProgramEdit, place, type StateEdit, stateEdit, verb } from "../scenario";

/** What happens to a program that real processes run. */

export type CommandLine =
  | "up"
  | "up --refresh"
  | "up --target"
  | "up --replace"
  | "refresh"
  | "destroy"
  | "destroy --refresh";

export type ProcessTrouble =
  | { trouble: "fault"; title: string; of: number; verb: string; skip: number; times: number }
  /** Without a word, when so many requests have arrived; that one is carried out, or not. */
  | { trouble: "kill"; whom: "engine" | "provider" | "both"; request: number; carriedOut: boolean }
  /** ^C, when so many requests have arrived. */
  | { trouble: "interrupt"; times: 1 | 2; request: number }
  | { trouble: "rival"; create: number };

export interface Act {
  edits: ProgramEdit[];
  outside: Outside[];
  /** What is done to the state by hand; there is no other stack to move anything to. */
  states: StateEdit[];
  line: CommandLine;
  at: number;
  trouble: ProcessTrouble | undefined;
}

export interface Plan {
  acts: Act[];
  recovery: "up" | "up --refresh";
}

/**
 * No real process waits for what a clock of its own would have to measure: TLS and proxies, and servers that never end.
 */
const unfit = /^24|^19/;

export const titles = faultCases.map(({ title }) => title).filter((title) => !unfit.test(title));

const request = fc.integer({ min: 1, max: 9 });

const trouble: fc.Arbitrary<ProcessTrouble | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.record({
      trouble: fc.constant("kill" as const),
      whom: fc.constantFrom("engine" as const, "provider" as const, "both" as const),
      request,
      carriedOut: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      trouble: fc.constant("interrupt" as const),
      times: fc.constantFrom<(1 | 2)[]>(1, 2),
      request,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      trouble: fc.constant("fault" as const),
      title: fc.constantFrom(...titles),
      of: place,
      verb,
      skip: fc.nat(1),
      times: fc.constantFrom(1, 9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ trouble: fc.constant("rival" as const), create: fc.constantFrom(1, 2) }) },
);

const act = (edits: fc.Arbitrary<ProgramEdit[]>, lines: readonly CommandLine[]): fc.Arbitrary<Act> =>
  fc.record({
    edits,
    outside: fc.array(outside, { maxLength: 1 }),
    states: fc.array(
      stateEdit.filter(({ state }) => state !== "move"),
      { maxLength: 1 },
    ),
    line: fc.constantFrom(...lines),
    at: place,
    trouble,
  });

const additions = fc.array(
  edit.filter((each) => each.edit === "add"),
  { minLength: 2, maxLength: 6 },
);

const ups: readonly CommandLine[] = ["up", "up", "up", "up --refresh"];
const all: readonly CommandLine[] = [
  ...ups,
  "up --refresh",
  "up --target",
  "up --replace",
  "refresh",
  "destroy",
  "destroy --refresh",
];
const later = act(fc.array(edit, { maxLength: 3 }), all);

/** Some resources to begin with, and two or three commands before the one that puts everything right. */
export const plan: fc.Arbitrary<Plan> = fc.record({
  acts: fc
    .tuple(act(additions, ups), fc.array(later, { minLength: 1, maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]),
  recovery: fc.constantFrom("up" as const, "up --refresh" as const),
});
