import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { project } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { nightly } from "../nightly";
import { answers, listening, operator } from "./scene";

/**
 * The attacker hands in a pattern, or the text that it is matched against, and wants a process that computes for hours.
 * Each runs in a process of its own, which a signal ends after a minute: what is linear takes a part of a second.
 */
const main = join(__dirname, "../../dist/cli/main.js");
const long = "a".repeat(10_000);
const user = (id: string): Record<string, unknown> => ({
  name: `accounts/acme/users/${id}`,
  email: "ada@example.com",
  role: "user",
  state: "READY",
});

/** How a command ended, beside files of that text, where the service has a user of a long name. */
async function signalOf(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { cwd: folder, env } = await project("dev");
  const { url } = await listening(
    answers({ "GET /v1/accounts/acme/users": { body: { users: [user(long)] } }, "GET /v1/": {} }),
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "prod.json"), JSON.stringify(exported([])));
  const { deployment } = exported([{ kind: "User", inputs: {}, live: user(long) }], { stack: "dev" });
  const state = { version: 3, checkpoint: { stack: "organization/shop/dev", latest: deployment } };
  writeFileSync(join(folder, ".pulumi", "stacks", "shop", "dev.json"), JSON.stringify(state));
  const child = spawn(process.execPath, [main, ...args], {
    ...{
      cwd: folder,
      env: { ...operator(url), ...env },
      stdio: "ignore" as const,
      timeout: 60_000,
      killSignal: "SIGKILL" as const,
    },
  });
  const [, signal] = (await once(child, "close")) as [unknown, unknown];
  return signal;
}

const scan = ["drift", "--stack-file", "prod.json", "--unmanaged", "--account", "acme", "--ignore", "ignore"];

const hardIgnores: readonly (readonly [what: string, text: string])[] = [
  ["stars between letters", `acme/User/${"*a".repeat(30)}*b`],
  ["stars alone", `acme/User/${"*".repeat(2000)}b`],
  ["double stars", `${"**/".repeat(200)}b`],
  ["double stars between letters", `${"**/a*".repeat(60)}/b`],
  ["question marks and stars", `acme/User/${"?*".repeat(60)}b`],
  ["classes and stars", `acme/User/${"[a-z]*".repeat(40)}[0-9]`],
  ["classes that do not end", `acme/User/${"[a".repeat(2000)}`],
  ["braces within braces", `acme/User/${"{a,".repeat(200)}${"}".repeat(200)}b`],
  ["backslashes", `acme/User/${"\\a*".repeat(40)}\\`],
  ["negations", `${`!acme/User/${"*a".repeat(20)}*b\n`.repeat(20)}`],
  ["spaces that end it", `acme/User/${" ".repeat(20_000)}x${" ".repeat(20_000)}\\`],
  ["a field below stars", `acme/User/${"*a".repeat(30)}*#${"*a".repeat(30)}b`],
  ["three hundred lines", "acme/User/*a*a*b\n".repeat(300)],
];

/** Every pattern in one scan, each of which would keep it; where they do, each alone tells which. */
test("an ignore file with slow patterns of every kind does not keep a scan", async () => {
  if ((await signalOf(scan, { ignore: hardIgnores.map(([, text]) => text).join("\n") })) === null) return;
  const slow: string[] = [];
  for (const [what, text] of hardIgnores) if ((await signalOf(scan, { ignore: text })) !== null) slow.push(what);
  throw new Error(`A scan was kept by ${slow.join(", ") || "all of the patterns together"}.`);
});

const hardWords: readonly (readonly [what: string, args: readonly string[]])[] = [
  ["a target", ["refresh", "--yes", "--target", `urn:${"*a".repeat(40)}**b`]],
  ["a path of the config", ["config", "set", "--path", `a${"[0]".repeat(3000)}${'["x'.repeat(3000)}`, "v"]],
  ["a name to import", ["import", `accounts/${"a/".repeat(30_000)}`]],
];
const likeThem: typeof hardWords = [
  ["a target to leave out", ["destroy", "--yes", "--exclude", `urn:${"**a".repeat(40)}b`]],
  ["a duration", ["drift", "--stack-file", "prod.json", "--timeout", `${"1".repeat(50_000)}x`]],
  ["an account", ["drift", "--stack-file", "prod.json", "--account", `${"a-".repeat(50_000)}!`]],
];
const testWords = (words: typeof hardWords): void =>
  test.each(words)("%s that is made to be slow does not keep a command", async (_, args) =>
    expect(await signalOf(args)).toBeNull(),
  );

testWords(hardWords);
nightly("each is read as one of those that a normal run has", () => testWords(likeThem));
