import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { archive } from "../../tools/executables";
import { pulumiCli, repository } from "./engines";
import { missing, unless } from "./hosts";
import { account, Site } from "./site";

jest.setTimeout(300_000);

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
const pageOf = (name: string): string => readFileSync(join(repository, "docs", name), "utf8");
const page = pageOf("plugin.md");
const importing = pageOf("codify.md").split("\n### With the plugin\n")[1]!.split("\n## ")[0]!;
const folder = "node_modules/pulumi-modelplatform/plugin";

/** The commands of the page, in its order, and those that import. */
const commands = [...`${page}${importing}`.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  block!.split("\n").filter((line) => line.startsWith("pulumi ")),
);

/** A command with the version in place of what stands for it. */
const ofVersion = (line: string): string => line.replace(/\$version|X\.Y\.Z/, version);

const program = (...lines: string[]): string =>
  ["name: plain", "runtime: yaml", ...lines, "resources:", "  ada:", "    type: modelplatform:User"].join("\n");
const inputs = "\n    properties:\n      email: ada@example.com\n      role: user\n";

unless(missing("pulumi", "pulumi-language-yaml"), "docs/plugin.md", () => {
  let site: Site;
  let project: string;
  beforeEach(async () => {
    site = await Site.open(pulumiCli);
    project = join(site.folder, "plain");
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(repository, join(project, "node_modules/pulumi-modelplatform"));
    writeFileSync(join(project, "Pulumi.yaml"), program() + inputs);
    await pulumi("stack init dev");
  });
  afterEach(() => site.close());

  /** Runs a line as the page has it, in a home without plugins; what it says, whether it fails or not. */
  async function pulumi(line: string): Promise<{ code: number; output: string }> {
    const words = [...line.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word);
    const end = words.findIndex((word) => word.startsWith("#")) >>> 0;
    const args = words.slice(0, end).map((word) => word.replaceAll('"', ""));
    const env = { ...site.env, PULUMI_HOME: join(site.folder, "own-home"), PULUMI_SKIP_CONFIRMATIONS: "true" };
    try {
      const { stdout, stderr } = await run(pulumiCli.command, args, { cwd: project, env, maxBuffer: 2 ** 26 });
      return { code: 0, output: `${stdout}${stderr}` };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: `${stdout}${stderr}` };
    }
  }
  const started = (line: string): string => line.replace(/^pulumi /, "");

  test("each command of the page runs, in its order", async () => {
    await site.seed({
      [`accounts/${account}/users/ada`]: { email: "ada@example.com", role: "user", state: "READY" },
      [`accounts/${account}/users/eve`]: { email: "eve@example.com", role: "user", state: "READY" },
    });
    const resources = [{ type: "modelplatform:index:User", name: "eve", id: `accounts/${account}/users/eve` }];
    writeFileSync(join(project, "import.json"), JSON.stringify({ resources }));
    // The archives of a server are installed by `executable.test.ts`.
    const played = commands.filter((line) => !line.includes("--server"));
    expect(played.length).toBeGreaterThan(5);
    for (const line of played) {
      const ran = await pulumi(started(ofVersion(line)).replaceAll("accounts/acme/", `accounts/${account}/`));
      expect({ line, ...ran }).toEqual({ ...ran, line, code: 0 });
    }
  });

  test.each([
    [
      "a folder in `plugins: providers`",
      ["plugins:", "  providers:", "    - name: modelplatform", `      path: ${folder}`],
    ],
    ["a folder in `packages`", ["packages:", `  modelplatform: ./${folder}`]],
  ])("%s is run where it is", async (_, lines) => {
    writeFileSync(join(project, "Pulumi.yaml"), program(...lines) + inputs);
    const { code, output } = await pulumi("preview --non-interactive");
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining("modelplatform:index:User ada"),
    });
  });

  test("`package add` takes the executable, and refuses the folder in a sentence", async () => {
    const refused = await pulumi(`package add ./${folder}`);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain('an executable named "pulumi-resource-"');
    expect(page).toContain("expected … an executable named `pulumi-resource-`");
    const added = await pulumi(`package add ./${folder}/pulumi-resource-modelplatform`);
    expect(added).toEqual({ ...added, code: 0 });
    expect(readFileSync(join(project, "Pulumi.yaml"), "utf8")).toContain("modelplatform: modelplatform@");
    rmSync(join(project, "sdks"), { recursive: true });
  });

  describe("beside a server of archives", () => {
    let server: Server;
    let url: string;
    beforeEach(async () => {
      const content = archive([{ path: "pulumi-resource-modelplatform.exe", content: Buffer.from("MZ"), mode: 0o755 }]);
      server = createServer((request, answer) => {
        if (!request.url!.startsWith("/cut/")) return void answer.end(content);
        answer.setHeader("content-length", content.length);
        answer.write(content.subarray(0, content.length / 2), () => answer.socket!.destroy());
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      // A project that names the plugin's folder would have that installed.
      writeFileSync(join(project, "Pulumi.yaml"), "name: plain\nruntime: yaml\n");
    });
    afterEach(() => server.close());

    const install = (more: string): Promise<{ code: number; output: string }> =>
      pulumi(`plugin install resource modelplatform ${version} ${more}`);

    test.each([
      ["a server that cuts off", () => install(`--server ${url}/cut`), "unexpected EOF"],
      [
        "a wrong checksum",
        () => install(`--server ${url} --checksum ${"00".repeat(32)}`),
        "invalid checksum, expected 00",
      ],
      [
        "another platform's archive",
        async () => {
          expect((await install(`--server ${url}`)).code).toBe(0);
          return pulumi(`package get-schema modelplatform@${version}`);
        },
        'to have an executable named "pulumi-resource-modelplatform"',
      ],
    ])("%s is answered in a sentence", async (_, asked, says) => {
      const { code, output } = await asked();
      expect(code).not.toBe(0);
      expect(output).toContain(says);
      expect(output).not.toMatch(/goroutine|panic|^\s+at /m);
    });
  });
});
