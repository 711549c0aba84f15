import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../cli/terminal";
import { checkout, honest } from "./checkout-scene";
import { testPairs } from "./pairs";
import { ending, expectSpoken, operator } from "./scene";

/** Ways to hide that a program is the checkout's: the folder that the command runs in, and the first entry of PATH. */
const links: readonly (readonly [string, (cwd: string) => { cwd: string; entry: string }])[] = [
  ["only the checkout is behind a link", (cwd) => ({ cwd: linkTo(cwd), entry: bin(cwd) })],
  ["only PATH is behind a link", (cwd) => ({ cwd, entry: bin(linkTo(cwd)) })],
  ["both are behind links", (cwd) => ({ cwd: linkTo(cwd), entry: bin(linkTo(cwd)) })],
  ["PATH names a link to its folder", (cwd) => ({ cwd, entry: linkTo(bin(cwd)) })],
  [
    "its link leads out of it",
    (cwd) => {
      const outside = temporaryFolder();
      for (const name of readdirSync(bin(cwd))) cpSync(join(bin(cwd), name), join(outside, name));
      symlinkSync(outside, join(cwd, "tools"));
      return { cwd, entry: join(cwd, "tools") };
    },
  ],
  [
    "links elsewhere lead to it",
    (cwd) => {
      const outside = temporaryFolder();
      for (const name of readdirSync(bin(cwd))) symlinkSync(join(bin(cwd), name), join(outside, name));
      return { cwd, entry: outside };
    },
  ],
  ["the main worktree has them", (cwd) => ({ cwd: worktreeOf(cwd), entry: bin(cwd) })],
  ["another worktree has them", (cwd) => ({ cwd, entry: bin(worktreeOf(cwd)) })],
  [
    "a folder in it is behind a link",
    (cwd) => {
      mkdirSync(join(cwd, "infra"));
      return { cwd: linkTo(join(cwd, "infra")), entry: bin(cwd) };
    },
  ],
];

const bin = (cwd: string): string => join(cwd, "node_modules", ".bin");

function linkTo(folder: string): string {
  const link = join(temporaryFolder(), "link");
  symlinkSync(folder, link);
  return link;
}

/** A second worktree, as `git worktree add` makes it, with everything that the first one has. */
function worktreeOf(cwd: string): string {
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"];
    execFileSync("/usr/bin/git", [...identity, ...args], { cwd, stdio: "ignore" });
  };
  const worktree = join(temporaryFolder(), "worktree");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  git("worktree", "add", worktree);
  return worktree;
}

testPairs(
  links,
  ["doctor", "drift --stack acme/shop/dev", "call listUsers"].map((line) => [line, line] as const),
  (where, line) => `\`${line}\` runs nothing of a checkout where ${where}`,
  async (play, line) => {
    const ran = join(temporaryFolder(), "ran");
    const { url } = await honest();
    const shim = `#!/bin/sh\ntouch ${ran}\n`;
    const planted = ["pulumi", "git", "npm", "node", "own-key"].map((name) => [`node_modules/.bin/${name}`, shim]);
    const { cwd, entry } = play(await checkout(Object.fromEntries(planted) as Record<string, string>));
    const accounts = JSON.stringify({ acme: { keyCommand: ["own-key"] } });
    const env = operator(url, { PATH: `${entry}:/usr/bin:/bin`, MODELPLATFORM_ACCOUNTS: accounts });
    delete env["MODELPLATFORM_API_KEY"];
    expectSpoken((await ending(line, { cwd, env })).said);
    expect(existsSync(ran)).toBe(false);
  },
);

test("a program of the machine behind links runs", async () => {
  const [place, ran] = [temporaryFolder(), join(temporaryFolder(), "ran")];
  const { url } = await honest();
  mkdirSync(join(place, "opt"));
  writeFileSync(join(place, "opt", "own-key"), `#!/bin/sh\ntouch ${ran}\necho key-of-the-machine\n`, { mode: 0o755 });
  mkdirSync(join(place, "bin"));
  symlinkSync("../opt/own-key", join(place, "bin", "own-key"));
  const accounts = JSON.stringify({ acme: { keyCommand: ["own-key"] } });
  const env = operator(url, { PATH: `${linkTo(join(place, "bin"))}:/usr/bin:/bin`, MODELPLATFORM_ACCOUNTS: accounts });
  delete env["MODELPLATFORM_API_KEY"];
  await ending("call listUsers", { cwd: await checkout({}), env });
  expect(existsSync(ran)).toBe(true);
});
