import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPlan } from "../../engine/plan/update-plan";
import { passphraseFrom } from "../../engine/state/passphrase";
import { modelplatform, project } from "../cli/terminal";
import { temporaryFolder } from "../state/temporary-folder";

/** A sparse file of two gigabytes, which takes no room and would take minutes to parse. */
function bigIn(folder: string): string {
  const path = join(folder, "big");
  writeFileSync(path, "");
  truncateSync(path, 2 * 1024 ** 3);
  return path;
}

const keys = { MODELPLATFORM_API_KEY: "key-0123456789", MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" };

const tooLarge = /big.* larger than (16|64|128) MB \(2,048 MB\)/;

test.each([
  ["a baseline", "drift --account acme --baseline big", {}],
  ["a state", "drift --account acme --stack-file big", {}],
  ["a file of prices", "cost --preview-json dev.json", { MODELPLATFORM_PRICES: "big" }],
  ["a preview of a review", "review --preview-json dev=big", {}],
  ["a file of rules", "audit --account acme --policy-pack-config big", {}],
  ["a world of the emulator", "emulator --port 0 --seed big", {}],
  ["an export of a state", "stack import --file big -s dev", {}],
  ["a list of imports", "import --file big -s dev --yes", {}],
])("%s of two gigabytes is refused by its size", async (_, line, variables) => {
  const { cwd, env } = await project("dev");
  bigIn(cwd);
  const { code, stderr } = await modelplatform(line, { cwd, env: { ...env, ...keys, ...variables } });
  expect(stderr).toMatch(tooLarge);
  expect(code).toBe(1);
});

test.each([
  ["a plan", (path: string) => readPlan(path)],
  ["a passphrase", (path: string) => passphraseFrom({ PULUMI_CONFIG_PASSPHRASE_FILE: path })],
])("%s of two gigabytes is refused by its size", async (_, read) => {
  await expect(read(bigIn(temporaryFolder()))).rejects.toThrow(tooLarge);
});

/** A sender that does not stop, but after two gigabytes; in pieces that take no room. */
async function* endless(): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(1024 ** 2, " ");
  for (let sent = 0; sent < 2048; sent += 1) yield piece;
}

test.each([
  ["a body", "call createUser --account acme --body -", 64],
  ["a preview to price", "cost --preview-json -", 64],
  ["a preview to review", "review --preview-json dev=-", 64],
  ["a value", "config set region", 16],
  ["a state", "stack import", 128],
])("%s that standard input does not end is refused by its size", async (_, line, megabytes) => {
  const { cwd, env } = await project("dev");
  const prices = { MODELPLATFORM_PRICES: '{"currency": "USD"}' };
  const { code, stderr } = await modelplatform(line, { cwd, env: { ...env, ...keys, ...prices }, stdin: endless() });
  expect(stderr).toContain(
    `Standard input is not read: it is larger than ${megabytes} MB (${megabytes + 1} MB and more). Check that it is`,
  );
  expect(code).toBe(1);
});
