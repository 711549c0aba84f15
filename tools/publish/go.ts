import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathIn } from "./files";
import { absent, type Presence, type Registry, same, type Target } from "./registry";

/** The branch that has the Go SDK alone, in the folder that its module's address names. */
const branch = "refs/heads/sdk-go";
const folder = "sdk/go";
const tagOf = (version: string): string => `${folder}/v${version}`;

/** Settings of the machine that would change a file, or ask for a key. */
const plain = ["-c", "core.autocrlf=false", "-c", "commit.gpgSign=false"];
const author = ["-c", "user.name=pulumi-modelplatform", "-c", "user.email=release@pulumi-modelplatform.invalid"];

/** Runs git in a repository of its own beside the remote one. */
type Git = (...args: readonly string[]) => Promise<string>;

async function withRepository<T>(target: Target, use: (git: Git, cwd: string) => Promise<T>): Promise<T> {
  const cwd = mkdtempSync(join(tmpdir(), "sdk-go-"));
  const git: Git = async (...args) =>
    (await target.tool("git", [...plain, ...args], { cwd, env: credentials(target) })).trim();
  try {
    await git("init", "--quiet");
    await git("remote", "add", "origin", target.address);
    return await use(git, cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** A token of the forge, which no process list and no file shows; without one, git asks as it is set up to. */
function credentials({ address, env }: Target): Record<string, string> {
  const prompt = { GIT_TERMINAL_PROMPT: "0" };
  const token = env["GH_TOKEN"];
  if (!token || !address.startsWith("http")) return prompt;
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    ...prompt,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(address).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}

/** Stages the release's module; the id of its tree. */
async function stage(git: Git, cwd: string, { release }: Target): Promise<string> {
  const sources = pathIn(release, "sdks/go");
  if (!existsSync(join(sources, "go.mod")))
    throw new Error(`${sources} has no module; run \`npm run release -- --dry-run\`, which says what it lacks`);
  rmSync(join(cwd, "sdk"), { recursive: true, force: true });
  cpSync(sources, join(cwd, folder), { recursive: true });
  // Every file, even those that the machine's own settings ignore.
  await git("add", "--all", "--force");
  return git("write-tree");
}

const hasRef = async (git: Git, ref: string): Promise<boolean> => (await git("ls-remote", "origin", ref)) !== "";

const lookUp = (target: Target): Promise<Presence> =>
  withRepository(target, async (git, cwd) => {
    const tag = tagOf(target.release.version);
    if (!(await hasRef(git, `refs/tags/${tag}`))) return absent;
    await git("fetch", "--quiet", "--depth", "1", "origin", `refs/tags/${tag}`);
    const actual = await git("rev-parse", "FETCH_HEAD^{tree}");
    const expected = await stage(git, cwd, target);
    if (actual === expected) return same;
    const names = await git("diff", "--name-only", actual, expected);
    return { is: "other", what: `the tag ${tag} differs in ${names.split("\n").join(", ")}` };
  });

const push = (target: Target): Promise<void> =>
  withRepository(target, async (git, cwd) => {
    const tag = tagOf(target.release.version);
    if (await hasRef(git, branch)) {
      await git("fetch", "--quiet", "--depth", "1", "origin", branch);
      await git("reset", "--quiet", "--soft", "FETCH_HEAD");
    }
    await stage(git, cwd, target);
    await git(...author, "commit", "--quiet", "--allow-empty", "--message", `Go SDK of v${target.release.version}`);
    await git("push", "--quiet", "--atomic", "origin", `HEAD:${branch}`, `HEAD:refs/tags/${tag}`);
  });

export const go: Registry = { title: "Go", subject: (version) => `the tag ${tagOf(version)}`, lookUp, push };
