import type { Hidden } from "../../provider/core/declaration/own-records";
import { beginOperation, type ResourceOperation } from "../../provider/lifecycle/operation/operation";
import { digestsOfSent } from "../../provider/lifecycle/ownership/evidence";
import { whose } from "../../provider/lifecycle/ownership/whose";
import type { Event, Fact } from "../../provider/lifecycle/ports/journal";
import type { Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { createHarness, type Harness, hiddenOf, type KeptJournal, keptJournal } from "./harness";
import { address } from "./in-process";

/** Whose a live object is, by what has happened. The life cycle's paths are tested with the service elsewhere. */

let at: Harness;
let journal: KeptJournal;
beforeEach(async () => {
  at = await createHarness();
  journal = keptJournal();
});
afterEach(() => at.close());

const ada = { name: "accounts/acme/users/ada", createTime: "2026-01-01T00:00:10Z" };
const key = { name: "accounts/acme/secrets/key" };

interface Told {
  urn?: string;
  aliases?: string[];
  claimedBy?: string;
  live?: Values;
  recorded?: { name: string; createTime?: string };
}

type Line = [urn: string, event: Event];

const urnOf = (name: string, kind: string): string => hiddenOf(kind, name).urn;

async function operationFor(kind: string, { urn = "it", aliases = [], claimedBy }: Told): Promise<ResourceOperation> {
  const hidden: Hidden = { ...hiddenOf(kind, urn), aliases: aliases.map((alias) => urnOf(alias, kind)) };
  const { world } = at.process({}, { journal });
  if (claimedBy !== undefined)
    world.run
      .resource(urnOf(claimedBy, kind))
      .create()
      .hold(kind === "User" ? ada.name : key.name, {});
  const reporter = { status: () => {}, info: () => {}, warn: () => {} };
  const call = { hidden, reporter, signal: new AbortController().signal };
  return beginOperation({ ports: world, spec: specOf(kind)!, call }, { account: "acme", verb: "create", values: {} });
}

async function judged(kind: string, lines: readonly Line[], told: Told = {}): Promise<object> {
  for (const [index, [urn, event]] of lines.entries())
    await journal.append({
      ...event,
      kind,
      urn: urnOf(urn, kind),
      origin: "loopback",
      account: "acme",
      at: Date.parse("2026-01-01T00:00:05Z") + index,
    } as Fact);
  const live = { ...(kind === "User" ? ada : key), state: "READY", email: "ada@example.com", ...told.live };
  return whose(await operationFor(kind, told), live, { email: "ada@example.com", role: "user" }, told.recorded);
}

const sent: Event = {
  fact: "sent",
  id: "1",
  place: { name: ada.name },
  digest: "d",
  clock: Date.parse("2026-01-01T00:00:05Z"),
};
const made: Event = { fact: "made", object: ada };
const held: Event = { fact: "held", object: ada };
const seen: Event = { fact: "seen", object: ada };
const digests = digestsOfSent(specOf("User")!, { email: "ada@example.com" }, "salt");

test.each<[title: string, lines: Line[], told: Told, answer: object]>([
  ["nothing is known of it", [], {}, { is: "nobody's", seen: false }],
  ["a state holds it", [["it", held]], {}, { is: "held" }],
  ["a state held it under an alias", [["before", held]], { aliases: ["before"] }, { is: "held" }],
  ["a state held it under another URN", [["before", held]], {}, { is: "another's", begun: false, adopted: false }],
  [
    "a state held it under another URN, which has held what this one has, too",
    [["before", held]],
    { recorded: ada },
    { is: "held" },
  ],
  ["another declaration adopted it", [["other", { ...held, adopted: true }]], {}, { is: "another's", adopted: true }],
  [
    "its create was answered",
    [
      ["it", sent],
      ["it", made],
    ],
    {},
    { is: "begun" },
  ],
  [
    "another's create was answered",
    [
      ["other", sent],
      ["other", made],
    ],
    {},
    { is: "another's", begun: true },
  ],
  ["a create was sent, and it does not show what was", [["it", sent]], {}, { is: "unproven" }],
  ["a create was sent, and it shows what was", [["it", { ...sent, sent: digests }]], {}, { is: "begun" }],
  [
    "it shows what was sent, and more",
    [["it", { ...sent, sent: digests }]],
    { live: { displayName: "Theirs" } },
    { is: "unproven" },
  ],
  [
    "another's create was sent, and it shows what was",
    [["other", { ...sent, sent: digests }]],
    {},
    { is: "another's", begun: true },
  ],
  ["another's create was sent, and it does not show what was", [["other", sent]], {}, { is: "nobody's" }],
  [
    "it is older than the create",
    [["it", { ...sent, sent: digests }]],
    { live: { createTime: "2026-01-01T00:00:04Z" } },
    { is: "nobody's", seen: false },
  ],
  [
    "it was created when the create had ended for certain",
    [["it", { ...sent, sent: digests, until: Date.parse("2026-01-01T00:00:09Z") }]],
    {},
    { is: "nobody's", seen: false },
  ],
  [
    "it was created while the create may have been under way",
    [["it", { ...sent, sent: digests, until: Date.parse("2026-01-01T00:00:10Z") }]],
    {},
    { is: "begun" },
  ],
  [
    "it was known before the create",
    [
      ["it", seen],
      ["it", { ...sent, sent: digests }],
    ],
    {},
    { is: "nobody's", seen: true },
  ],
  [
    "it was met, and nobody of the stack made it",
    [
      ["it", sent],
      ["it", seen],
    ],
    {},
    { is: "nobody's", seen: true },
  ],
  [
    "the create made nothing",
    [
      ["it", sent],
      ["it", { fact: "void", id: "1" }],
    ],
    {},
    { is: "nobody's", seen: false },
  ],
  [
    "another declaration of the run has it",
    [["it", { ...sent, sent: digests }]],
    { claimedBy: "other" },
    { is: "claimed", urn: urnOf("other", "User") },
  ],
  [
    "its create was answered, and another declaration has it",
    [["it", made]],
    { claimedBy: "other" },
    { is: "claimed" },
  ],
  [
    "its name was held by an object that is gone",
    [["it", { ...held, object: { name: ada.name, createTime: "x" } }]],
    {},
    { is: "nobody's" },
  ],
])("%s", async (_, lines, told, answer) => {
  expect(await judged("User", lines, told)).toMatchObject(answer);
});

const keyHeld: Event = { fact: "held", object: key };
const keySent: Event = {
  ...(sent as Extract<Event, { fact: "sent" }>),
  place: { name: key.name },
  sent: { salt: "", fields: {} },
};

test.each<[title: string, lines: Line[], answer: object]>([
  ["a state holds it", [["it", keyHeld]], { is: "held" }],
  ["a state held it under another URN", [["other", keyHeld]], { is: "another's", begun: false }],
  [
    "it was deleted, and a create was sent since",
    [
      ["it", keyHeld],
      ["it", { fact: "gone", object: key }],
      ["it", keySent],
    ],
    { is: "begun" },
  ],
  [
    "it was deleted",
    [
      ["it", keyHeld],
      ["it", { fact: "gone", object: key }],
    ],
    { is: "nobody's" },
  ],
])("of what shows no creation time: %s", async (_, lines, answer) => {
  expect(await judged("Secret", lines)).toMatchObject(answer);
});

test("a tombstone is nobody's, whoever made it", async () => {
  const lines: Line[] = [["it", { ...sent, sent: digests }]];
  for (const [urn, event] of lines)
    await journal.append({
      ...event,
      kind: "Deployment",
      urn: urnOf(urn, "Deployment"),
      origin: "loopback",
      account: "acme",
      at: 0,
    } as Fact);
  const gone = { name: ada.name, createTime: ada.createTime, state: "DELETED" };
  expect(await whose(await operationFor("Deployment", {}), gone, {})).toMatchObject({ is: "nobody's" });
});

test("facts of another port of this machine are of the same service", async () => {
  await journal.append({
    ...held,
    kind: "User",
    urn: urnOf("it", "User"),
    origin: "loopback",
    account: "acme",
    at: 0,
  } as Fact);
  expect(address).toContain("127.0.0.1");
  expect(await whose(await operationFor("User", {}), { ...ada, state: "READY" }, {})).toMatchObject({ is: "held" });
});
