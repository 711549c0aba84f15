import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { type Ended, start } from "../e2e/commands";
import { builtIn, environmentIn, repository } from "../e2e/engines";
import type { Values } from "../values";
import { type Deviations, settingsFor } from "./deviation";
import { ForeignService } from "./foreign-service";

const program = `const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const platform = require("pulumi-modelplatform");
const declared = JSON.parse(readFileSync(join(__dirname, "declared.json"), "utf8"));
for (const [name, { kind, ...inputs }] of Object.entries(declared)) new platform[kind](name, inputs);
`;

/** A project whose stack lives on a foreign service, and the settings that the service needs. */
export class ForeignSite {
  private readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "foreign-"));

  private constructor(readonly service: ForeignService) {}

  static async open(deviations: Deviations): Promise<ForeignSite> {
    const site = new ForeignSite(await ForeignService.start(deviations));
    for (const each of ["state", "home", "processes", "program"]) mkdirSync(join(site.folder, each));
    symlinkSync(join(repository, "node_modules"), join(site.program, "node_modules"));
    const config = Object.entries(settingsFor(deviations)).map(([key, value]) => `  ${key}: '${value}'\n`);
    const files = {
      "Pulumi.yaml": "name: shop\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
      "package.json": '{"main": "index.js"}',
      "index.js": program,
      ...(config.length > 0 && { "Pulumi.dev.yaml": `config:\n${config.join("")}` }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(site.program, name), text);
    await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack("shop", "dev");
    return site;
  }

  private get program(): string {
    return join(this.folder, "program");
  }

  private get env(): Record<string, string> {
    const { folder, service } = this;
    return environmentIn({
      folder,
      url: service.url,
      account: "acme",
      apiKey: "acme-key-1",
      passphrase: "correct horse",
    });
  }

  declare(resources: Readonly<Record<string, Values>>): void {
    writeFileSync(join(this.program, "declared.json"), JSON.stringify(resources));
  }

  /** Runs a command line, which has to end with `code`. */
  async expect(code: number, line: string): Promise<Ended> {
    const place = { cwd: this.program, env: this.env, rollCall: join(this.folder, "processes") };
    const ended = await start(builtIn, line.split(" "), place).ended;
    if (ended.code !== code) throw new Error(`\`${line}\` ended with ${ended.code}, not ${code}:\n${ended.output}`);
    return ended;
  }

  /** The same, which moreover sends nothing that could change anything. */
  async looks(code: number, line: string): Promise<Ended> {
    this.service.writes.length = 0;
    const ended = await this.expect(code, line);
    expect({ line, writes: this.service.writes }).toEqual({ line, writes: [] });
    return ended;
  }

  close(): void {
    this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
