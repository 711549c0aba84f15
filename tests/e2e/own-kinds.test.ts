import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { longerAtNight, nightly } from "../nightly";
import { builtIn } from "./engines";
import { chat } from "./everything";
import { Site } from "./site";
import { openToStrike } from "./sites";

/** The built-in engine serves this package's resources in its own process, and nothing else runs for them. */

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const ofPlugin = { from: "pulumi-modelplatform/plugin" };

let site: Site;
beforeEach(async () => void (site = await Site.open(builtIn)));
afterEach(() => site.close());

/** What the Node.js processes of a command have said of themselves: first of all, which script they run. */
async function processesOf(command: string): Promise<string[]> {
  const folder = join(site.folder, "processes");
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry));
  const { code, output } = await site.start(command).ended;
  if (code !== 0) throw new Error(output);
  return readdirSync(folder).map((entry) => readFileSync(join(folder, entry), "utf8"));
}

/** What no command on users and secrets has a use for, by the name of its folder or package. */
const unused = {
  emulator: /\/dist\/emulator\//,
  costs: /\/dist\/governance\/cost\/(?!report|open)/,
  "drift's scan and reports": /\/dist\/drift\//,
  "the YAML editor": /\/dist\/io\/text\/yaml\//,
  "the compiler": /\/typescript\.js$/,
};

/** What each process of a command has loaded of that, by the script that it runs. */
async function tableOf(command: string): Promise<Record<string, string[]>> {
  const said = (await processesOf(command)).map((text) => text.split("\n"));
  return Object.fromEntries(
    said.map(([script, ...loaded]) => [
      /dist\/cli\/main/.test(script!) ? "engine" : /cmd\/run/.test(script!) ? "program" : script!,
      Object.entries(unused).flatMap(([name, files]) => (loaded.some((file) => files.test(file)) ? [name] : [])),
    ]),
  );
}

/** A stack that has a user, and a plugin on the PATH that says so when somebody starts it. */
async function withWitness(entry: object) {
  const witness = join(site.folder, "witness");
  const plugin = join(site.folder, "plugins", "pulumi-resource-modelplatform");
  writeFileSync(plugin, `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
  await site.up({ resources: { ada }, ...entry });
  expect(site.live("users/")).toHaveLength(1);
  return {
    expectUnused(): void {
      expect(site.live("users/")).toEqual([]);
      expect(existsSync(witness)).toBe(false);
    },
  };
}

test("nothing is started or loaded that a program of either entry does not use", async () => {
  site.declare({ resources: { ada } });
  expect(await tableOf("preview")).toEqual({ engine: [], program: [] });
  const { expectUnused } = await withWitness(ofPlugin);
  expect(await tableOf("preview")).toEqual({ engine: [], program: [] });
  expect(await tableOf("destroy")).toEqual({ engine: [] });
  expectUnused();
});

nightly("a normal run previews with each entry, and deploys with one", () => {
  test.each([
    ["dynamic resources", {}],
    ["resources of the plugin", ofPlugin],
  ])("nothing is started or loaded by any command that %s do not use", async (_, entry) => {
    const { expectUnused } = await withWitness(entry);
    for (const command of ["preview", "up"]) expect(await tableOf(command)).toEqual({ engine: [], program: [] });
    for (const command of ["refresh", "destroy"]) expect(await tableOf(command)).toEqual({ engine: [] });
    expectUnused();
  });
});

test("a program is not compiled again until it changes", async () => {
  await site.close();
  site = await Site.open(builtIn, { program: "codified" });
  const program = `import { User } from "pulumi-modelplatform";\nnew User("ada", { email: "ada@example.com", role: "user" });\n`;
  writeFileSync(join(site.program, "index.ts"), program);
  const compilers = async (command: string): Promise<string[]> =>
    (await processesOf(command)).filter((said) => said.includes("compiles"));
  expect(await compilers("preview")).toHaveLength(1);
  expect(await compilers("up")).toEqual([]);
  expect(site.live("users/")).toHaveLength(1);
  writeFileSync(join(site.program, "index.ts"), program.replace(`"user"`, `"user`));
  expect((await site.start("preview").ended).output).toMatch(/index\.ts.*2,.*TS1002/);
});

describe("a program whose types are wrong", () => {
  const typed = `import { User } from "pulumi-modelplatform";\nnew User("ada", { email: "ada@example.com", role: "user" });\n`;
  const wrong = `${typed}export const count: number = "one";\n`;
  const declare = (program: string): void => writeFileSync(join(site.program, "index.ts"), program);
  const checked = { env: { PULUMI_NODEJS_TRANSPILE_ONLY: "" } };
  const error = /index\.ts\(3,14\): error TS2322: Type 'string' is not assignable to type 'number'\./;

  beforeEach(async () => {
    await site.close();
    site = await Site.open(builtIn, { program: "codified" });
  });

  test("ends `up` with its errors, and creates nothing", async () => {
    declare(wrong);
    expect(await site.start("up", checked).ended).toMatchObject({ code: 1, output: expect.stringMatching(error) });
    expect(await site.writes()).toEqual([]);
  });

  nightly("every command that runs a program goes by the same check, whatever its stack has", () => {
    test("is planned by `preview`, with its errors after the plan", async () => {
      declare(wrong);
      const planned = new RegExp(`User ada: create[^]*${error.source}`);
      expect(await site.start("preview", checked).ended).toMatchObject({
        ...{ code: 1, output: expect.stringMatching(planned) },
      });
    });

    test("changes and records nothing where its stack has resources", async () => {
      declare(typed);
      await site.expect(0, "up");
      // The stack itself is registered before its program is loaded, and is written again as it is.
      const recorded = (): unknown => JSON.parse(readFileSync(site.stateFile, "utf8")).checkpoint.latest.resources;
      const before = recorded();
      const sent = (await site.writes()).length;
      declare(wrong);
      for (const line of ["up", "refresh --run-program", "destroy --run-program"])
        expect({ line, ...(await site.start(line, checked).ended) }).toMatchObject({
          ...{ line, code: 1, output: expect.stringMatching(error) },
        });
      expect((await site.writes()).slice(sent)).toEqual([]);
      expect(recorded()).toEqual(before);
    });
  });
});

test("a text that stands in the state as the provider of a dynamic resource is not run", async () => {
  await site.up({ resources: { ada } });
  const witness = join(site.folder, "witness");
  const state = JSON.parse(readFileSync(site.stateFile, "utf8"));
  for (const { inputs, outputs } of state.checkpoint.latest.resources)
    for (const properties of [inputs, outputs])
      if (properties?.["__provider"])
        properties["__provider"] = `require("node:fs").writeFileSync(${JSON.stringify(witness)}, "")`;
  writeFileSync(site.stateFile, JSON.stringify(state));
  expect(await site.start("destroy").ended).toMatchObject({ code: 0 });
  expect(site.live("users/")).toEqual([]);
  expect(existsSync(witness)).toBe(false);
});

/** Updates of dynamic resources are killed and interrupted twice in `crash.test.ts`. */
longerAtNight(() => {
  describe("an update", () => {
    beforeEach(async () => {
      await site.close();
      site = await openToStrike(builtIn);
    });

    const declared = { resources: { chat } };

    const startCreate = async () => {
      site.freeze();
      site.declare({ ...declared, ...ofPlugin });
      const command = site.start("up");
      const created = await site.until(() => site.live("deployments/")[0]);
      return { command, created };
    };

    /** The next update adopts what the ended one has created, and creates nothing again. */
    const expectAdopted = async (name: unknown): Promise<void> => {
      site.thaw();
      await site.expect(0, "cancel");
      await site.expect(0, "up");
      expect(site.only("deployments/")).toMatchObject({ name, state: "READY" });
      expect(site.resource("chat").id).toBe(name);
      expect(site.pendingOperations()).toEqual([]);
      await site.expect(0, "preview --expect-no-changes");
    };

    nightly("the host in the engine's process is that of dynamic resources", () => {
      test("of resources of the plugin that is killed loses nothing", async () => {
        const { command, created } = await startCreate();
        command.signal("SIGKILL");
        await command.ended;
        await site.until(() => site.processes().length === 0);
        expect(site.pendingOperations()).toMatchObject([{ type: "creating" }]);
        await expectAdopted(created["name"]);
      });

      test("of resources of the plugin that is interrupted twice at once loses nothing", async () => {
        const { command, created } = await startCreate();
        // The second may come before the first has been reported.
        command.signal("SIGINT");
        command.signal("SIGTERM");
        expect((await command.ended).code).not.toBe(0);
        await site.until(() => site.processes().length === 0);
        await expectAdopted(created["name"]);
      });
    });

    test("that runs out of memory after the service has created an object loses nothing", async () => {
      const eater = join(__dirname, "heap-eater.cjs");
      site.freeze();
      site.declare(declared);
      const limited = { nodeOptions: `--max-old-space-size=128 --require "${eater}"` };
      expect((await site.start("up", limited).ended).output).toContain("heap out of memory");
      await site.until(() => site.processes().length === 0);
      const [created] = site.live("deployments/");
      expect(site.pendingOperations()).toMatchObject([{ type: "creating" }]);
      await expectAdopted(created!["name"]);
    });
  });
});
