import { EmbeddedStack } from "../../engine/stack";
import { type BoxProgram, passphrase, Workshop } from "./workshop";

const secretText = "hunter2";

/** The life of one stack, whether its processes are real or run in this one once it is `opened`. */
export function testProgram(opened: (workshop: Workshop) => void = () => undefined): void {
  const workshop = new Workshop();
  beforeAll(() => opened(workshop));
  afterAll(() => workshop.remove());

  const world: BoxProgram = {
    resources: [
      { name: "a", props: { label: "a", size: 2, password: { secret: secretText }, mint: true } },
      { name: "g", kind: "group", outputs: { inner: "@a.serial" } },
      {
        name: "b",
        props: { label: "b", ref: "@a.serial" },
        opts: { parent: "@g", customTimeouts: { create: "1h30m" } },
      },
      { name: "eu", kind: "provider", props: { "boxes:region": "eu" } },
      { name: "far", props: { label: "far" }, opts: { provider: "@eu" } },
    ],
    outputs: { id: "@a.id", password: "@a.password", minted: "@a.token" },
    warn: "mind the gap",
  };

  test("previews without touching anything", async () => {
    const stack = await workshop.open();
    await stack.setConfig("region", { value: "us" });
    await stack.setConfig("token", { value: secretText, secret: true });
    workshop.declare(world);
    const report = await workshop.run("preview");
    expect(report).toMatchObject({ result: "succeeded", changes: { create: 6, same: 0 }, unexpectedChanges: false });
    expect(
      workshop
        .calls()
        .map(({ method }) => method)
        .sort(),
    ).toEqual(["check", "check", "check", "configure", "configure"]);
    expect(workshop.state().resources).toEqual([]);
  });

  test("becomes a world, with what it says on the way", async () => {
    const report = await workshop.run("up");
    expect(report).toMatchObject({ result: "succeeded", changes: { create: 6 } });
    expect(report.outputs).toEqual({
      id: { value: "a-1", secret: false },
      password: { value: secretText, secret: true },
      minted: { value: "minted", secret: true },
    });
    expect(workshop.messages()).toEqual(expect.arrayContaining(["mind the gap"]));
    const { boxes } = workshop.cloud();
    expect(boxes).toMatchObject({
      "a-1": { size: 2, region: "us", password: secretText },
      "b-1": { ref: 1, region: "us" },
      "far-1": { region: "eu" },
    });
  });

  test("is recorded with its secrets encrypted, and with what depends on what", () => {
    expect(workshop.stateFile()).not.toContain(secretText);
    expect(workshop.resource("a").outputs).toMatchObject({
      password: { ciphertext: expect.any(String) },
      token: { ciphertext: expect.any(String) },
    });
    expect(workshop.resource("b")).toMatchObject({
      parent: "urn:pulumi:dev::boxes::test:index:Group::g",
      dependencies: ["urn:pulumi:dev::boxes::pulumi-nodejs:dynamic/test:Box::a"],
      customTimeouts: { create: 5400 },
    });
    expect(workshop.resource("g").outputs).toEqual({ inner: 1 });
  });

  test("has nothing to do the second time", async () => {
    const report = await workshop.run("up", { expectNoChanges: true });
    expect(report).toMatchObject({
      result: "succeeded",
      changes: { create: 0, update: 0, replace: 0, delete: 0, same: 6 },
      unexpectedChanges: false,
    });
    expect(workshop.deeds()).toEqual([]);
  });

  test("shows in a refresh what moved, and records it only when asked to", async () => {
    workshop.changeCloud((boxes) => {
      boxes["a-1"] = { ...boxes["a-1"], size: 7 };
      delete boxes["far-1"];
    });
    const before = workshop.stateFile();
    const report = await workshop.run("refresh", { previewOnly: true, expectNoChanges: true });
    expect(report).toMatchObject({
      result: "succeeded",
      changes: { update: 1, delete: 1, same: 4 },
      unexpectedChanges: true,
    });
    const told = workshop.events.flatMap((event) =>
      event.kind === "stepFinished" && event.step.op !== "same" ? [event.step] : [],
    );
    expect(told).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "a",
          op: "update",
          diffs: [expect.objectContaining({ path: "size", old: 2, new: 7 })],
        }),
        expect.objectContaining({ name: "far", op: "delete" }),
      ]),
    );
    expect(workshop.stateFile()).toBe(before);
    await workshop.run("refresh");
    expect(workshop.resource("a").inputs).toMatchObject({ size: 7 });
    expect(() => workshop.resource("far")).toThrow();
  });

  test("heals it with the next up", async () => {
    const report = await workshop.run("up");
    expect(report).toMatchObject({ changes: { create: 1, update: 1 } });
    expect(workshop.cloud().boxes).toMatchObject({ "a-1": { size: 2 }, "far-2": { region: "eu" } });
  });

  test("finds and heals in one go with refresh", async () => {
    workshop.changeCloud((boxes) => (boxes["a-1"] = { ...boxes["a-1"], size: 8 }));
    const report = await workshop.run("up", { refresh: true });
    expect(workshop.errors()).toEqual([]);
    expect(report).toMatchObject({ result: "succeeded", changes: { update: 1, create: 0 } });
    expect(workshop.deeds().sort()).toEqual(["read a", "read b", "read far", "update a"]);
  });

  test("can refer to another stack's outputs, whose secrets stay secret", async () => {
    const stack = await EmbeddedStack.create({
      stackName: "other",
      workDir: workshop.program,
      backendUrl: `file://${workshop.backend}`,
      passphrase,
    });
    workshop.declare({
      resources: [{ name: "organization/boxes/dev", as: "dev", kind: "reference" }],
      outputs: { all: "@dev.outputs" },
    });
    const report = await stack.up();
    expect(report).toMatchObject({
      result: "succeeded",
      outputs: { all: { value: { id: "a-1", password: secretText }, secret: true } },
    });
    workshop.declare(world);
  });

  test("is destroyed without running", async () => {
    const report = await workshop.run("destroy");
    expect(report).toMatchObject({ result: "succeeded", changes: { delete: 6 } });
    expect(workshop.cloud().boxes).toEqual({});
    expect(workshop.state().resources).toEqual([]);
    expect(await (await workshop.open()).outputs()).toEqual({});
  });
}
