import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { checkout, honest, user } from "./checkout-scene";
import { testPairs } from "./pairs";
import { ending, expectSpoken, operator, stranger } from "./scene";

/**
 * What reaches a command besides the files that `checkout.test.ts` plants: a state that the attacker has written, and
 * the places where the operator's own programs are looked up.
 */

/** An address that a state records is the attacker's word, too. */
for (const line of [
  "drift --stack-file prod.json",
  "drift --stack-file prod.json --unmanaged --account acme",
  "codify --stack-file prod.json",
] as const) {
  test(`\`${line}\` sends no key to the address that a state records`, async () => {
    const [{ url, seen }, service] = [await stranger(), await honest()];
    const state = exported([
      { kind: "User", inputs: { email: user.email, role: "user" }, live: user, outputs: { endpoint: url } },
    ]);
    const cwd = await checkout({ "prod.json": JSON.stringify(state) });
    const { said } = await ending(line, { cwd, env: operator(service.url) });
    expectSpoken(said);
    expect(seen).toEqual([]);
  });
}

/** Programs that are looked up by name, where the way there leads through the checkout. */
testPairs(
  ["", ".", "./node_modules/.bin", "bin"].map((entry) => [JSON.stringify(entry), entry] as const),
  ["doctor", "drift --stack acme/shop/dev"].map((line) => [line, line] as const),
  (entry, line) => `\`${line}\` runs nothing of the checkout where PATH begins with ${entry}`,
  async (entry, line) => {
    const ran = join(temporaryFolder(), "ran");
    const { url } = await honest();
    const shim = `#!/bin/sh\ntouch ${ran}\n`;
    const places = ["", "node_modules/.bin/", "bin/"].flatMap((folder) =>
      ["pulumi", "git", "npm", "node"].map((name) => [`${folder}${name}`, shim]),
    );
    const cwd = await checkout(Object.fromEntries(places) as Record<string, string>);
    const before = process.cwd();
    process.chdir(cwd);
    try {
      const env = operator(url, { PATH: `${entry}:/usr/bin:/bin` });
      expectSpoken((await ending(line, { cwd, env })).said);
    } finally {
      process.chdir(before);
    }
    expect(existsSync(ran)).toBe(false);
  },
);

/** Behaves as the Pulumi CLI does: the backend is that of the nearest Pulumi.yaml above, and gets the token. */
const cli = `#!${process.execPath}
const { existsSync, readFileSync, appendFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
let folder = process.cwd();
const at = process.argv.findIndex((word) => word === "--cwd" || word === "-C");
if (at > 0) folder = process.argv[at + 1];
while (!existsSync(join(folder, "Pulumi.yaml")) && dirname(folder) !== folder) folder = dirname(folder);
const file = join(folder, "Pulumi.yaml");
const named = existsSync(file) ? /url:\\s*(\\S+)/.exec(readFileSync(file, "utf8"))?.[1] : undefined;
const backend = process.env.PULUMI_BACKEND_URL || named || "https://app.example.com";
appendFileSync(process.env.WITNESS, JSON.stringify({ backend, token: process.env.PULUMI_ACCESS_TOKEN ?? "" }) + "\\n");
console.log(JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [] } }));
`;

testPairs(
  ["drift", "codify", "accept"].map((name) => [name, `${name} --stack acme/shop/dev`] as const),
  [
    ["in the checkout", (cwd: string) => cwd],
    ["in a folder below it", (cwd: string) => join(cwd, "infra")],
    ["in a folder that is a project as well", (cwd: string) => join(cwd, "nested")],
  ],
  (name, where) => `${name} ${where} hands the Pulumi token to no address of the checkout`,
  async (line, placeOf) => {
    const bin = temporaryFolder();
    const witness = join(bin, "witness");
    writeFileSync(join(bin, "pulumi"), cli, { mode: 0o755 });
    writeFileSync(witness, "");
    const { url } = await honest();
    const hostile = "name: shop\nruntime: nodejs\nbackend:\n  url: https://evil.example\n";
    const cwd = await checkout({
      ...{ "Pulumi.yaml": hostile, "nested/Pulumi.yaml": hostile, "infra/index.ts": "" },
      "index.ts": "",
    });
    const env = operator(url, {
      ...{ PATH: `${bin}:/usr/bin:/bin`, WITNESS: witness, PULUMI_ACCESS_TOKEN: "pul-0123456789" },
    });
    expectSpoken((await ending(line, { cwd: placeOf(cwd), env })).said);
    expect(readFileSync(witness, "utf8")).not.toContain("evil.example");
  },
);
