import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event, Fact } from "../../provider/lifecycle/memory/history";
import { journalIn, openAttemptsIn } from "../../provider/lifecycle/memory/journal-files";
import { refusal, rejection } from "../rejection";
import { createHarness, keptJournal } from "./harness";

const day = 24 * 60 * 60 * 1000;
const now = Date.parse("2026-06-01T00:00:00Z");
const stack = "urn:pulumi:prod::shop";
const place = { origin: "https://api.example.com", account: "acme" };
const chat = { name: "accounts/acme/deployments/chat" };

const fact = (event: Event, more: Partial<Fact> = {}): Fact =>
  ({ ...event, ...place, kind: "Deployment", urn: `${stack}::type::chat`, at: now, ...more }) as Fact;

const sent = (id: string, more: Partial<Fact> = {}): Fact =>
  fact({ fact: "sent", id, place: { name: `${chat.name}-${id}` }, digest: "d" }, more);

const made = (createTime: string): Event => ({ fact: "made", object: { ...chat, createTime } });

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "journal-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a process of its own has it. */
const journal = (at = now) => journalIn(folder, () => at);

const told = async (of = journal()): Promise<readonly Fact[]> => of.read(place.origin, place.account, stack);

const files = (): string[] => readdirSync(folder).map((name) => join(folder, name));

/** As if nobody had touched the files for a while. */
function rest(at = now): void {
  for (const file of files()) utimesSync(file, (at - 3_600_000) / 1000, (at - 3_600_000) / 1000);
}

test("what one process appends, another one reads in order, with what comes later", async () => {
  const reader = journal();
  expect(await told(reader)).toEqual([]);
  await journal().append(sent("1"));
  await journal().append(fact(made("2026-06-01T00:00:00Z")));
  expect(await told(reader)).toEqual([sent("1"), fact(made("2026-06-01T00:00:00Z"))]);
  await journal().append(fact({ fact: "void", id: "1" }));
  expect((await told(reader)).map((each) => each.fact)).toEqual(["sent", "made", "void"]);
});

test("a journal that is too large to be read is an error, and not an empty one", async () => {
  await journal().append(sent("1"));
  const [file] = files();
  truncateSync(file!, 64 * 1024 * 1024 + 1);
  expect(String(await refusal("journal-unwritable", told()))).toContain(`${file} is larger than 64 MB`);
  expect(await journal().readProject(place.origin, place.account, "another")).toEqual([]);
});

test("accounts, services and stacks are kept apart", async () => {
  const all = [sent("1"), sent("2", { account: "beta" }), sent("3", { origin: "https://other.example.com" })];
  const other = sent("4", { urn: "urn:pulumi:dev::shop::type::chat" });
  for (const each of [...all, other]) await journal().append(each);
  expect(await told()).toEqual([all[0]]);
  expect(await journal().readProject(place.origin, place.account, "shop")).toEqual(
    expect.arrayContaining([[all[0]], [other]]),
  );
});

test("facts that are appended at once are all there", async () => {
  const writer = journal();
  const many = Array.from({ length: 50 }, (_, index) => sent(String(index)));
  await Promise.all(many.map((each) => writer.append(each)));
  expect(await told()).toEqual(many);
});

test("a line that a crash has torn says nothing, and spoils none that follows", async () => {
  await journal().append(sent("1"));
  appendFileSync(files()[0]!, JSON.stringify(sent("2")).slice(0, 40));
  expect(await told()).toEqual([sent("1")]);
  await journal().append(sent("3"));
  expect(await told()).toEqual([sent("1"), sent("3")]);
});

test.each(["{}", "[]", "null", '"text"', '{"fact":"made","at":1}', '{"fact":"held","object":null,"at":0}'])(
  "a line that is no fact is left out: %s",
  async (line) => {
    await journal().append(sent("1"));
    appendFileSync(files()[0]!, `${line}\n`);
    expect(await told()).toEqual([sent("1")]);
  },
);

test("a folder that cannot be written is an error before anything is sent", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(
    (await refusal("journal-unwritable", journalIn(join(file, "below"), () => now).append(sent("1")))).message,
  ).toMatch("MODELPLATFORM_INTENTS");
});

test("the folder and its files are for this user alone", async () => {
  const below = join(folder, "below");
  await journalIn(below, () => now).append(sent("1"));
  expect(statSync(below).mode & 0o777).toBe(0o700);
  expect(statSync(join(below, readdirSync(below)[0]!)).mode & 0o777).toBe(0o600);
});

test("a journal that others may read is for this user alone from then on", async () => {
  await journal().append(sent("1"));
  chmodSync(files()[0]!, 0o644);
  await journal().append(sent("2"));
  expect(statSync(files()[0]!).mode & 0o777).toBe(0o600);
});

test("no fact holds a value of an input: natural keys are digests", async () => {
  const at = await createHarness();
  const kept = keptJournal();
  const { create } = at.process({}, { journal: kept });
  await create("User", "ada", { email: "ada@example.com", role: "admin", displayName: "Countess" });
  await create("Secret", "key", { keyName: "STORAGE_KEY", secretId: "other", value: "hidden" });
  expect(kept.facts().map((each) => each.fact)).toEqual(["sent", "made", "sent", "made"]);
  expect(JSON.stringify(kept.facts())).not.toMatch(/example\.com|countess|storage_key|hidden/i);
  await at.close();
});

test("a success stays one where the disk is full after it, with what is lost", async () => {
  const at = await createHarness();
  const kept = keptJournal();
  const full = {
    ...kept,
    append: (each: Fact) => (each.fact === "sent" ? kept.append(each) : Promise.reject(new Error("the disk is full"))),
  };
  const process = at.process({}, { journal: full });
  const user = { email: "ada@example.com", role: "user" };
  const { id, outputs } = await process.create("User", "ada", user);
  expect(process.messages.join()).toContain("the disk is full");
  await process.diff("User", "ada", outputs, user);
  await at.process({}, { journal: full }).delete("User", "ada", outputs);
  expect(at.object(id)).toBeUndefined();
  await at.close();
});

test("what a stack has left open is read from its own journal alone", async () => {
  await journal().append(sent("mine"));
  await journal().append(sent("theirs", { urn: "urn:pulumi:prod::other::type::chat" }));
  expect(
    openAttemptsIn(folder)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(["mine", "theirs"]);
  expect(openAttemptsIn(folder, stack).map(({ id }) => id)).toEqual(["mine"]);
});

describe("the first fact that a process appends", () => {
  /** More than is worth a look: creates that are over, and one that is not. */
  async function longJournal(): Promise<void> {
    const writer = journal();
    const over = Array.from({ length: 400 }, (_, index) => [
      sent(`over-${index}`),
      fact({ fact: "void", id: `over-${index}` }),
    ]).flat();
    await Promise.all([...over, sent("open"), fact(made("2026-06-01T00:00:00Z"))].map((each) => writer.append(each)));
    rest();
  }

  test("leaves out what is of no more use", async () => {
    await longJournal();
    const before = statSync(files()[0]!).size;
    await journal().append(sent("next"));
    expect(statSync(files()[0]!).size).toBeLessThan(before / 10);
    expect((await told()).map((each) => ("id" in each ? each.id : each.fact))).toEqual(["open", "made", "next"]);
    expect(openAttemptsIn(folder).map(({ id }) => id)).toEqual(["open", "next"]);
  });

  test("leaves a journal alone that somebody has just written to", async () => {
    await longJournal();
    utimesSync(files()[0]!, now / 1000, now / 1000);
    await journal().append(sent("next"));
    expect((await told()).length).toBe(803);
  });

  test("makes other processes read a compacted journal again", async () => {
    await longJournal();
    const reader = journal();
    expect((await told(reader)).length).toBe(802);
    await journal().append(sent("next"));
    expect((await told(reader)).map((each) => each.fact)).toEqual(["sent", "made", "sent"]);
  });

  test("is not lost by one who opened the file before it was replaced", async () => {
    await journal().append(sent("1"));
    const file = files()[0]!;
    const writer = journal();
    const appended = writer.append(sent("2"));
    const copy = `${file}.copy`;
    writeFileSync(copy, readFileSync(file));
    renameSync(copy, file);
    await appended;
    expect((await told()).map((each) => "id" in each && each.id)).toContain("2");
  });

  test.each([
    ["a journal", `${"a".repeat(40)}.jsonl`, 180],
    ["a broken write", `${"a".repeat(40)}.jsonl.00000000-0000-4000-8000-000000000001.tmp`, 1],
    ["a note", `${"b".repeat(40)}.json`, 180],
  ])("removes %s of long ago, and no younger one", async (_, name, days) => {
    const file = join(folder, name);
    const note = {
      ...place,
      kind: "User",
      urn: "urn:pulumi:old::shop::type::ada",
      time: now - days * day,
      digest: "d",
    };
    writeFileSync(file, JSON.stringify(note));
    utimesSync(file, note.time / 1000, note.time / 1000);
    await journal(now).append(sent("1"));
    expect(files()).toContain(file);
    await journal(now + 1000).append(sent("2"));
    expect(files()).not.toContain(file);
  });

  test("leaves other files alone", async () => {
    const foreign = ["README.md", "settings.json"].map((name) => join(folder, name));
    for (const file of foreign) {
      writeFileSync(file, "{}");
      utimesSync(file, 0, 0);
    }
    await journal().append(sent("1"));
    expect(files()).toEqual(expect.arrayContaining(foreign));
  });
});

describe("a journal that cannot be written", () => {
  test("says before what an append says, and creates nothing", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const below = journalIn(join(file, "state", "intents"), () => now);
    const { message } = await rejection(below.append(sent("1")));
    expect(below.objection!()).toBe(message);
    expect(journalIn(join(folder, "new", "intents"), () => now).objection!()).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test("is a warning of what a preview is to create, once, and of nothing else", async () => {
    const at = await createHarness();
    const { outputs } = await at.process().create("Secret", "old", { keyName: "OLD", value: "v" });
    const process = at.process({}, { journal: { ...keptJournal(), objection: () => "it cannot be written" } });
    const warnings = async (name: string, olds?: typeof outputs) =>
      (await process.judge("Secret", name, { keyName: name, value: "v" }, olds)).warnings;
    expect(await warnings("OLD", outputs)).toEqual([]);
    expect(await warnings("FIRST")).toEqual([
      expect.stringMatching(/^`up` cannot create this .* it cannot be written/),
    ]);
    expect(await warnings("SECOND")).toEqual([]);
    await at.close();
  });
});
