import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../provider/state/backend";
import { importDeployment } from "../../provider/state/checkpoint";
import { exported } from "../drift/support/stacks";
import { builtIn } from "./engines";
import { expressions as everywhere, keys } from "./pipelines/expressions";
import type { Forge } from "./pipelines/forge";
import { serveGitLab } from "./pipelines/gitlab";
import { Runner } from "./pipelines/runner";
import { account, Site } from "./site";

const expressions = {
  ...everywhere,
  "github.event.repository.default_branch": "main",
};

const program = `import { User } from "pulumi-modelplatform";

new User("ada", { userId: "ada", email: "ada@example.com", role: "user", displayName: "Ada" });
`;
const branch = "modelplatform/accept-drift-dev";
/** What a pull request's text must not do: mention, link, close an issue, end a code block, hide. A name is short. */
const hostile = "@everyone fixes #1 </details> ``` [x](y) \u202e<img src=x>";

/** A program under git, with a repository to push to. */
class Repository {
  readonly origin: string;

  constructor(private readonly site: Site) {
    this.origin = join(site.folder, "origin.git");
    writeFileSync(join(site.program, "index.ts"), program);
    writeFileSync(join(site.program, ".gitignore"), "node_modules\ndrift\nstack.json\n*.md\nrequest.json\n");
    execFileSync("git", ["init", "--quiet", "--bare", this.origin]);
    this.git("init", "--quiet", "--initial-branch", "main");
    this.git("add", ".");
    this.git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "program");
    this.git("remote", "add", "origin", this.origin);
    this.git("push", "--quiet", "origin", "main");
  }

  private git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.site.program, encoding: "utf8" });
  }

  /** As a runner checks it out. */
  checkOut(): void {
    this.git("checkout", "--quiet", "--force", "main");
  }

  textOn = (name: string): string => this.git(`--git-dir=${this.origin}`, "show", `${name}:index.ts`);
}

let site: Site;
let runner: Runner;
let repository: Repository;

beforeEach(async () => {
  site = await Site.open(builtIn, { program: "shop" });
  runner = new Runner(site, builtIn);
  repository = new Repository(site);
  await site.expect(0, "up");
});
afterEach(() => site.close());

const must = (ran: readonly { name: string; code: number | null; output: string }[]): void => {
  const failed = ran.find(({ code }) => code !== 0);
  if (failed) throw new Error(`${failed.name} ended with ${failed.code}:\n${failed.output}`);
};

const ada = `accounts/${account}/users/ada`;

async function expectOneRequest(night: () => Promise<void>, pulls: () => Forge["pulls"]): Promise<void> {
  await site.tamper(ada, { displayName: hostile });
  await night();
  await site.tamper(ada, { displayName: `${hostile}!` });
  await night();
  expect(pulls()).toEqual([{ number: 1, state: "open", branch, body: expect.any(String) }]);
  const [{ body } = { body: "" }] = pulls()!;
  expect(body).toContain("### Accepted: the program says what is live (1)");
  expect(body).toContain("<code>displayName</code> of <code>User ada</code>");
  for (const trick of ["@everyone", "#1 ", "</details> ```", "[x](", "<img", "\u202e"])
    expect(body).not.toContain(trick);
  expect(repository.textOn(branch)).toBe(
    program.replace('"Ada"', '"@everyone fixes #1 </details> ``` [x](y) \\u202e<img src=x>!"'),
  );
  expect(repository.textOn("main")).toBe(program);
  await site.tamper(ada, { displayName: "Ada" });
  await night();
  expect(pulls()).toMatchObject([{ number: 1, state: "closed" }]);
}

test("GitHub: one pull request has the patch and the report, and is closed when the drift is gone", async () => {
  await expectOneRequest(
    async () => {
      repository.checkOut();
      must(await runner.workflow("accept", { ...expressions, "vars.SET_BACK": "" }, "find"));
      must(await runner.workflow("accept", expressions, "propose"));
    },
    () => runner.forge.pulls,
  );
});

test("GitLab: one merge request has the patch and the report, and is closed when the drift is gone", async () => {
  const forge: Forge = { comments: [], issues: [] };
  const gitlab = await serveGitLab(forge);
  const env = {
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_URL: `file://${repository.origin.replace(/\.git$/, "")}`,
    CI_DEFAULT_BRANCH: "main",
    MODELPLATFORM_ACCOUNTS: keys,
  };
  try {
    await expectOneRequest(
      async () => {
        repository.checkOut();
        for (const job of ["accept", "propose"]) must([{ name: job, ...(await runner.gitLabJob(job, env)) }]);
      },
      () => forge.pulls,
    );
  } finally {
    gitlab.close();
  }
});

test("what is severe is set back, and in no pull request", async () => {
  await site.tamper(ada, { role: "admin", displayName: "Ada L." });
  const env = { SET_BACK: "error", MODELPLATFORM_ACCOUNTS: keys };
  must([{ name: "accept", ...(await runner.gitLabJob("accept", env)) }]);
  expect(readFileSync(join(site.program, "drift/drift.patch"), "utf8")).toBe("");
  must([{ name: "set-back", ...(await runner.gitLabJob("set-back", env)) }]);
  expect(site.only("users")).toMatchObject({ role: "user", displayName: "Ada" });
});

test("a night with nothing to accept opens nothing", async () => {
  appendFileSync(join(site.program, "index.ts"), "// Nothing.\n");
  repository.checkOut();
  must(await runner.workflow("accept", expressions, "find"));
  must(await runner.workflow("accept", expressions, "propose"));
  expect(runner.forge.pulls ?? []).toEqual([]);
});

test.each(["GitHub", "GitLab"])("%s: what another stack of the program shares is in no pull request", async (where) => {
  const user = {
    kind: "User",
    inputs: { userId: "ada", email: "ada@example.com", role: "user", displayName: "Ada" },
    live: { name: "accounts/other/users/ada", email: "ada@example.com", role: "user", displayName: "Ada" },
  };
  const state = importDeployment(exported([user], { project: "shop", stack: "prod" }));
  await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack("shop", "prod", state);
  writeFileSync(join(site.program, "Pulumi.prod.yaml"), "config: {}\n");
  await site.tamper(ada, { displayName: "Ada L." });
  must(
    where === "GitHub"
      ? await runner.workflow("accept", { ...expressions, "vars.SET_BACK": "" }, "find")
      : [{ name: "accept", ...(await runner.gitLabJob("accept", { MODELPLATFORM_ACCOUNTS: keys })) }],
  );
  expect(readFileSync(join(site.program, "drift/drift.patch"), "utf8")).toBe("");
  expect(readFileSync(join(site.program, "drift/body.md"), "utf8")).toContain(
    "is shared with the stack shop/prod, where <code>up</code> would then change it from &#34;Ada&#34; to &#34;Ada L.&#34;",
  );
});
