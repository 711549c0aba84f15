import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import { onTheCli, pulumiCli } from "./engines";
import { hostile, liveWorld } from "./live-world";
import { account, Site } from "./site";

jest.setTimeout(300_000);

const own = (name: string): string => `accounts/${account}/${name}`;

/** Objects of every kind, by the name that each has in the program. */
const objects: Readonly<Record<string, { kind: string; id: string }>> = {
  policy: { kind: "PolicySettings", id: own("policySettings") },
  ada: { kind: "User", id: own("users/ada") },
  storage: { kind: "Secret", id: own("secrets/storage-key") },
  support: { kind: "Model", id: own("models/support-8b") },
  tune: { kind: "SupervisedFineTuningJob", id: own("supervisedFineTuningJobs/tune-1") },
  paused: { kind: "RlorTrainerJob", id: own("rlorTrainerJobs/paused") },
  chat: { kind: "Deployment", id: own("deployments/chat") },
  loaded: { kind: "DeployedModel", id: own("deployedModels/tuned-8b-3c4d") },
};

const token = (kind: string): string => `modelplatform:index:${kind}`;

onTheCli(() => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open(pulumiCli, { program: "imported" });
    const chat = liveWorld(account)[own("deployments/chat")] as object;
    // The CLI writes a key of several lines as no program may.
    const annotations = Object.fromEntries(hostile.slice(0, 3).map((text, index) => [`custom/${index}`, text]));
    await site.seed({ ...liveWorld(account), [own("deployments/chat")]: { ...chat, annotations } });
  });
  afterEach(() => site.close());

  /** Takes code that the CLI wrote for an SDK of its own making as the program, with this package's classes. */
  const adopt = (code: string): void =>
    writeFileSync(
      join(site.program, "index.ts"),
      code.replace(/"pulumi-modelplatform-sdk"/, '"pulumi-modelplatform/plugin"'),
    );

  /** Imports every object, and answers the code that the CLI writes for them. */
  async function imported(): Promise<string> {
    const resources = Object.entries(objects).map(([name, { kind, id }]) => ({ type: token(kind), name, id }));
    writeFileSync(join(site.program, "import.json"), JSON.stringify({ resources }));
    const { output } = await site.expect(0, "import --file import.json --out index.ts");
    expect(output).toMatch(/never gives `value` back/);
    expect(output).not.toMatch(/failed to validate|no program can declare/);
    return readFileSync(join(site.program, "index.ts"), "utf8");
  }

  test("`pulumi import` of a file with every kind writes a program that changes nothing", async () => {
    const code = await imported();
    for (const secret of ["live-value", "direct-route-key"]) expect(code).not.toContain(secret);
    adopt(code);
    await site.expect(0, "preview --expect-no-changes");
    await site.expect(0, "up --expect-no-changes");
    await site.expect(0, "refresh --preview-only --expect-no-changes");
    expect(await site.writes()).toEqual([]);
  });

  test("`pulumi import` by type, name and id answers code as a person would write it", async () => {
    const { stdout } = await site.expect(0, `import ${token("User")} ada ${own("users/ada")}`);
    const code = stdout.slice(stdout.indexOf("import * as pulumi"));
    expect(code).toMatch(
      /new modelplatform\.User\("ada", \{\s+displayName: "Ada",\s+email: "Ada@Example\.com",\s+role: modelplatform\.UserRole\.Contributor,\s+userId: "ada",\s+\}/,
    );
    adopt(code);
    await site.expect(0, "preview --expect-no-changes");
  });

  nightly("every run imports the same objects by file, and reads each of them in tests/plugin", () => {
    test("the option `import` takes objects of every kind over, and `get` reads them", async () => {
      const code = await imported();
      await site.expect(0, "state delete --all --force");
      const taking = Object.entries(objects).reduce((text, [name, { id }]) => {
        const [before, after] = text.split(`("${name}", {`) as [string, string];
        return `${before}("${name}", {${after.replace("protect: true", `import: ${JSON.stringify(id)}`)}`;
      }, code);
      const reading = Object.entries(objects).map(
        ([name, { kind, id }]) => `export const ${name}Seen = modelplatform.${kind}.get("${name}Seen", "${id}").name;`,
      );
      adopt([taking, ...reading].join("\n"));
      const { output } = await site.expect(0, "up");
      expect(output).toMatch(/8 imported/);
      for (const { id } of Object.values(objects)) expect(output).toContain(id);
      expect(await site.writes()).toEqual([]);
      await site.expect(0, "preview --expect-no-changes");
    });
  });
});
