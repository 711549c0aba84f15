import { parseImportFile } from "../../engine/program/import-resources";
import { boxType, Rig, urnOf } from "./rig";

const stackUrn = urnOf("rig-dev", undefined, "pulumi:pulumi:Stack");
const box = (name: string, more: object = {}) => ({ type: boxType, name, id: `${name}-live`, ...more });

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
  for (const name of ["a", "b"]) rig.cloud.live.set(`${name}-live`, { label: name, size: 7 });
});

test("an object is imported as its provider reads it, protected, with what it hangs on", async () => {
  expect(await rig.import({ resources: [box("a")] })).toBe(true);
  expect(rig.deeds()).toEqual(["read undefined"]);
  expect(rig.cloud.calls).toContain("check a");
  expect(rig.snapshot.resources.map(({ urn }) => urn)).toEqual([
    stackUrn,
    urnOf("default", undefined, "pulumi:providers:pulumi-nodejs"),
    urnOf("a"),
  ]);
  expect(rig.state("a")).toMatchObject({
    id: "a-live",
    custom: true,
    protect: true,
    parent: stackUrn,
    inputs: { label: "a", size: 7 },
    outputs: { label: "a", size: 7 },
    created: "1970-01-01T00:00:00.000Z",
  });
  expect(rig.state("a")).not.toHaveProperty("importID");
  expect(rig.steps()).toContain("import a");
});

test("an import is pending in the state while it is read, and leaves nothing behind", async () => {
  await rig.import({ resources: [box("a")] });
  expect(
    rig.snapshots.some(({ pendingOperations }) =>
      pendingOperations.some(({ type, resource }) => type === "importing" && resource.urn === urnOf("a")),
    ),
  ).toBe(true);
  expect(rig.snapshot.pendingOperations).toEqual([]);
});

test("recorded resources stay, and so does everything else", async () => {
  await rig.import({ resources: [box("a")] });
  const before = rig.state("a");
  expect(await rig.import({ resources: [box("a"), box("b")] })).toBe(true);
  expect(rig.state("a")).toEqual(before);
  expect(rig.names().sort()).toEqual(["a", "b", "rig-dev"]);
});

test("another object under the same name is refused", async () => {
  await rig.import({ resources: [box("a")] });
  await expect(rig.import({ resources: [box("a", { id: "b-live" })] })).rejects.toThrow(
    "is already in the state, with the id a-live",
  );
});

test("a missing object fails the import and is not recorded", async () => {
  expect(await rig.import({ resources: [box("gone")] })).toBe(false);
  expect(rig.errors()).toEqual(['there is no resource with the id "gone-live"']);
  expect(rig.states("gone")).toEqual([]);
});

test("inputs that the provider refuses are recorded and reported", async () => {
  rig.cloud.live.set("a-live", { label: "bad" });
  expect(await rig.import({ resources: [box("a")] })).toBe(true);
  expect(rig.events).toContainEqual(
    expect.objectContaining({
      kind: "diagnostic",
      severity: "warning",
      message: "The imported inputs are not valid: label: must not be bad",
      urn: urnOf("a"),
    }),
  );
});

test("given inputs fill in what cannot be read, and only the wanted ones are recorded", async () => {
  await rig.import({
    resources: [box("a", { inputs: { size: 1, password: "p" } }), box("b", { properties: ["label"] })],
  });
  expect(rig.state("a").inputs).toEqual({ label: "a", size: 7, password: "p" });
  expect(rig.state("b").inputs).toEqual({ label: "b" });
});

test("with outputs, the provider is not asked to read", async () => {
  expect(
    await rig.import({
      resources: [box("a", { inputs: { label: "a" }, outputs: { label: "a", serial: 3 } })],
      protect: false,
    }),
  ).toBe(true);
  expect(rig.deeds()).toEqual([]);
  expect(rig.state("a")).toMatchObject({ id: "a-live", inputs: { label: "a" }, outputs: { label: "a", serial: 3 } });
  expect(rig.state("a")).not.toHaveProperty("protect");
});

test("a provider of its own, a component above it, and another name in the program", async () => {
  const east = { type: "pulumi:providers:pulumi-nodejs", name: "east", inputs: { region: "east" } };
  const group = { type: "test:index:Group", name: "group", component: true };
  expect(
    await rig.import({
      resources: [box("a", { provider: "east", parent: "group", logicalName: "first" }), group, east],
    }),
  ).toBe(true);
  expect(rig.deeds()).toEqual(["read undefined@east"]);
  expect(rig.state("first")).toMatchObject({
    urn: urnOf("first", "test:index:Group"),
    parent: urnOf("group", undefined, "test:index:Group"),
  });
  expect(rig.state("first").provider).toBe(
    `${urnOf("east", undefined, "pulumi:providers:pulumi-nodejs")}::${rig.state("east").id}`,
  );
});

test("a name of the table is a resource of the state", async () => {
  await rig.import({ resources: [{ type: "test:index:Group", name: "group", component: true }] });
  expect(
    await rig.import({
      resources: [box("a", { parent: "above" })],
      nameTable: { above: urnOf("group", undefined, "test:index:Group") },
    }),
  ).toBe(true);
  expect(rig.state("a").parent).toBe(urnOf("group", undefined, "test:index:Group"));
});

test.each([
  ["no id", [box("a", { id: "" })], "has no id"],
  ["a parent that nobody knows", [box("a", { parent: "nobody" })], '"nobody" is neither'],
  ["a circle", [box("a", { parent: "b" }), box("b", { parent: "a" })], "in a circle"],
  ["two of one name", [box("a"), box("a")], "same `name`"],
])("refused: %s", async (_, resources, message) => {
  await expect(rig.import({ resources })).rejects.toThrow(message);
});

test("a preview reads and records nothing", async () => {
  expect(await rig.import({ resources: [box("a")] }, { preview: true })).toBe(true);
  expect(rig.steps()).toContain("import a");
  expect(rig.snapshots).toEqual([]);
});

test("an import file is read as Pulumi writes it", () => {
  const entry = {
    type: boxType,
    name: "a",
    id: "1",
    properties: ["x"],
    inputs: { x: 1 },
    outputs: { x: 1 },
    logicalName: "b",
  };
  expect(
    parseImportFile(
      JSON.stringify({
        nameTable: { up: "urn" },
        resources: [entry, { type: "t", name: "c", component: true, parent: "" }],
      }),
    ),
  ).toEqual({
    nameTable: { up: "urn" },
    resources: [entry, { type: "t", name: "c", component: true }],
  });
});

test.each([
  ["not json", "{", "not valid JSON"],
  ["no resources", "{}", "no list `resources`"],
  ["an entry without a type", '{"resources":[{"name":"a"}]}', "entry 1"],
  ["what only the Pulumi CLI can", '{"resources":[{"type":"t","name":"a","version":"1.0.0"}]}', "Pulumi CLI"],
])("an import file is refused: %s", (_, text, message) => {
  expect(() => parseImportFile(text)).toThrow(message);
});
