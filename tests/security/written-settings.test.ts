import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withConfigValue } from "../../drift/accept/rewrite";
import { readProject } from "../../engine/state/project";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";

/** Lines as the parser of the Pulumi CLI counts them. */
const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);

const before = "config:\n  shop:owner: Ada\n  modelplatform:baseUrl: https://api.example.com/v1\n";

/** A display name that writes a setting of its own where a line break of Unicode counts as one. */
const breaks = ["\u2028", "\u2029", "\u0085", "\n", "\r", "\r\n"];
const attack = (line: string): string => `Ada${line}  modelplatform:baseUrl:${line}    https://evil.example`;

function expectOneValue(after: string): void {
  const lines = linesOf(after);
  expect(lines).toHaveLength(linesOf(before).length);
  expect([lines[0], lines[2], lines[3]]).toEqual([linesOf(before)[0], linesOf(before)[2], ""]);
  expect(lines[1]).toMatch(/^ {2}shop:owner: "Ada.*https:\/\/evil\.example"$/);
}

test.each(breaks)("a live text with the line break %j stays one value when `accept` writes it", (line) => {
  expectOneValue(withConfigValue(before, "shop", { key: "owner", path: [] }, attack(line)));
});

test.each(breaks)("a text with the line break %j stays one value when `config set` writes it", async (line) => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  writeFileSync(join(folder, "Pulumi.prod.yaml"), before);
  const config = await readStackConfig(await readProject(folder), "prod");
  config.set("owner", attack(line));
  await writeStackConfig(config);
  expectOneValue(readFileSync(join(folder, "Pulumi.prod.yaml"), "utf8"));
});
