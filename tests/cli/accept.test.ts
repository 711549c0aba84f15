import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { untrustedCheckout } from "../../cli/checkout/checkout";
import type { CliContext } from "../../cli/command/context";
import { patchesFor } from "../../cli/drift/accept/patches";
import type { OutputFlags } from "../../cli/drift/flags";
import type { DriftReport } from "../../drift/scan/document";
import type { Change, Finding } from "../../drift/scan/finding-document";
import { accept, chat, drift, engine, env, nextStep, program, raised, shop, textIn } from "./accepting";
import { modelplatform, temporaryFolder } from "./terminal";

const accepted = program.replace("maxReplicaCount: 2", "maxReplicaCount: 4");

test("prints a patch and changes nothing", async () => {
  const cwd = await shop();
  const { code, stdout, stderr } = await accept(cwd);
  expect([code, stdout]).toEqual([
    0,
    `diff --git a/index.ts b/index.ts
--- a/index.ts
+++ b/index.ts
@@ -1,4 +1,4 @@
 import { Deployment, User } from "pulumi-modelplatform";
 
-new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 });
+new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 4 });
 new User("ada", { email: "ada@example.com", role: "user", displayName: "Ada" });
`,
  ]);
  expect(stderr).toBe("Can be accepted: 1 change (index.ts).\nNothing was written: --write edits the program.\n");
  expect(textIn(cwd)).toBe(program);
});

test("writes a patch that git applies at the root of the repository", async () => {
  const cwd = await shop();
  const git = (...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });
  git("init", "--quiet");
  const { code } = await accept(cwd, "--patch drift.patch");
  expect(code).toBe(0);
  expect(textIn(cwd)).toBe(program);
  git("apply", "drift.patch");
  expect(textIn(cwd)).toBe(accepted);
});

test("edits the program where the preview after it shows no change", async () => {
  const cwd = await shop();
  const { code, stdout, stderr } = await accept(cwd, "--write", {
    engine: engine([{ op: "update", urn: chat, diffs: [{ path: "maxReplicaCount", kind: "update" }] }], []),
  });
  expect([code, stdout, stderr]).toEqual([0, "", `Accepted: 1 change (index.ts).\n${nextStep}\n`]);
  expect(textIn(cwd)).toBe(accepted);
});

test("says what else the next `up` reverts", async () => {
  const cwd = await shop();
  const step = {
    op: "update" as const,
    urn: chat,
    name: "chat",
    type: "pulumi-nodejs:dynamic/modelplatform:Deployment",
  };
  const note = { path: "annotations.note", kind: "update" as const };
  const accepting = { path: "maxReplicaCount", kind: "update" as const };
  const recording = { path: "maxReplicaCount", kind: "add" as const };
  const { code, stderr } = await accept(cwd, "--write", {
    engine: engine([{ ...step, diffs: [accepting, note] }], [{ ...step, diffs: [recording, note] }]),
  });
  expect(code).toBe(0);
  const effect = "which records what is accepted, and reverts `annotations.note` of Deployment chat.";
  expect(stderr).toBe(`Accepted: 1 change (index.ts).\n${nextStep.replace(/which.*/, effect)}\n`);
});

test("names the resource that is accepted where another change is left", async () => {
  const cwd = await shop([...drift, raised]);
  const before = [{ op: "update" as const, urn: chat, diffs: [{ path: "maxReplicaCount", kind: "update" as const }] }];
  const { stderr } = await accept(cwd, "--write --only maxReplicaCount", { engine: engine(before, []) });
  expect(stderr).toBe(
    `Accepted: 1 change (index.ts).\n${nextStep.replace("--refresh", `--refresh --target ${chat}`)} Without --target, it reverts what else differs.\n`,
  );
});

test.each([
  [
    "still changes what was accepted",
    [{ op: "update" as const, urn: chat, diffs: [{ path: "maxReplicaCount", kind: "update" as const }] }],
    "`maxReplicaCount` of Deployment chat would still be changed (update)",
  ],
  [
    "changes something else",
    [{ op: "delete" as const, urn: "urn::x", name: "x" }],
    "x would be changed as well (delete)",
  ],
])("puts the file back where the preview %s", async (_, after, reason) => {
  const cwd = await shop();
  const { code, stderr } = await accept(cwd, "--write", { engine: engine([], after) });
  expect(code).toBe(1);
  expect(stderr).toContain(`The program is as it was: a preview of organization/shop/dev shows that ${reason}`);
  expect(textIn(cwd)).toBe(program);
});

test("edits a program that ends only with what is live, such as a tightened policy", async () => {
  const cwd = await shop();
  const { code } = await accept(cwd, "--write", { engine: engine("this would loosen the account's policy", []) });
  expect(code).toBe(0);
  expect(textIn(cwd)).toBe(accepted);
});

test("puts the file back where the edited program does not come to its end", async () => {
  const cwd = await shop();
  const { code, stderr } = await accept(cwd, "--write", { engine: engine("no such file", "no such file") });
  expect(code).toBe(1);
  expect(stderr).toContain(
    "The program is as it was: the program does not come to the end of a preview of organization/shop/dev: no such file",
  );
  expect(textIn(cwd)).toBe(program);
});

/** What `--allow` takes for each part that is left, by the file's report. */
async function allowedIn(cwd: string): Promise<string> {
  const { left } = JSON.parse((await accept(cwd, "--json")).stdout) as { left: { allow: string }[] };
  return left.map(({ allow }) => `--allow ${allow}`).join(" ");
}

test("leaves what opens something up, with its place, until it is named", async () => {
  const cwd = await shop([...drift, raised]);
  const { code, stderr } = await accept(cwd, "--json");
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      '  index.ts:4:1: `role` of User ada opens up `role`; it would have to be "admin"; to accept it, add --allow role:',
    ),
  ]);
  const allow = await allowedIn(cwd);
  expect(stderr).toContain(`; to accept it, add ${allow}\n`);
  expect((await accept(cwd, allow)).code).toBe(0);
  expect((await accept(cwd, "--only maxReplicaCount")).code).toBe(0);
});

test.each<[string, (change: Change, finding: Finding) => void]>([
  ["the value that it has live", (change) => void (change.live = "billing-admin")],
  ["the value that it had", (change) => void (change.recorded = "contributor")],
  ["the object", (_, finding) => void (finding.name = "accounts/demo/users/eve")],
  ["the service", (_, finding) => void (finding.origin = "https://other.example.com")],
  ["the resource", (_, finding) => void (finding.urn = finding.urn!.replace("::ada", "::ada2"))],
  ["the stacks", (_, finding) => finding.stacks.push("organization/shop/prod")],
])("what was allowed of a finding is left where %s is another one", async (_, edit) => {
  const cwd = await shop([raised]);
  const allow = await allowedIn(cwd);
  const report = JSON.parse(textIn(cwd, "drift.json")) as DriftReport;
  const [finding] = report.findings as [Finding];
  edit(finding.changes[0]!, finding);
  writeFileSync(join(cwd, "drift.json"), JSON.stringify(report));
  expect((await accept(cwd, allow)).code).toBe(2);
});

test("tells programs what is accepted, what is left, and the patch", async () => {
  const cwd = await shop([...drift, raised]);
  const { stdout } = await accept(cwd, "--json");
  expect(JSON.parse(stdout)).toEqual({
    accepted: [expect.objectContaining({ urn: chat, path: "maxReplicaCount", file: "index.ts", line: 3, column: 1 })],
    left: [
      expect.objectContaining({ type: "User", path: "role", rule: "role", value: "admin", file: "index.ts", line: 4 }),
    ],
    files: ["index.ts"],
    patch: expect.stringContaining("+new Deployment("),
    written: false,
  });
});

test("refuses a worktree that has changes of its own, unless it is forced", async () => {
  const cwd = await shop();
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd });
  git("init", "--quiet");
  git("add", "index.ts");
  git("commit", "--quiet", "-m", "program");
  writeFileSync(join(cwd, "index.ts"), `${program}// Mine.\n`);
  const refused = await accept(cwd, "--write");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("The worktree has changes of its own (index.ts). Commit or stash them"),
  ]);
  expect(textIn(cwd)).toBe(`${program}// Mine.\n`);
  expect((await accept(cwd, "--write --force", { engine: engine([], []) })).code).toBe(0);
  expect(textIn(cwd)).toBe(`${accepted}// Mine.\n`);
});

test("a program that does not parse is left as it is", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "index.ts"), 'new Deployment("chat", {');
  expect(await accept(cwd)).toMatchObject({
    code: 1,
    stderr: "error: The program does not parse: index.ts:1:25: '}' expected. Correct it, and run this again.\n",
  });
});

test("a program that does not compile is left as it is", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "index.ts"), "const one: number = 'two';\nexport { one };\n");
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: { lib: ["es5"], types: [] } }));
  expect(await accept(cwd, "", { env: {} })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      "does not compile, so it is left as it is: index.ts:1:7: Type 'string' is not assignable",
    ),
  });
});

test("a program without a compiler says what to install", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  writeFileSync(join(cwd, "drift.json"), "{}");
  expect(await accept(cwd)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Install one in it: `npm install --save-dev typescript@5`."),
  });
});

test("a file that may not be written is named, and none is", async () => {
  const cwd = await shop();
  chmodSync(join(cwd, "index.ts"), 0o444);
  const run = accept(cwd, "--write", { engine: engine([], []) });
  // The superuser may write anything.
  if (process.getuid?.() === 0) expect((await run).code).toBe(0);
  else
    expect(await run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("index.ts cannot be written: permission is denied (EACCES). Nothing was."),
    });
});

test("a report of another program is refused", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: other\nruntime: nodejs\n");
  expect(await accept(cwd)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is of project other, and drift.json is of organization/shop/dev."),
  });
});

test.each([
  ["--write --patch x", "--write and --patch do not go together."],
  ["--interactive", "--interactive needs a terminal to ask at."],
  ["--allow everything", '--allow does not know "everything"; there are loosening, role, public, secret.'],
  ["--allow role", "--allow role takes one part of a finding, such as role:0123456789abcdef."],
])("%s makes no sense", async (line, reason) => {
  expect(await accept(await shop(), line)).toMatchObject({ code: 64, stderr: expect.stringContaining(reason) });
});

test("needs to know which stacks", async () => {
  const cwd = await shop();
  rmSync(join(cwd, ".pulumi"), { recursive: true });
  expect(await modelplatform("accept", { cwd })).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("give --backend, --stack-file or --report"),
  });
});

test("asks for each change, and says how to set back what is not accepted", async () => {
  const cwd = await shop([...drift, raised]);
  const { code, stdout, questions } = await accept(cwd, "--interactive", {
    isTTY: true,
    // What opens something up is not accepted by an answer: it takes the name of the rule.
    answers: ["a", "a", "r"],
    engine: engine([], []),
  });
  expect([code, questions]).toEqual([
    0,
    [
      "(a)ccept, (r)evert, (i)gnore for a time, (l)eave? ",
      "(r)evert, (i)gnore for a time, (l)eave? ",
      "(r)evert, (i)gnore for a time, (l)eave? ",
    ],
  ]);
  expect(stdout).toContain("1 of 2: `maxReplicaCount` of Deployment chat is 4, and was 2.");
  expect(stdout).toContain(
    '2 of 2: `role` of User ada is "admin", and was "user".\nIt cannot be accepted: it opens up `role`; to accept it, add --allow role:',
  );
  expect(stdout).toContain(
    "  pulumi up --refresh --target 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:User::ada'\n",
  );
  expect(textIn(cwd)).toBe(accepted);
});

test("asks whether to accept what opens something up where its rule is named", async () => {
  const cwd = await shop([raised]);
  const { code, stdout } = await accept(cwd, `--interactive ${await allowedIn(cwd)}`, {
    isTTY: true,
    answers: ["a"],
    engine: engine([], []),
  });
  expect(code).toBe(0);
  expect(stdout).toContain('+new User("ada", { email: "ada@example.com", role: "admin", displayName: "Ada" });');
  expect(textIn(cwd)).toContain('role: "admin"');
});

describe("the patches of a report", () => {
  const reportIn = (cwd: string): DriftReport => JSON.parse(textIn(cwd, "drift.json")) as DriftReport;
  const patchesIn = async (cwd: string, flags: OutputFlags = {}) => {
    let stderr = "";
    const output = { write: (text: string) => void (stderr += text) };
    const context = { cwd, env, checkout: untrustedCheckout, stderr: output } as unknown as CliContext;
    return { patches: await patchesFor({ report: reportIn(cwd), recorded: undefined }, flags, context), stderr };
  };

  test("each edits the program for its finding alone, and tells what a person has to do", async () => {
    const cwd = await shop([...drift, raised]);
    const { patches, stderr } = await patchesIn(cwd);
    const [changed, role] = reportIn(cwd).findings.map(({ fingerprint }) => patches.get(fingerprint));
    expect(changed?.patch).toContain("--- a/index.ts\n+++ b/index.ts\n");
    expect(changed?.patch.split("\n").filter((line) => /^[+-][^+-]/.test(line))).toEqual([
      '-new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 });',
      '+new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 4 });',
    ]);
    expect(changed?.left).toEqual([]);
    expect(role).toEqual({
      patch: "",
      left: [`\`role\` opens up \`role\`; to accept it, add ${await allowedIn(cwd)}`],
    });
    expect([stderr, textIn(cwd)]).toEqual(["", program]);
  });

  test("programs are read where --program says; an unreadable one costs its own patches", async () => {
    const cwd = await shop();
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, "drift.json"), textIn(cwd, "drift.json"));
    expect((await patchesIn(elsewhere)).patches.size).toBe(0);
    const named = { program: [{ stack: "organization/shop/dev", folder: cwd }] } satisfies OutputFlags;
    expect((await patchesIn(elsewhere, named)).patches.size).toBe(1);
    const wrong = { program: [{ stack: "organization/shop/dev", folder: elsewhere }] } satisfies OutputFlags;
    const { patches, stderr } = await patchesIn(elsewhere, wrong);
    expect(patches.size).toBe(0);
    expect(stderr).toMatch(/^warning: the report has no patches for .*: .*Pulumi\.yaml/);
  });

  test("are asked for in vain without HTML", async () => {
    expect(await modelplatform("drift --stack-file x.json --patches", { cwd: await shop() })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--patches are shown in HTML alone: add --format html."),
    });
  });
});

test("what is ignored for a time goes into the baseline, with who and why", async () => {
  const cwd = await shop();
  const time = { now: () => Date.parse("2026-01-01T00:00:00Z"), sleep: () => Promise.resolve(), random: () => 0 };
  const { code } = await accept(cwd, "--interactive", {
    isTTY: true,
    answers: ["i", "team-search", "load test", "2027-01-01", "2026-02-01"],
    time,
  });
  expect(code).toBe(0);
  expect(JSON.parse(textIn(cwd, "drift-baseline.json"))).toMatchObject({
    version: 1,
    entries: [
      {
        ...{ name: "accounts/demo/deployments/chat", path: "maxReplicaCount" },
        ...{ owner: "team-search", reason: "load test", expires: "2026-02-01" },
      },
    ],
  });
  expect(textIn(cwd)).toBe(program);
});
