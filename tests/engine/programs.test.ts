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

  describe("of ES modules", () => {
    const source = (extension: string): string =>
      `import * as pulumi from "@pulumi/pulumi";
import { two } from "./two.${extension}";
export const three = (await Promise.resolve(1)) + two() + (pulumi.getStack() === "dev" ? 0 : 1);`;
    const two = { js: "export const two = () => 2;", ts: "export const two = (): number => 2;" };
    const strips = Number(process.versions.node.split(".")[0]) >= 22;

    async function run(language: "js" | "ts", imported: "js" | "ts") {
      const options = { target: "es2022", module: "nodenext", allowImportingTsExtensions: true, noEmit: true };
      writeFileSync(join(workshop.program, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
      writeFileSync(join(workshop.program, "package.json"), `{ "type": "module", "main": "index.${language}" }`);
      for (const name of ["index", "two"]) rmSync(join(workshop.program, `${name}.js`), { force: true });
      writeFileSync(join(workshop.program, `index.${language}`), source(imported));
      writeFileSync(join(workshop.program, `two.${language}`), two[language]);
      return workshop.run("preview");
    }

    test("runs as JavaScript, and as TypeScript where Node.js strips types", async () => {
      await workshop.open();
      expect((await run("js", "js")).outputs).toMatchObject({ three: { value: 3 } });
      if (strips) expect((await run("ts", "ts")).outputs).toMatchObject({ three: { value: 3 } });
    });

    test("that Node.js does not load names the ways that it does", async () => {
      await workshop.open();
      expect((await run("ts", "js")).result).toBe("failed");
      expect(workshop.errors().join()).toContain(
        strips
          ? "Node.js looks for the compiled file of an `import`; where the file is TypeScript, use one of these ways: docs/install.md#es-modules"
          : "drop `type`, or use one of these ways: docs/install.md#es-modules",
      );
    });
  });
});
