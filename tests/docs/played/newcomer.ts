import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { createEmulator } from "../../../emulator/index";
import { packInto } from "../../../measure/sdk/installed";
import { type Engine, enginePath, homeIn, missingCli, repository } from "../../e2e/engines";
import { isExecutable, placesOf } from "../../executables";
import { type BlockResult, follow } from "./follow";
import { blocksOf } from "./page";
import { Shell } from "./shell";

/** In place of an emulator that is there already. */
const asleep = "sleep 600 &";

const emulatorLine = /^npx .* emulator .*&(?= *(?:#.*)?$)/m;

/** Commands of both engines. */
const engineCommand = /\b(?:npx pulumi-modelplatform|pulumi) (?=(?:stack|config|preview|refresh|up|destroy)\b)/g;

/** What a page leaves to its reader, as this reader has it. */
const ownValues: readonly [RegExp, string][] = [
  [/PULUMI_BACKEND_URL=…/g, "PULUMI_BACKEND_URL=file://."],
  [/PULUMI_CONFIG_PASSPHRASE=…/g, "PULUMI_CONFIG_PASSPHRASE=only-for-a-test"],
  [/MODELPLATFORM_API_KEY=…/g, "MODELPLATFORM_API_KEY=acme-key"],
  // What somebody at a terminal answers.
  [/(?<=(?:pulumi|pulumi-modelplatform) )(up|destroy|import)\b(?!.*--yes)/g, "$1 --yes"],
];

/** A folder of its own, outside the repository. */
export class Newcomer {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "newcomer-"));
  readonly bin = join(this.folder, "bin");
  /** Where the README and the tutorial have their projects made. */
  readonly projects = ["quick", "shop"].map((name) => join(this.folder, "work", name));

  constructor() {
    for (const each of ["bin", "home", "work"]) mkdirSync(join(this.folder, each));
  }

  /**
   * `npm install` without a network: the package is packed, and unpacked as npm does it, and what it depends on is
   * found in the folder above, which has what the repository has installed. Everything else is npm's own.
   */
  installOffline(): void {
    const tarball = packInto(join(this.folder, "work"));
    this.installs([
      "[ -e node_modules/pulumi-modelplatform ] && exit",
      "[ -e package.json ] || echo '{}' > package.json",
      `tar -xzf "${tarball}" -C node_modules && mv node_modules/package node_modules/pulumi-modelplatform`,
      "ln -s ../pulumi-modelplatform/dist/cli/main.js node_modules/.bin/pulumi-modelplatform",
      "chmod +x node_modules/pulumi-modelplatform/dist/cli/main.js",
      `"${npm}" pkg set "dependencies.pulumi-modelplatform=file:${tarball}"`,
    ]);
    this.script("npx", [`command="$1"; shift; exec "node_modules/.bin/$command" "$@"`]);
  }

  /** `npm install` that finds everything in the folder above. */
  installNothing(): void {
    this.installs([]);
  }

  private installs(lines: readonly string[]): void {
    symlinkSync(join(repository, "node_modules"), join(this.folder, "work", "node_modules"));
    this.script("npm", [`if [ "$1" != install ]; then exec "${npm}" "$@"; fi`, "mkdir -p node_modules/.bin", ...lines]);
  }

  private script(name: string, lines: readonly string[]): void {
    writeFileSync(join(this.bin, name), ["#!/bin/sh", ...lines, ""].join("\n"));
    chmodSync(join(this.bin, name), 0o755);
  }

  /**
   * Follows pages on `engine`, one after the other in one shell: with the emulators that they start on a port that is
   * free here, or with one which is there already.
   */
  async follow(
    pages: readonly string[],
    engine: Engine,
    { env = {}, emulator }: { env?: NodeJS.ProcessEnv; emulator?: string } = {},
  ): Promise<{ steps: BlockResult[]; transcript: string }> {
    const port = emulator ?? String(await freePort());
    const service = createEmulator({ accounts: { acme: "acme-key" }, settings: { speed: 600 } });
    const { url } = await service.listen({ port: 0 });
    const shell = new Shell(join(this.folder, "work"), {
      PATH: [this.bin, enginePath].join(delimiter),
      ...homeIn(join(this.folder, "home")),
      NPM_CONFIG_UPDATE_NOTIFIER: "false",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      ...env,
    });
    const engineName = engine.isBuiltIn ? "npx pulumi-modelplatform " : "pulumi ";
    try {
      const blocks = pages.flatMap((page) => blocksOf(join(repository, page)));
      const steps = await follow(blocks, shell, {
        change: (text) =>
          ownValues
            .reduce((changed, [placeholder, value]) => changed.replaceAll(placeholder, value), text)
            .replace(emulatorLine, emulator === undefined ? "$&" : asleep)
            .replaceAll("8787", port)
            .replaceAll("<example>", basename(dirname(join(repository, pages.at(-1)!))))
            .replaceAll("https://api.example.com", url)
            .replace(engineCommand, engineName),
        // The page shows what the built-in engine prints.
        shows: (commands) => commands.trim() !== asleep && (engine.isBuiltIn || !commands.includes("pulumi ")),
        hasCli: missingCli === "",
      });
      return { steps, transcript: shell.everything };
    } finally {
      shell.close();
      await service.close();
    }
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Not beside Node.js: that of the night comes without it. */
const npm = placesOf(["npm"]).find(isExecutable) ?? "npm";

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
