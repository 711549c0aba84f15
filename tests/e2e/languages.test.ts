import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as typescript from "typescript";
import type { FunctionSpec } from "../../provider/core/declaration/surface";
import { functions } from "../../provider/resources/functions";
import { managedSpecs } from "../../provider/resources/index";
import { goModule } from "../../tools/publisher";
import { nightly } from "../nightly";
import { builtIn, pulumiCli, repository } from "./engines";
import { expectHealed } from "./everything";
import { missing, missingPython, unless } from "./hosts";
import { liveWorld } from "./live-world";
import { account, Site } from "./site";

jest.setTimeout(900_000);

const run = promisify(execFile);

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

/** What a language's SDK has for each kind. */
const classOf: Readonly<Record<string, (kind: string) => RegExp>> = {
  nodejs: (kind) => new RegExp(`^export class ${kind} extends pulumi\\.CustomResource`, "m"),
  python: (kind) => new RegExp(`^class ${kind}\\(pulumi\\.CustomResource\\)`, "m"),
  go: (kind) => new RegExp(`^func New${kind}\\(ctx \\*pulumi\\.Context`, "m"),
  dotnet: (kind) => new RegExp(`public partial class ${kind} : global::Pulumi\\.CustomResource`),
  java: (kind) => new RegExp(`public class ${kind} extends com\\.pulumi\\.resources\\.CustomResource`),
};

/** Generates the SDK of a language below `folder`. */
async function generate(language: string, folder: string, schema = join(repository, "schema.json")): Promise<void> {
  const args = ["package", "gen-sdk", schema, "--language", language, "--out", folder];
  const env = { ...process.env, PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { stdout, stderr } = await run("pulumi", args, { env });
  expect(`${stdout}${stderr}`).not.toMatch(/warning|error/i);
}

const textsBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");

for (const [language, classFor] of Object.entries(classOf))
  unless(missing("pulumi", `pulumi-language-${language}`), `an SDK for ${language}`, () => {
    let folder: string;
    let logo: Server;
    beforeEach(async () => {
      folder = mkdtempSync(join(realpathSync(tmpdir()), "sdk-"));
      logo = createServer((_, answer) => answer.end("logo"));
      await new Promise<void>((done) => logo.listen(0, "127.0.0.1", done));
    });
    afterEach(() => {
      logo.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test("is generated without a warning, with a class for every kind", async () => {
      // One language fetches a logo from a site of its own, where the schema has none.
      const logoUrl = `http://127.0.0.1:${(logo.address() as AddressInfo).port}/`;
      const schema = JSON.parse(readFileSync(join(repository, "schema.json"), "utf8")) as object;
      writeFileSync(join(folder, "schema.json"), JSON.stringify({ ...schema, logoUrl }));
      await generate(language, folder, join(folder, "schema.json"));
      const sources = textsBelow(join(folder, language));
      for (const { kind } of managedSpecs) expect(sources).toMatch(classFor(kind));
    });
  });

unless(missing("pulumi", "pulumi-language-nodejs"), "the plugin's folder", () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "plugin-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("is installed as documented, and then known by its version", async () => {
    const env = { ...process.env, PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" };
    const pulumi = (...args: string[]) => run("pulumi", args, { env, cwd: folder, maxBuffer: 2 ** 26 });
    const from = join(repository, "plugin");
    await pulumi("plugin", "install", "resource", "modelplatform", version, "--file", from);
    const { stdout } = await pulumi("package", "get-schema", `modelplatform@${version}`);
    expect(JSON.parse(stdout)).toMatchObject({ name: "modelplatform", version });
    const direct = await pulumi("package", "get-schema", join(from, "pulumi-resource-modelplatform"));
    expect(JSON.parse(direct.stdout)).toMatchObject({ name: "modelplatform", version });
  });
});

/** A site with the example, and with the SDK where Python looks for packages. */
async function pythonSite(): Promise<Site> {
  const site = await Site.open(pulumiCli, { program: "modelplatform-python-quickstart" });
  const project = "name: modelplatform-python-quickstart\nruntime: python\nplugins:\n  providers:\n";
  writeFileSync(
    join(site.program, "Pulumi.yaml"),
    `${project}    - name: modelplatform\n      path: ${join(site.folder, "plugins")}\n`,
  );
  await generate("python", join(site.folder, "sdk"));
  // What an installation would note, and the SDK asks for.
  const note = join(site.folder, "sdk", "python", `pulumi_modelplatform-${version}.dist-info`);
  mkdirSync(note);
  writeFileSync(join(note, "METADATA"), `Metadata-Version: 2.1\nName: pulumi_modelplatform\nVersion: ${version}\n`);
  return site;
}

unless(missingPython(), "a program in Python", () => {
  let site: Site;
  beforeEach(async () => void (site = await pythonSite()));
  afterEach(() => site.close());

  test("has every kind: up, nothing to do, drift, healing, an import, destroy", async () => {
    const env = { PYTHONPATH: join(site.folder, "sdk", "python") };
    await site.expect(0, "up", { env });
    expect(site.resources().map(({ type }) => type.split(":")[2])).toEqual(
      expect.arrayContaining(managedSpecs.map(({ kind }) => kind)),
    );
    expect(JSON.stringify(site.resource("storage"))).not.toContain("only-for-the-emulator");
    await site.writes();
    await site.expect(0, "preview --expect-no-changes", { env });
    await site.expect(0, "refresh --preview-only --expect-no-changes", { env });
    await expectHealed(site, { env });
    expect(await site.writes()).toHaveLength(1);

    const eve = `accounts/${account}/users/eve`;
    await site.seed({ [eve]: { email: "eve@example.com", role: "user", displayName: "Eve", state: "READY" } });
    const { stdout } = await site.expect(0, `import modelplatform:index:User eve ${eve} --protect=false`, { env });
    const code = stdout.slice(stdout.indexOf("eve = modelplatform.User("));
    expect(code).toContain("role=modelplatform.UserRole.USER");
    appendFileSync(join(site.program, "__main__.py"), `\n${code}`);
    await site.expect(0, "preview --expect-no-changes", { env });
    await site.expect(0, "destroy", { env });
    expect([site.live("deployments/"), site.live("users/"), site.resources()]).toEqual([[], [], []]);
  });
});

/** What `codify` says to set, by config key. */
const secrets = { storageKeyValue: "live-value", chatDirectRouteApiKeys: '["direct-route-key"]' };

/** The example that the schema shows for each kind, or each function, in a language. */
function examplesIn(language: string, of: "resources" | "functions"): string[] {
  const schema = JSON.parse(readFileSync(join(repository, "schema.json"), "utf8")) as Record<
    typeof of,
    Record<string, { description: string }>
  >;
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``);
  return Object.values(schema[of]).map(({ description }) => block.exec(description)![1]!);
}

unless(missing("pulumi", "pulumi-language-nodejs"), "the examples of the schema in TypeScript", () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "examples-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("compile with the SDK that they import", async () => {
    await generate("nodejs", folder);
    const modules = join(folder, "node_modules");
    mkdirSync(modules);
    for (const name of ["@pulumi", "@types"]) symlinkSync(join(repository, "node_modules", name), join(modules, name));
    renameSync(join(folder, "nodejs"), join(modules, "pulumi-modelplatform-sdk"));
    const examples = [...examplesIn("typescript", "resources"), ...examplesIn("typescript", "functions")];
    examples.forEach((example, index) => writeFileSync(join(folder, `example-${index}.ts`), example));
    const program = typescript.createProgram(
      examples.map((_, index) => join(folder, `example-${index}.ts`)),
      { strict: true, noEmit: true, skipLibCheck: true, types: ["node"] },
    );
    const problems = typescript.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect([examples.length > 20, problems]).toEqual([true, []]);
  });
});

/** Answers every call with nothing, and writes down what it was. */
const pythonMocks = `import asyncio, json, pulumi
calls, results = {}, []
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args): return [args.name, args.inputs]
    def call(self, args):
        calls[args.token.split(":")[2]] = args.args
        return {}
pulumi.runtime.set_mocks(Mocks())
`;
const pythonEnd = `asyncio.get_event_loop().run_until_complete(asyncio.gather(*[each.future() for each in results]))
print(json.dumps(calls))
`;

unless(missingPython(), "the examples of the schema in Python", () => {
  let site: Site;
  beforeEach(async () => void (site = await pythonSite()));
  afterEach(() => site.close());

  test("run", async () => {
    writeFileSync(join(site.program, "__main__.py"), examplesIn("python", "resources").join("\n"));
    const { output } = await site.expect(0, "preview", { env: { PYTHONPATH: join(site.folder, "sdk", "python") } });
    expect(output).toContain(`+ ${managedSpecs.length + 1} to create`);
  });

  test("call every function with what they show", async () => {
    const calls = examplesIn("python", "functions").map((example) => `${example}\nresults.append(result)\n`);
    const program = join(site.program, "calls.py");
    writeFileSync(program, [pythonMocks, ...calls, pythonEnd].join(""));
    const env = { ...process.env, PYTHONPATH: join(site.folder, "sdk", "python") };
    const { stdout } = await run("python3", [program], { env });
    expect(JSON.parse(stdout)).toEqual(
      Object.fromEntries(Object.entries<FunctionSpec>(functions).map(([name, { example }]) => [name, example])),
    );
  });

  test("stand beside descriptions that name other properties in words", () => {
    const sources = textsBelow(join(site.folder, "sdk", "python"));
    expect(sources).toContain('While "deployment shape" is set');
    expect(sources).not.toMatch(/`(deploymentShape|maxReplicaCount)`/);
  });
});

unless(missingPython(), "a program that `codify` writes in Python", () => {
  let site: Site;
  beforeEach(async () => void (site = await pythonSite()));
  afterEach(() => site.close());

  test("adopts every object of an account as it is", async () => {
    await site.seed(liveWorld(account));
    const modelplatform = (...line: string[]) =>
      run(builtIn.command, [...builtIn.args, ...line], { cwd: site.program, env: site.env });
    await modelplatform("codify", "--for", "python", "--finished-jobs", "--output", ".", "--force");
    const text = readFileSync(join(site.program, "__main__.py"), "utf8");
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    for (const [key, value] of Object.entries(secrets))
      await modelplatform("config", "set", "--stack", site.stack, "--secret", key, value);
    const env = { PYTHONPATH: join(site.folder, "sdk", "python") };
    await site.writes();
    await site.expect(0, "up", { env });
    expect(await site.writes()).toEqual([]);
    await site.expect(0, "preview --expect-no-changes", { env });
  });
});

const goImports = `\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n\t"${goModule}/modelplatform"`;

nightly("Go compiles Pulumi's SDK for minutes", () => {
  unless(missing("pulumi", "pulumi-language-go", "go"), "a program in Go", () => {
    let site: Site;
    beforeEach(async () => {
      site = await Site.open(pulumiCli, { program: "go" });
      await generate("go", join(site.program, "sdk"));
      const examples = [
        ...examplesIn("go", "resources").map((example) => `\t{\n${example}\n_, _ = example, err\n\t}\n`),
        ...examplesIn("go", "functions").map((example) => `\t{\n${example}\n_ = result\n\t}\n`),
      ];
      writeFileSync(
        join(site.program, "examples.go"),
        `package main\n\nimport (\n${goImports}\n)\n\nfunc examples(ctx *pulumi.Context) {\n${examples.join("")}}\n`,
      );
      for (const file of ["main.go", "go.mod", "sdk.mod"]) {
        const text = readFileSync(join(site.program, file), "utf8");
        writeFileSync(join(site.program, file), text.replaceAll("pulumi-modelplatform/sdk/go", goModule));
      }
      cpSync(join(site.program, "sdk.mod"), join(site.program, "sdk", "go", "go.mod"));
      await run("go", ["build", "-mod=mod", "-o", "program", "."], { cwd: site.program });
    });
    afterEach(() => site.close());

    test("compiles, goes up, needs nothing more, and leaves nothing behind", async () => {
      await site.expect(0, "up");
      expect(site.only("users/")).toMatchObject({ email: "ada@example.com", role: "contributor" });
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "destroy");
      expect([site.live("users/"), site.resources()]).toEqual([[], []]);
    });
  });
});
