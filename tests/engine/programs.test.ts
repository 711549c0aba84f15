import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import { testProgram } from "./programs";
import { Workshop } from "./workshop";

jest.setTimeout(120_000);

nightly("each command starts a program and its providers; `one-process.test.ts` runs them in one", () => {
  describe("a program of dynamic resources", () => testProgram());
});

describe("what programs and providers say", () => {
  const workshop = new Workshop();
  afterAll(() => workshop.remove());

  test("is reported without secrets of config, program and state, as Pulumi does", async () => {
    const stack = await workshop.open();
    await stack.setConfig("token", { value: "hunter2", secret: true });
    const box = { name: "a", props: { label: "a", password: { secret: "swordfish" }, mint: true } };
    await workshop.up({ resources: [box], warn: `the token is hunter2` });
    expect(workshop.messages()).toContain("the token is [secret]");
    expect(workshop.resource("a").sourcePosition).toMatch(/^project:\/\/\/index\.js#\d+,\d+$/);
    expect(JSON.stringify(workshop.resource("a"))).not.toContain("data:text/javascript");
    const report = await workshop.up({
      resources: [box, { name: "b", props: { label: { secret: "open barley" }, fail: "create" } }],
      print: "minted for swordfish",
    });
    expect(report.result).toBe("failed");
    expect(workshop.errors().join()).toContain("the cloud refuses to create [secret]");
    expect(workshop.messages()).toContain("[secret] for [secret]");
    const told = workshop.events.flatMap((event) => ("message" in event ? [event.message] : [])).join();
    expect(told).not.toMatch(/hunter2|swordfish|open barley|minted/);
  });

  test("ends in an error even if the SDK has only printed what is wrong", async () => {
    rmSync(join(workshop.program, "index.js"));
    writeFileSync(join(workshop.program, "package.json"), "{}");
    expect((await workshop.run("preview")).result).toBe("failed");
    expect(workshop.messages().join()).toContain("We failed to locate the entry point for your program");
    expect(workshop.errors()).toEqual(["The program failed; what it printed says why."]);
  });
});
