import crypto from "node:crypto";
import fs, { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Fact, historyOf } from "../../provider/lifecycle/memory/history";
import { journalIn } from "../../provider/lifecycle/memory/journal-files";
import { createHarness, type Harness } from "./harness";

const place = { origin: "https://api.example.com", account: "acme" };

const sent = (stack: string, id: string): Fact => ({
  ...{ fact: "sent", id, place: { name: `accounts/acme/users/${id}` }, digest: "d" },
  ...{ ...place, kind: "User", urn: `${stack}::type::${id}`, at: 1 },
});

const own = "urn:pulumi:dev::shop";
const foreign = Array.from({ length: 30 }, (_, index) => `urn:pulumi:dev::other${index}`);

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "journal-"))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const journal = () => journalIn(folder, () => 1);

/** Names of the journals that are opened meanwhile, one for each time. */
async function openedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const open = jest.spyOn(fs, "openSync");
  const read = jest.spyOn(fs, "readFileSync");
  await work();
  const paths = [...open.mock.calls, ...read.mock.calls].map(([path]) => String(path));
  open.mockRestore();
  read.mockRestore();
  return paths.filter((path) => path.startsWith(folder)).map((path) => basename(path));
}

const ofProject = (of: ReturnType<typeof journal>) => of.readProject(place.origin, place.account, "shop");

describe("the journals of a machine", () => {
  beforeEach(async () => {
    for (const stack of foreign) await journal().append(sent(stack, "1"));
  });

  test("are each opened once for their project, and no more if it is another", async () => {
    const reader = journal();
    const before = readdirSync(folder);
    expect((await openedDuring(() => ofProject(reader))).sort()).toEqual(before.sort());
    await journal().append(sent(foreign[0]!, "2"));
    expect(await openedDuring(() => ofProject(reader))).toEqual([]);
  });

  test("are read to their end if they are of the project, however long they are", async () => {
    const many = Array.from({ length: 40 }, (_, index) => sent("urn:pulumi:prod::shop", String(index)));
    for (const each of many) await journal().append(each);
    expect(await ofProject(journal())).toEqual([many]);
  });

  test("are read to their end if their first lines name no project", async () => {
    await journal().append(sent(own, "1"));
    const file = readdirSync(folder).find((name) => fs.readFileSync(join(folder, name), "utf8").includes("::shop"))!;
    const line = fs.readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), `${"torn ".repeat(2000)}\n${line}`);
    expect(await ofProject(journal())).toEqual([[sent(own, "1")]]);
  });
});

test("a process reads what it has appended itself without opening the file", async () => {
  const writer = journal();
  const read = () => writer.read(place.origin, place.account, own);
  await writer.append(sent(own, "1"));
  expect(await openedDuring(() => writer.append(sent(own, "2")))).toHaveLength(1);
  expect(await openedDuring(read)).toEqual([]);
  expect(await read()).toEqual([sent(own, "1"), sent(own, "2")]);
});

test("a stack's journal is found, and a service recognised, once for all resources", async () => {
  const writer = journal();
  await writer.append(sent(own, "1"));
  const look = () => historyOf(writer, "https://api.example.com/v1", place.account, `${own}::type::1`);
  await look();
  const hash = jest.spyOn(crypto, "createHash");
  const canParse = jest.spyOn(URL, "canParse");
  for (let times = 0; times < 1000; times += 1) await look();
  expect([hash.mock.calls.length, canParse.mock.calls.length]).toEqual([0, 0]);
});

test("a folder that is no folder has no journals", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const below = journalIn(join(file, "state"), () => 1);
  expect(await below.read(place.origin, place.account, own)).toEqual([]);
  expect(await ofProject(below)).toEqual([]);
});

test("lines of two processes are each read once and in their order", async () => {
  const [one, other] = [journal(), journal()];
  const expected: Fact[] = [];
  for (const [index, writer] of [one, other, other, one, one, other].entries()) {
    const fact = sent(own, String(index));
    await writer.append(fact);
    expected.push(fact);
    if (index % 2 === 1) expect(await one.read(place.origin, place.account, own)).toEqual(expected);
  }
  expect(await other.read(place.origin, place.account, own)).toEqual(expected);
});

test("a process reads its lines after one that another has left unfinished", async () => {
  const writer = journal();
  await writer.append(sent(own, "1"));
  appendFileSync(join(folder, readdirSync(folder)[0]!), '{"fact":');
  await writer.append(sent(own, "2"));
  expect(await writer.read(place.origin, place.account, own)).toEqual([sent(own, "1"), sent(own, "2")]);
});

describe("a create", () => {
  let at: Harness;
  beforeEach(async () => void (at = await createHarness()));
  afterEach(() => at.close());

  test("opens two files after the first, however many stacks the machine has", async () => {
    for (const stack of [...foreign, "urn:pulumi:prod::shop"]) await journal().append(sent(stack, "1"));
    const { create } = at.process({}, { journal: journal() });
    const user = (name: string) => () =>
      create("User", name, { email: `${name}@example.com`, role: "user", displayName: name });
    const others = foreign.length + 1;
    expect(await openedDuring(user("ada"))).toHaveLength(others + 2);
    const opened = await openedDuring(user("bob"));
    expect([opened.length, new Set(opened).size]).toEqual([2, 1]);
  });
});
