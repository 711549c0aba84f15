import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { createEmulator } from "../../emulator/index";
import { executableOf, hostPlatform, nameOf } from "../../tools/executables";
import { nightly } from "../nightly";
import { PluginCalls } from "../plugin/support/calls";
import { pulumiCli, repository } from "./engines";
import { missing, unless } from "./hosts";
import { account, apiKey, Site } from "./site";

jest.setTimeout(900_000);

const run = promisify(execFile);
const release = join(repository, ".release");
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

/** Has no Node.js, and nothing else but what is named. */
const bare = (folder: string, ...path: string[]): Record<string, string> => ({ HOME: folder, PATH: path.join(":") });

/** The plugin as an engine starts it. */
async function started(program: string): Promise<{ process: ChildProcess; address: string }> {
  const plugin = spawn(program, [], { env: bare(release), stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(createInterface(plugin.stdout), "line")) as [string];
  return { process: plugin, address: `127.0.0.1:${port}` };
}

nightly("a runtime of 57 MB is fetched, and an executable of 150 MB packed", () => {
  const platform = hostPlatform();

  beforeAll(() => {
    execFileSync(process.execPath, [join(repository, "dist/tools/executables.js"), nameOf(platform)], {
      env: { ...process.env, SOURCE_DATE_EPOCH: "1000" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  });

  test("the executable alone says its port and schema, creates an object, and ends at ^C", async () => {
    const emulator = createEmulator({ accounts: { [account]: apiKey } });
    const { url } = await emulator.listen({ port: 0 });
    const plugin = await started(join(release, nameOf(platform), executableOf(platform)));
    const client = new ResourceProviderClient(plugin.address, credentials.createInsecure());
    try {
      const calls = new PluginCalls(client);
      expect(JSON.parse(await calls.schema(0))).toMatchObject({ name: "modelplatform", version });
      await calls.configure({ accountId: account, apiKey, baseUrl: url });
      const { id } = await calls.made("User", "ada", { email: "ada@example.com", role: "user" });
      expect(emulator.world.get(id)).toMatchObject({ fields: { email: "ada@example.com" } });
      const ended = once(plugin.process, "exit");
      plugin.process.kill("SIGINT");
      expect(await ended).toEqual([130, null]);
    } finally {
      plugin.process.kill("SIGKILL");
      client.close();
      await emulator.close();
    }
  });

  test("a second build is the same, byte for byte", () => {
    const sums = () => readFileSync(join(release, "archives/SHA256SUMS"), "utf8");
    const first = sums();
    execFileSync(process.execPath, [join(repository, "dist/tools/executables.js"), nameOf(platform)], {
      env: { ...process.env, SOURCE_DATE_EPOCH: "1000" },
    });
    expect(sums()).toBe(first);
  });

  unless(missing("pulumi", "pulumi-language-yaml"), "a server that has the archives", () => {
    let site: Site;
    let server: Server;
    let url: string;
    beforeEach(async () => {
      site = await Site.open(pulumiCli);
      server = createServer((request, answer) => {
        const file = join(release, "archives", request.url!);
        if (!existsSync(file)) return void answer.writeHead(404).end();
        answer.setHeader("content-length", statSync(file).size);
        createReadStream(file).pipe(answer);
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
      server.close();
      await site.close();
    });

    /** Runs a command with the CLI and its hosts on the PATH alone, and a home of that name. */
    const pulumi = (home: string, args: string[], more: NodeJS.ProcessEnv = {}) => {
      const clean = { ...site.env, ...bare(join(site.folder, home), join(pulumiCli.command, "..")), ...more };
      delete clean["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"];
      const cwd = join(site.folder, "yaml");
      const told = run(pulumiCli.command, args, { cwd, env: { ...clean, PULUMI_HOME: join(site.folder, home) } });
      return told.catch(({ stdout, stderr }) => Promise.reject(new Error(`${args.join(" ")}:\n${stdout}${stderr}`)));
    };

    /** Those installed; the CLI keeps schemas and locks beside them. */
    const plugins = (home: string): string[] =>
      readdirSync(join(site.folder, home, "plugins"), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name);

    test("is all that a program without Node.js needs", async () => {
      const folder = join(site.folder, "yaml");
      mkdirSync(folder);
      writeFileSync(
        join(folder, "Pulumi.yaml"),
        "name: plain\nruntime: yaml\nresources:\n  ada:\n    type: modelplatform:User\n    properties:\n      email: ada@example.com\n      role: user\n",
      );
      await pulumi("mine", ["plugin", "install", "resource", "modelplatform", version, "--server", url]);
      expect(readdirSync(join(site.folder, `mine/plugins/resource-modelplatform-v${version}`)).sort()).toEqual([
        "LICENSES.txt",
        "pulumi-resource-modelplatform",
      ]);
      await pulumi("mine", ["package", "add", `modelplatform@${version}`]);
      await pulumi("mine", ["stack", "init", "dev"]);
      await pulumi("mine", ["up", "--yes", "--skip-preview"]);
      expect(site.only("users/")).toMatchObject({ email: "ada@example.com" });

      // A colleague has what is committed, and a home without plugins; the address of the schema leads to this server.
      const leads = { PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `modelplatform=${url}` };
      const { stdout } = await pulumi(
        "colleague",
        ["preview", "--stack", "dev", "--expect-no-changes", "--non-interactive"],
        leads,
      );
      expect(stdout).toMatch(/2 unchanged/);
      expect(plugins("colleague")).toEqual([`resource-modelplatform-v${version}`]);
    });
  });
});
