import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { instantTime } from "../api/support/instant-time";
import { modelplatform, temporaryFolder } from "../cli/terminal";
import { listener } from "./listener";

const token = "pul-0123456789abcdef0123456789abcdef01234567";

/** Logs in as the Pulumi CLI does: at the backend that the nearest project file names, with the token at hand. */
const program = `#!${process.execPath}
const { existsSync, readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
let folder = process.cwd();
while (!existsSync(join(folder, "Pulumi.yaml")) && folder !== dirname(folder)) folder = dirname(folder);
const file = join(folder, "Pulumi.yaml");
const url = existsSync(file) ? /url: (\\S+)/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
if (url === undefined) {
  console.error("error: no stack named prod found");
  process.exitCode = 255;
} else
  fetch(url + "/api/user", { headers: { authorization: "token " + process.env.PULUMI_ACCESS_TOKEN } }).then(() => {
    process.exitCode = 255;
  });
`;

/** Somebody else's checkout, with a project file that names a backend of theirs; and an honest CLI. */
function checkout(url: string): { cwd: string; env: Record<string, string> } {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "Pulumi.yaml"), `name: shop\nruntime: nodejs\nbackend:\n  url: ${url}\n`);
  const bin = temporaryFolder();
  writeFileSync(join(bin, "pulumi"), program, { mode: 0o755 });
  return {
    cwd,
    env: {
      PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
      PULUMI_ACCESS_TOKEN: token,
      MODELPLATFORM_BASE_URL: "http://127.0.0.1:9",
      MODELPLATFORM_ACCOUNT_ID: "acme",
      MODELPLATFORM_API_KEY: "operators-own-key-1",
      XDG_STATE_HOME: temporaryFolder(),
    },
  };
}

/** Plants an executable that leaves a mark where it runs. */
function plant(file: string, mark: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
}

const time = () => instantTime(Date.now(), undefined, 10_000);

const commands = ["drift --stack acme/shop/prod", "codify --stack acme/shop/prod", "doctor"];

for (const command of commands) {
  test(`${command} sends the Pulumi token to no address of the project's files`, () =>
    listener(async (url, seen) => {
      const { cwd, env } = checkout(url);
      await modelplatform(command, { cwd, env, time: time() });
      expect(seen).toEqual([]);
    }));
  test(`${command} runs no \`pulumi\` of the checkout, however the PATH leads there`, async () => {
    const { cwd, env } = checkout("https://pulumi.invalid");
    const mark = join(cwd, "ran");
    const below = join(cwd, "infra");
    mkdirSync(below);
    for (const folder of [".", "node_modules/.bin", "bin", "infra", "infra/node_modules/.bin"])
      plant(join(cwd, folder, "pulumi"), mark);
    const entries = [
      ".",
      "",
      "node_modules/.bin",
      join(cwd, "node_modules", ".bin"),
      join(below, "node_modules", ".bin"),
    ];
    for (const entry of [...entries, join(cwd, "bin")])
      await modelplatform(command, {
        cwd: below,
        time: time(),
        env: { ...env, PATH: [entry, env["PATH"]].join(delimiter) },
      });
    expect(existsSync(mark)).toBe(false);
  });
}
