import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { project, temporaryFolder } from "../cli/terminal";
import { type CommandEnding, ending, expectSpoken, operator, stranger } from "./scene";

/** A checkout has something that never ends where a command reads a file. */
const kinds: Readonly<Record<string, (path: string) => void>> = {
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a folder": (path) => void mkdirSync(path),
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "a file of a terabyte": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 40);
  },
};

const attacks = Object.keys(kinds).flatMap((kind) =>
  ["Pulumi.yaml", "Pulumi.dev.yaml", ".pulumi/meta.yaml"].map((name) => [kind, name] as const),
);

async function inCheckout(line: string, name: string, lay: (path: string) => void): Promise<CommandEnding> {
  const { cwd, env } = name === "Pulumi.yaml" ? { cwd: temporaryFolder(), env: {} } : await project("dev");
  mkdirSync(join(cwd, ".pulumi"), { recursive: true });
  execFileSync("rm", ["-f", join(cwd, name)]);
  lay(join(cwd, name));
  return ending(line, { cwd, env: { ...operator((await stranger()).url), ...env } });
}

test.each(attacks)("doctor ends where %s is %s of the checkout, and says which file", async (kind, name) => {
  const { said } = await inCheckout("doctor", name, kinds[kind]!);
  expectSpoken(said);
  expect(said.replace(/\s+/g, " ")).toMatch(new RegExp(`${name.split("/").at(-1)} is not read: it is `));
});

test.each(attacks)("config ends where %s is %s of the checkout, and says which file", async (kind, name) => {
  const { code, said } = await inCheckout("config --stack dev", name, kinds[kind]!);
  expectSpoken(said);
  expect(code).not.toBe(0);
  expect(said.replace(/\s+/g, " ")).toMatch(new RegExp(`${name.split("/").at(-1)} is not read: it is `));
});
