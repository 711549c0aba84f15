import type { ErrorCode } from "../../provider/core/error-codes";
import { secretProperties } from "../../provider/core/secrets";
import { specOf } from "../../provider/resources/index";
import { refusal } from "../rejection";
import { createHarness, type Harness } from "./harness";

const kind = "Secret";
const name = "accounts/acme/secrets/storage-key";
const fromEnvironment = { keyName: "STORAGE_KEY", valueFrom: { env: "STORAGE_KEY" } };
const fromFile = { keyName: "STORAGE_KEY", valueFrom: { file: "/run/storage-key" } };
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const withVariable = (value?: string) =>
  at.process({}, { env: { ...(value !== undefined && { STORAGE_KEY: value }) } });

const withFile = (content?: string) =>
  at.process(
    {},
    { readFile: async () => content ?? Promise.reject(Object.assign(new Error("no such file"), { code: "ENOENT" })) },
  );

/** What the service holds, which it never answers. */
const held = () => at.emulator.world.get(name)?.hidden?.["value"];

test.each([
  ["an environment variable", fromEnvironment, () => withVariable("canary-1")],
  ["a file, whose last line break is dropped", fromFile, () => withFile("canary-1\n")],
])("a secret's value comes from %s, and is in no output and no message", async (_, inputs, process) => {
  const creator = process();
  const { outputs } = await creator.create(kind, "key", inputs);
  expect(held()).toBe("canary-1");
  expect(outputs).not.toHaveProperty("value");
  expect(JSON.stringify([outputs, creator.messages])).not.toContain("canary-1");
  expect(creator.messages.filter((text) => text.startsWith("warning"))).toEqual([]);
  const read = await process().read(kind, "key", outputs);
  expect(JSON.stringify(read)).not.toContain("canary-1");
});

test("a value that the service answers is in no output, input or message (A054)", async () => {
  at.emulator.world.changeSettings({ inputOnly: "answered" });
  const process = withVariable("canary-1");
  const { outputs } = await process.create(kind, "key", fromEnvironment);
  const updated = await process.update(kind, "key", outputs, { ...fromEnvironment, valueVersion: "2" });
  const read = await withVariable().read(kind, "key", updated);
  expect(read).toBeDefined();
  expect(JSON.stringify([outputs, updated, read, process.messages])).not.toContain("canary-1");
});

test.each([
  ["a variable", fromEnvironment],
  ["a file", fromFile],
])("a check, a create and an update read %s once each, although it changes", async (_, inputs) => {
  let reads = 0;
  const next = () => `canary-${(reads += 1)}`;
  const env = Object.defineProperty({}, "STORAGE_KEY", { get: next, enumerable: true }) as Record<string, string>;
  const process = at.process({}, { env, readFile: async () => next() });
  const readsOf = async (operation: () => Promise<unknown>) => {
    const before = reads;
    await operation();
    return reads - before;
  };
  let outputs: Record<string, unknown> = {};
  const create = async () => void ({ outputs } = await process.create(kind, "key", inputs));
  expect(await readsOf(create)).toBe(2);
  expect(held()).toBe(`canary-${reads}`);
  expect(await readsOf(() => process.update(kind, "key", outputs, { ...inputs, valueVersion: "2" }))).toBe(2);
  expect(held()).toBe(`canary-${reads}`);
});

test("the outputs hold a secret digest of the value, with a new salt each time", async () => {
  const { outputs } = await withVariable("canary-1").create(kind, "key", fromEnvironment);
  const { value } = outputs["digests"] as { value: string };
  expect(value).toMatch(/^[0-9a-f]{32}:[0-9a-f]{64}$/);
  const again = await withVariable("canary-1").update(kind, "key", outputs, { ...fromEnvironment, valueVersion: "2" });
  expect((again["digests"] as { value: string }).value).not.toBe(value);
  expect([...secretProperties(specOf(kind)!)]).toContain("digests");
});

test.each([
  ["environment variable", fromEnvironment, withVariable],
  ["file", fromFile, withFile],
])("a new value in the %s is a change and is written; the same value is none", async (_, inputs, process) => {
  const { outputs } = await process("canary-1").create(kind, "key", inputs);
  expect(await process("canary-1").diff(kind, "key", outputs, inputs)).toMatchObject({ changes: false });
  const changed = process("canary-2");
  expect(await changed.diff(kind, "key", outputs, inputs)).toMatchObject({ changes: true, replaces: [] });
  expect(changed.messages).toEqual([expect.stringMatching(/storage-key|STORAGE_KEY/)]);
  expect(changed.messages[0]).toMatch(
    /^info: .* has a different value from the one that was written: it will be written again$/,
  );
  const updated = await process("canary-2").update(kind, "key", outputs, inputs);
  expect(held()).toBe("canary-2");
  expect(JSON.stringify(updated)).not.toContain("canary-2");
  expect(await process("canary-2").diff(kind, "key", updated, inputs)).toMatchObject({ changes: false });
});

/** A file that is written all the time: each read finds another value. */
function withBusyFile() {
  let reads = 0;
  return at.process({}, { readFile: async () => `canary-${(reads += 1)}` });
}

test.each(["a create", "an update", "a takeover"])(
  "%s records the value that it has sent, even if the file changes meanwhile",
  async (operation) => {
    const inputs = { ...fromFile, adopt: "overwrite" };
    if (operation === "a takeover") await withFile("old").create(kind, "other", fromFile);
    const process = withBusyFile();
    const created = await process.create(kind, "key", inputs);
    const outputs =
      operation === "an update" ? await process.update(kind, "key", created.outputs, inputs) : created.outputs;
    expect(held()).toMatch(/^canary-/);
    expect(await withFile(String(held())).diff(kind, "key", outputs, inputs)).toMatchObject({ changes: false });
  },
);

const absent: [
  string,
  typeof fromEnvironment | typeof fromFile,
  () => ReturnType<typeof withVariable>,
  ErrorCode,
  string,
][] = [
  [
    "an environment variable that is not set",
    fromEnvironment,
    () => withVariable(),
    "source-unset",
    "`valueFrom.env` names the environment variable `STORAGE_KEY`, which is not set",
  ],
  [
    "an environment variable that is not set, and is called as what every object has",
    { ...fromEnvironment, valueFrom: { env: "toString" } },
    () => withVariable(),
    "source-unset",
    "`valueFrom.env` names the environment variable `toString`, which is not set",
  ],
  [
    "an environment variable that is empty",
    fromEnvironment,
    () => withVariable(""),
    "source-unset",
    "`valueFrom.env` names the environment variable `STORAGE_KEY`, which is not set",
  ],
  [
    "a file that is not there",
    fromFile,
    () => withFile(),
    "source-unreadable",
    "`valueFrom.file` names `/run/storage-key`, which cannot be read (ENOENT)",
  ],
];

test.each(absent)(
  "%s is a warning in the preview of a new secret, and an error of its creation",
  async (_, inputs, process, code, reason) => {
    const { failures, warnings } = await process().judge(kind, "key", inputs);
    expect(failures).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(reason)]);
    expect(warnings[0]).toMatch(/ `up` needs it to create this$/);
    expect((await refusal(code, process().create(kind, "key", inputs))).message).toContain(reason);
    expect(await at.requests()).toEqual([]);
  },
);

test("a secret is not deleted for a successor whose value is missing", async () => {
  const inputs = { secretId: "storage", immutable: ["keyName"], ...fromEnvironment };
  const { outputs } = await withVariable("canary-1").create(kind, "key", inputs);
  const renamed = { ...inputs, keyName: "OTHER_KEY" };
  const process = withVariable();
  expect(await process.diff(kind, "key", outputs, renamed)).toMatchObject({ deleteBeforeReplace: true });
  expect((await process.judge(kind, "key", renamed)).failures).toEqual([]);
  await expect(process.delete(kind, "key", outputs)).rejects.toThrow(
    /is not deleted, because its replacement would be refused: `valueFrom.env` names .* `STORAGE_KEY`, which is not set/,
  );
  expect(at.live("secrets")).toHaveLength(1);
});

test.each([
  ["a value and a source", { keyName: "STORAGE_KEY", value: "canary-1", valueFrom: { env: "STORAGE_KEY" } }],
  ["two sources", { keyName: "STORAGE_KEY", valueFrom: { env: "STORAGE_KEY", file: "/run/storage-key" } }],
  ["no source", { keyName: "STORAGE_KEY", valueFrom: {} }],
  ["neither a value nor a source", { keyName: "STORAGE_KEY" }],
])("%s fail the check, and the error does not show the value", async (_, inputs) => {
  const message = await withVariable("canary-1")
    .check(kind, "key", inputs)
    .then(
      () => "",
      (error: Error) => error.message,
    );
  expect(message).toContain("exactly one of");
  expect(message).not.toContain("canary");
});

test("an unknown source is read once it is known", async () => {
  const inputs = { keyName: "STORAGE_KEY", valueFrom: { env: unknown } };
  await expect(withVariable().check(kind, "key", inputs)).resolves.toMatchObject(inputs);
  const { outputs } = await withVariable("canary-1").create(kind, "key", fromEnvironment);
  expect((await withVariable("canary-1").diff(kind, "key", outputs, inputs)).changes).not.toBe(false);
});

test("a value that moves from the program to a source leaves the outputs", async () => {
  const { outputs } = await withVariable().create(kind, "key", { keyName: "STORAGE_KEY", value: "canary-1" });
  const moved = await withVariable("canary-1").update(kind, "key", outputs, fromEnvironment);
  expect(moved).not.toHaveProperty("value");
  expect(JSON.stringify(moved)).not.toContain("canary-1");
});

describe("a machine without the source", () => {
  test.each([
    ["an environment variable", fromEnvironment, () => withVariable("canary-1"), () => withVariable()],
    ["a file", fromFile, () => withFile("canary-1"), () => withFile()],
  ])("previews and refreshes what is recorded: %s", async (_, inputs, here, elsewhere) => {
    const { outputs } = await here().create(kind, "key", inputs);
    await at.requests();
    const process = elsewhere();
    await process.refresh(kind, "key", outputs, inputs);
    const { failures, warnings } = await process.judge(kind, "key", inputs, { accountId: "acme" });
    expect(failures).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^`valueFrom\.\w+` names .* counts as unchanged$/)]);
    expect(await process.diff(kind, "key", outputs, inputs)).toMatchObject({ changes: false });
    expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
  });

  test("fails an update that needs the value, and writes nothing", async () => {
    const { outputs } = await withVariable("canary-1").create(kind, "key", fromEnvironment);
    await at.requests();
    const renamed = { ...fromEnvironment, keyName: "OTHER_KEY" };
    expect((await refusal("source-unset", withVariable().update(kind, "key", outputs, renamed))).message).toMatch(
      "which is not set",
    );
    expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
  });
});
