import type { IdSource } from "../../provider/lifecycle/memory/identity";
import {
  type Adopt,
  type CreateVerdict,
  createRules,
  decideCreate,
  decideFormer,
  type FormerAction,
  firstMatchingRow,
  formers,
  inPlaceOfRecorded,
  type Recover,
  type Relation,
  relations,
} from "../../provider/lifecycle/ownership/verdicts";

/** What becomes of an object, by every combination of what that depends on. */

const adopts: readonly Adopt[] = ["never", "ifEqual", "overwrite"];
const recovers: readonly Recover[] = ["ask", "take", "new"];
const all = Object.keys(relations) as Relation[];

describe("a create at an automatic id", () => {
  /** By `recover`: `adopt` says nothing there, for another id is free. */
  const expected: Record<Relation, [ask: CreateVerdict, take: CreateVerdict, new_: CreateVerdict]> = {
    gone: ["next", "next", "next"],
    theirs: ["next", "next", "next"],
    siblingNow: ["next", "next", "next"],
    recorded: ["next", "next", "next"],
    answered: ["keep", "keep", "keep"],
    begun: ["takeOver", "takeOver", "nameAndNext"],
    former: ["next", "next", "next"],
    siblingHeld: ["next", "next", "next"],
    siblingBegun: ["next", "next", "next"],
    siblingAdopted: ["next", "next", "next"],
    likely: ["takeOver", "takeOver", "nameAndNext"],
    possible: ["ask", "takeOver", "nameAndNext"],
    marked: ["takeOver", "takeOver", "nameAndNext"],
    strange: ["next", "next", "next"],
  };
  test.each(
    all.flatMap((relation) =>
      recovers.map((recover, index) => [relation, recover, expected[relation]![index]!] as const),
    ),
  )("%s, recover %s: %s", (relation, recover, verdict) => {
    for (const adopt of adopts) expect(decideCreate(relation, { id: "automatic", adopt, recover })).toBe(verdict);
  });
});

describe.each<IdSource>(["chosen", "key"])("a create at its own place: %s", (id) => {
  type Line = [ask: CreateVerdict, take: CreateVerdict, new_: CreateVerdict];
  const always = (verdict: CreateVerdict): Line => [verdict, verdict, verdict];
  /** By `adopt`, and then by `recover`. `ifEqual` and `overwrite` differ in what adopting is, not in whether to. */
  const expected: Record<Relation, [never: Line, allowed: Line]> = {
    gone: [always("revive"), always("revive")],
    theirs: [always("refuse"), always("refuse")],
    siblingNow: [always("refuse"), always("refuse")],
    recorded: [always("refuse"), always("retake")],
    answered: [always("keep"), always("keep")],
    begun: [
      ["takeOver", "takeOver", "refuse"],
      ["takeOver", "takeOver", "refuse"],
    ],
    former: [["refuse", "takeBack", "refuse"], always("retake")],
    siblingHeld: [
      ["refuse", "takeBack", "refuse"],
      ["refuse", "takeBack", "refuse"],
    ],
    siblingBegun: [always("refuse"), always("retake")],
    siblingAdopted: [always("refuse"), always("adopt")],
    likely: [
      ["takeOver", "takeOver", "refuse"],
      ["takeOver", "takeOver", "refuse"],
    ],
    possible: [
      ["ask", "takeOver", "refuse"],
      ["adopt", "takeOver", "adopt"],
    ],
    marked: [always("refuse"), always("refuse")],
    strange: [always("refuse"), always("adopt")],
  };
  test.each(
    all.flatMap((relation) =>
      adopts.flatMap((adopt) =>
        recovers.map((recover, index) => {
          const verdict = expected[relation]![adopt === "never" ? 0 : 1][index]!;
          return [relation, adopt, recover, verdict] as const;
        }),
      ),
    ),
  )("%s, adopt %s, recover %s: %s", (relation, adopt, recover, verdict) => {
    expect(decideCreate(relation, { id, adopt, recover })).toBe(verdict);
  });
});

describe("the object that a declaration had before", () => {
  type Given = [place: "same" | "other", isLost: boolean, fits: boolean];
  test.each<[given: Given, never: Record<Recover, FormerAction>, allowed: Record<Recover, FormerAction>]>([
    [["same", true, true], { ask: "ask", take: "takeBack", new: "pass" }, { ask: "pass", take: "pass", new: "pass" }],
    [["same", true, false], { ask: "ask", take: "ask", new: "pass" }, { ask: "pass", take: "pass", new: "pass" }],
    [["same", false, true], { ask: "pass", take: "takeBack", new: "pass" }, { ask: "pass", take: "pass", new: "pass" }],
    [["same", false, false], { ask: "pass", take: "name", new: "pass" }, { ask: "pass", take: "pass", new: "pass" }],
    [
      ["other", true, true],
      { ask: "ask", take: "takeBack", new: "name" },
      { ask: "ask", take: "takeBack", new: "name" },
    ],
    [["other", true, false], { ask: "ask", take: "ask", new: "name" }, { ask: "ask", take: "ask", new: "name" }],
    [
      ["other", false, true],
      { ask: "name", take: "takeBack", new: "name" },
      { ask: "name", take: "takeBack", new: "name" },
    ],
    [["other", false, false], { ask: "name", take: "name", new: "name" }, { ask: "name", take: "name", new: "name" }],
  ])("place %j", ([place, isLost, fits], never, allowed) => {
    for (const adopt of adopts)
      for (const recover of recovers)
        expect(decideFormer({ place, adopt, recover, isLost, fits })).toBe(
          (adopt === "never" ? never : allowed)[recover],
        );
  });
});

test.each<[Relation, read: string, change: string]>([
  ["gone", "show", "refuse"],
  ["theirs", "show", "refuse"],
  ["siblingNow", "drop", "replace"],
  ["recorded", "drop", "continue"],
  ["answered", "accept", "continue"],
  ["begun", "accept", "continue"],
  ["former", "accept", "continue"],
  ["siblingHeld", "drop", "replace"],
  ["siblingBegun", "show", "replace"],
  ["siblingAdopted", "drop", "replace"],
  ["likely", "accept", "continue"],
  ["possible", "show", "refuse"],
  ["marked", "show", "refuse"],
  ["strange", "show", "refuse"],
])("in place of the recorded object, %s: a refresh would %s, a change %s", (relation, read, change) => {
  expect(inPlaceOfRecorded[relation]).toEqual({ read, change });
});

test("each row of the tables decides something", () => {
  const creating = all.flatMap((relation) =>
    (["automatic", "chosen", "key"] as const).flatMap((id) =>
      adopts.flatMap((adopt) => recovers.map((recover) => ({ relation, id, adopt, recover }))),
    ),
  );
  expect(new Set(creating.map((given) => firstMatchingRow(createRules, given)))).toEqual(new Set(createRules));
  const before = (["same", "other"] as const).flatMap((place) =>
    [true, false].flatMap((isLost) =>
      [true, false].flatMap((fits) =>
        adopts.flatMap((adopt) => recovers.map((recover) => ({ place, isLost, fits, adopt, recover }))),
      ),
    ),
  );
  expect(new Set(before.map((given) => firstMatchingRow(formers, given)))).toEqual(new Set(formers));
});
