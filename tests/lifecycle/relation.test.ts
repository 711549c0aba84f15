import type { HiddenContext } from "../../provider/core/declaration/own-fields";
import type { Event, Fact, ObjectIdentity } from "../../provider/lifecycle/memory/history";
import { automaticId } from "../../provider/lifecycle/memory/identity";
import { Operation } from "../../provider/lifecycle/operation";
import { ownerBy } from "../../provider/lifecycle/ownership/owner";
import { classifyOwnership, digestsOfSent } from "../../provider/lifecycle/ownership/relation";
import type { Relation } from "../../provider/lifecycle/ownership/verdicts";
import type { LifecyclePorts } from "../../provider/lifecycle/ports";
import type { Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { createHarness, type Harness, hiddenOf, type KeptJournal, keptJournal } from "./harness";
import { address } from "./in-process";

/** What a live object is to a declaration, by what has happened. `creates.test.ts` plays it with a service. */

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

async function operationFor(kind: string, { urn = "it", aliases = [], claimedBy }: Told): Promise<Operation> {
  const hidden: HiddenContext = { ...hiddenOf(kind, urn), aliases: aliases.map((alias) => urnOf(alias, kind)) };
  const { world } = at.process({}, { journal });
  if (claimedBy !== undefined)
    world.run
      .resource(urnOf(claimedBy, kind))
      .create()
      .recordObject(kind === "User" ? ada.name : key.name, {});
  const reporter = { status: () => {}, info: () => {}, warn: () => {} };
  const call = { hidden, reporter, signal: new AbortController().signal };
  const resource = world.run.resource(hidden.urn);
  return new Operation(
    { ports: world, spec: specOf(kind)!, call, resource },
    { account: "acme", verb: "create", values: {} },
  );
}

async function relationIn(kind: string, lines: readonly Line[], told: Told = {}): Promise<Relation> {
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
  const { relation } = await classifyOwnership(
    await operationFor(kind, told),
    live,
    { email: "ada@example.com", role: "user" },
    { recorded: told.recorded && { ...told.recorded, accepted: told.recorded } },
  );
  return relation;
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
const digests = digestsOfSent(specOf("User")!, { email: "ada@example.com" }, "salt");

test.each<[title: string, lines: Line[], told: Told, answer: Relation]>([
  ["nothing is known of it", [], {}, "strange"],
  ["a state holds it", [["it", held]], {}, "former"],
  ["a state held it under an alias", [["before", held]], { aliases: ["before"] }, "former"],
  ["a state held it under another URN", [["before", held]], {}, "siblingHeld"],
  [
    "a state held it under another URN, which has held what this one has, too",
    [["before", held]],
    { recorded: ada },
    "former",
  ],
  ["another declaration adopted it", [["other", { ...held, adopted: true }]], {}, "siblingAdopted"],
  [
    "its create was answered",
    [
      ["it", sent],
      ["it", made],
    ],
    {},
    "begun",
  ],
  [
    "another's create was answered",
    [
      ["other", sent],
      ["other", made],
    ],
    {},
    "siblingBegun",
  ],
  ["a create was sent, and it does not show what was", [["it", sent]], {}, "possible"],
  ["a create was sent, and it shows what was", [["it", { ...sent, sent: digests }]], {}, "likely"],
  [
    "it shows what was sent, and more",
    [["it", { ...sent, sent: digests }]],
    { live: { displayName: "Theirs" } },
    "possible",
  ],
  ["another's create was sent, and it shows what was", [["other", { ...sent, sent: digests }]], {}, "siblingBegun"],
  ["another's create was sent, and it does not show what was", [["other", sent]], {}, "strange"],
  [
    "it is older than the create",
    [["it", { ...sent, sent: digests }]],
    { live: { createTime: "2026-01-01T00:00:04Z" } },
    "strange",
  ],
  [
    "it was created when the create had ended for certain",
    [["it", { ...sent, sent: digests, until: Date.parse("2026-01-01T00:00:09Z") }]],
    {},
    "strange",
  ],
  [
    "it was created while the create may have been under way",
    [["it", { ...sent, sent: digests, until: Date.parse("2026-01-01T00:00:10Z") }]],
    {},
    "likely",
  ],
  [
    "the create made nothing",
    [
      ["it", sent],
      ["it", { fact: "void", id: "1" }],
    ],
    {},
    "strange",
  ],
  ["another declaration of the run has it", [["it", { ...sent, sent: digests }]], { claimedBy: "other" }, "siblingNow"],
  ["its create was answered, and another declaration has it", [["it", made]], { claimedBy: "other" }, "siblingNow"],
  [
    "its name was held by an object that is gone",
    [["it", { ...held, object: { name: ada.name, createTime: "x" } }]],
    {},
    "strange",
  ],
])("%s", async (_, lines, told, answer) => {
  expect(await relationIn("User", lines, told)).toBe(answer);
});

const keyHeld: Event = { fact: "held", object: key };
const keySent: Event = {
  ...(sent as Extract<Event, { fact: "sent" }>),
  place: { name: key.name },
  sent: { salt: "", fields: {} },
};

test.each<[title: string, lines: Line[], answer: Relation]>([
  ["a state holds it", [["it", keyHeld]], "former"],
  ["a state held it under another URN", [["other", keyHeld]], "siblingHeld"],
  [
    "it was deleted, and a create was sent since",
    [
      ["it", keyHeld],
      ["it", { fact: "gone", object: key }],
      ["it", keySent],
    ],
    "likely",
  ],
  [
    "it was deleted",
    [
      ["it", keyHeld],
      ["it", { fact: "gone", object: key }],
    ],
    "strange",
  ],
])("of what shows no creation time: %s", async (_, lines, answer) => {
  expect(await relationIn("Secret", lines)).toBe(answer);
});

test("a tombstone is gone, whoever made it", async () => {
  const about = { kind: "Deployment", urn: urnOf("it", "Deployment"), origin: "loopback", account: "acme", at: 0 };
  await journal.append({ ...sent, sent: digests, ...about } as Fact);
  await journal.append({ ...held, ...about } as Fact);
  const gone = { name: ada.name, createTime: ada.createTime, state: "DELETED" };
  expect(await classifyOwnership(await operationFor("Deployment", {}), gone, {})).toMatchObject({ relation: "gone" });
});

test("facts of another port of this machine are of the same service", async () => {
  const about = { kind: "User", urn: urnOf("it", "User"), origin: "loopback", account: "acme", at: 0 };
  await journal.append({ ...held, ...about } as Fact);
  expect(address).toContain("127.0.0.1");
  const live = { ...ada, state: "READY" };
  expect(await classifyOwnership(await operationFor("User", {}), live, {})).toMatchObject({ relation: "former" });
});

describe("of a deployment", () => {
  const id = automaticId(hiddenOf("Deployment", "it"), "acme", 0);
  const name = `accounts/acme/deployments/${id}`;
  const live = { name, createTime: "2026-01-01T00:00:10Z", state: "READY" };
  const marksOf = (urn: string, stack = hiddenOf("Deployment", urn).stack): Values => {
    const { stack: owner, urn: tail } = ownerBy({ ...hiddenOf("Deployment", urn), stack });
    return { annotations: { "custom/pulumi-stack": owner, "custom/pulumi-urn": tail } };
  };
  const about = { kind: "Deployment", urn: urnOf("it", "Deployment"), origin: "loopback", account: "acme", at: 0 };
  const later = { name: `${name}-later`, createTime: "2026-01-02T00:00:00Z" };

  test.each<
    [title: string, told: { live?: Values; inputs?: Values; shown?: object[]; lines?: Event[] }, answer: Relation]
  >([
    ["its automatic id, and nothing else", {}, "possible"],
    ["the same, where the program chooses the id", { inputs: { deploymentId: "chat" } }, "strange"],
    ["its automatic id and marks", { live: marksOf("it") }, "marked"],
    ["its automatic id, and older than what a state has held", { lines: [{ fact: "held", object: later }] }, "strange"],
    ["its automatic id, and older than what the run has shown", { shown: [later] }, "strange"],
    ["marks of another stack", { live: marksOf("it", "prod"), lines: [{ fact: "held", object: live }] }, "theirs"],
    ["the engine has shown a record of it", { shown: [live] }, "recorded"],
    ["a create was sent to its automatic id", { lines: [{ ...sent, place: { name } } as Event] }, "begun"],
  ])("%s", async (_, { live: more, inputs = {}, shown = [], lines = [] }, answer) => {
    for (const line of lines) await journal.append({ ...line, ...about } as Fact);
    const operation = await operationFor("Deployment", {});
    const { claims } = (operation.ports as LifecyclePorts).run;
    for (const object of shown) claims.noteEngineRecord(about.urn, object as ObjectIdentity, "shown");
    expect(await classifyOwnership(operation, { ...live, ...more }, inputs)).toMatchObject({ relation: answer });
  });

  test("a create whose own answer was lost has made it, and no earlier run", async () => {
    await journal.append({ ...sent, place: { name }, ...about } as Fact);
    const operation = await operationFor("Deployment", {});
    expect(await classifyOwnership(operation, live, {}, { isResponseLost: true })).toMatchObject({
      relation: "answered",
    });
  });
});
