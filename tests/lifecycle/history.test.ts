import type { Event, Fact, ObjectIdentity, Slot } from "../../provider/lifecycle/memory/history";
import { OwnershipHistory } from "../../provider/lifecycle/memory/history";

/** What is known from facts, without files, processes or a service. */

const stack = "urn:pulumi:test::shop::type::";

type Told = Event & { urn?: string };

const history = (...events: readonly Told[]): OwnershipHistory =>
  new OwnershipHistory(
    events.map(
      (event, at) =>
        ({
          kind: "User",
          origin: "https://api.example.com",
          account: "acme",
          at,
          ...event,
          urn: `${stack}${event.urn ?? "it"}`,
        }) as Fact,
    ),
  );

const urns = (...names: readonly string[]): Set<string> => new Set(names.map((name) => `${stack}${name}`));

const sent = (id: string, place: Slot, urn = "it"): Told => ({ fact: "sent", id, place, digest: "d", urn });
const about = (fact: "made" | "held" | "gone", object: ObjectIdentity, more: object = {}): Told =>
  ({ fact, object, ...more }) as Told;

const ada = { name: "users/ada", createTime: "t1" };
const later = { name: "users/ada", createTime: "t2" };
const atAda: Slot = { name: ada.name };

describe("a place has one object at a time: a create that was sent for it", () => {
  test.each<[title: string, events: Told[], open: string[]]>([
    ["is open", [sent("1", atAda)], ["1"]],
    ["is open once its object is made, until a state holds it", [sent("1", atAda), about("made", ada)], ["1"]],
    ["is over when it certainly made nothing", [sent("1", atAda), { fact: "void", id: "1" }], []],
    ["is over when a state holds what it made", [sent("1", atAda), about("made", ada), about("held", ada)], []],
    [
      "is over when a state holds what it made, known by its name alone",
      [sent("1", { keyDigest: "k" }), about("made", ada, { keyDigest: "k" }), about("held", ada)],
      [],
    ],
    ["is over when what stood there is deleted", [sent("1", atAda), about("gone", ada)], []],
    [
      "is over when the object that it made elsewhere is deleted",
      [sent("1", { keyDigest: "k" }), about("made", ada, { keyDigest: "k" }), about("gone", ada)],
      [],
    ],
    ["is not over by what was known before it", [about("held", ada), sent("1", atAda), about("held", ada)], ["1"]],
    [
      "is not over by a record of another name with its key that does not say when the object was created",
      [sent("1", { ...atAda, keyDigest: "k" }), about("held", { name: "users/bob" }, { keyDigest: "k" })],
      ["1"],
    ],
    ["is not over by an object of another name", [sent("1", atAda), about("held", { name: "users/bob" })], ["1"]],
    [
      "is not over by an object of its name with another key",
      [sent("1", { ...atAda, keyDigest: "k" }), about("held", ada, { keyDigest: "other" })],
      ["1"],
    ],
    [
      "is over by an object of another name with its key that a state holds",
      [
        sent("1", { ...atAda, keyDigest: "k" }),
        about("held", { name: "users/bob", createTime: "t1" }, { keyDigest: "k" }),
      ],
      [],
    ],
    [
      "is over by what has no creation time, whenever that was known",
      [about("held", { name: ada.name }), sent("1", atAda), about("held", { name: ada.name })],
      [],
    ],
    [
      "is open beside others of its declaration",
      [sent("1", atAda), sent("2", { name: "users/bob" }), about("held", ada)],
      ["2"],
    ],
    ["is known once, however often its line was written", [sent("1", atAda), about("held", ada), sent("1", atAda)], []],
  ])("%s", (_, events, open) => {
    expect(
      history(...events)
        .open()
        .map(({ id }) => id),
    ).toEqual(open);
  });

  test("belongs to the declaration that has proven it to be its own", () => {
    const known = history(sent("1", atAda, "before"), about("made", ada, { urn: "after" }));
    expect(known.open(urns("after")).map(({ id, created }) => [id, created])).toEqual([["1", ada]]);
    expect(known.open(urns("before"))).toEqual([]);
  });
});

describe("an object", () => {
  test("was made and held under each of its URNs; the last one has it", () => {
    const known = history(
      about("made", ada, { urn: "a" }),
      about("held", ada, { urn: "a" }),
      about("held", ada, { urn: "b" }),
    );
    expect(known.object(ada)).toMatchObject({ createdBy: `${stack}a`, holder: `${stack}b`, holders: urns("a", "b") });
    expect(known.object(later)).toBeUndefined();
  });

  test("is adopted as long as its last holder says so", () => {
    expect(history(about("held", ada, { adopted: true })).object(ada)?.adopted).toBe(true);
    expect(history(about("held", ada, { adopted: true }), about("held", ada)).object(ada)?.adopted).toBeUndefined();
  });

  test("that is gone is not at its name, and one of the same name is another one", () => {
    const known = history(about("held", ada), about("gone", ada), about("held", later));
    expect(known.named(ada.name).map(({ identity }) => identity)).toEqual([later]);
  });

  test("of which nothing tells when it was made is forgotten when it is gone", () => {
    const key = { name: "secrets/key" };
    expect(history(about("held", key), about("gone", key)).object(key)).toBeUndefined();
  });

  test("was held last, of all that a declaration had", () => {
    const known = history(about("held", ada), about("held", { name: "users/bob" }), about("held", ada));
    expect(known.lastHeld(urns("it"))?.identity).toEqual(ada);
    expect(known.lastHeld(urns("other"))).toBeUndefined();
  });

  test("without a time, which an older state shows again, is not what was held last", () => {
    const [first, second] = [{ name: "secrets/first" }, { name: "secrets/second" }];
    const end = [about("held", first), about("held", second), about("gone", first)];
    expect(history(...end, about("held", first)).lastHeld(urns("it"))?.identity).toEqual(second);
    const again = history(...end, about("made", first), about("held", first));
    expect(again.lastHeld(urns("it"))?.identity).toEqual(first);
  });

  test("and is gone since is not what was held last", () => {
    expect(history(about("held", ada), about("gone", ada)).lastHeld(urns("it"))).toBeUndefined();
  });
});

test("what has been read once is extended by later facts", () => {
  const known = history(sent("1", atAda));
  known.add({ ...about("held", ada), kind: "User", origin: "o", account: "acme", at: 9, urn: `${stack}it` } as Fact);
  expect(known.open()).toEqual([]);
});

/** Processor time of some thousand questions about one declaration's creates, in a history of so many of others. */
function timeAmong(others: number): number {
  const events = Array.from({ length: others }, (_, index) => {
    const place: Slot = { name: `users/other${index}` };
    const begun = sent(`other${index}`, place, `other${index}`);
    return index % 2 === 0 ? [begun] : [begun, about("held", { name: place.name! }, { urn: `other${index}` })];
  });
  const known = history(sent("1", atAda), ...events.flat());
  const own = urns("it");
  const began = process.cpuUsage();
  for (let call = 0; call < 3000; call += 1) expect(known.open(own)).toHaveLength(1);
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

test("a declaration's open creates are found without a look at all others", () => {
  const rounds = [1, 2, 3].map(() => timeAmong(4000) / timeAmong(1));
  expect(Math.min(...rounds)).toBeLessThan(3);
});

/** Processor time of reading so many changes that never ended, and then as many objects that are held. */
function timeOfUnended(count: number): number {
  const objects = Array.from({ length: count }, (_, index) => ({ name: `users/u${index}` }));
  const events = [
    ...objects.map((object, index): Told => ({ fact: index % 2 ? "deleting" : "writing", id: object.name, object })),
    ...objects.map((object, index) => about(index % 2 ? "held" : "gone", object)),
  ];
  const began = process.cpuUsage();
  history(...events);
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

test("changes that never ended cost in proportion to their number", () => {
  const rounds = [1, 2, 3].map(() => timeOfUnended(8000) / timeOfUnended(2000));
  expect(Math.min(...rounds)).toBeLessThan(8);
});

describe("a delete that was sent", () => {
  const key = { name: "secrets/key" };
  const deleting = (object: ObjectIdentity, more: object = {}): Told => ({
    fact: "deleting",
    id: "d",
    object,
    ...more,
  });

  test.each<[title: string, events: Told[], object: ObjectIdentity, open: string[]]>([
    ["is open until its end is known", [about("held", ada), deleting(ada)], ada, ["d"]],
    ["is of that object, and of no later one of its name", [deleting(ada)], later, []],
    [
      "is open where a state holds the object under another URN",
      [deleting(ada), about("held", ada, { urn: "new" })],
      ada,
      ["d"],
    ],
    [
      "is over when it was refused, or the object was seen since",
      [deleting(ada), { fact: "written", id: "d" }],
      ada,
      [],
    ],
    ["is over when the object is gone", [deleting(ada), about("gone", ada)], ada, []],
    ["is over when the name has another object", [deleting(key), about("made", key)], key, []],
    ["is over when the object was adopted since", [deleting(key), about("held", key, { adopted: true })], key, []],
    ["tells nothing once a create was sent for its place", [deleting(key), sent("1", key)], key, []],
    [
      "tells nothing once a create was sent for its key",
      [deleting(key, { keyDigest: "k" }), sent("1", { keyDigest: "k" })],
      key,
      [],
    ],
    ["is over when a state holds what was created since", [deleting(key), sent("1", key), about("held", key)], key, []],
    ["is open after a create from before it", [sent("1", key), deleting(key)], key, ["d"]],
  ])("%s", (_, events, object, open) => {
    expect(
      history(...events)
        .openDeletes(object)
        .map(({ id }) => id),
    ).toEqual(open);
  });
});
