import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixture, preview, recorded, userStep } from "../review/recorded";
import { type CommandOutput, modelplatform, temporaryFolder } from "./terminal";

const prices = "currency: USD\naccelerators:\n  - { type: VENDOR1_H100_80GB, hourly: 5.40 }\n";
const contributor = { userId: "ada", email: "ada@example.com", role: "contributor" };

/** A folder with files of these contents. */
function place(files: Readonly<Record<string, string>> = {}): string {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const review = (line: string, files?: Readonly<Record<string, string>>, stdin?: string): Promise<CommandOutput> =>
  modelplatform(`review ${line}`, { cwd: place(files), ...(stdin !== undefined && { stdin }) });

const changes = `--preview-json ${fixture("cli-changes")}`;
const nothing = `--preview-json ${fixture("cli-nothing")}`;

test("standard input is a preview, and what is written goes to standard output", async () => {
  const { code, stdout, stderr } = await review("--preview-json -", {}, recorded("cli-changes"));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^<!-- modelplatform review default -->\n\n### ⚠️ staging: 1 deleted, /);
});

test.each([
  [0, changes],
  [0, `${nothing} --exit-code 7`],
  [1, `${nothing} --exit-code 255`],
  [1, `${nothing} --exit-code staging=1`],
  [0, `${nothing} --exit-code prod=1`],
  [1, `--preview-json ${fixture("builtin-type-error")}`],
  [2, `${changes} --fail-on delete`],
  [2, `${changes} --fail-on role,public`],
  [2, `${changes} --fail-on secret`],
  [0, `${changes} --fail-on public`],
  [0, `--preview-json ${fixture("cli-nothing")} --fail-on delete,replace,role,loosening,public,secret`],
  [2, `${changes} --cost-json ${fixture("cost")} --fail-above 43.19/h`],
  [0, `${changes} --cost-json ${fixture("cost")} --fail-above 43.20/h`],
  [2, `--preview-json ${fixture("builtin-changes")} --fail-above 10/h`],
  [2, `${changes} --cost-json ${fixture("cost")} --fail-above 43.20/h --strict`],
  [2, `${changes} --cost-json ${fixture("cost")} --fail-on price=3x`],
  [0, `${changes} --cost-json ${fixture("cost")} --fail-on price=5x,price=40/h`],
  [2, `${changes} --cost-json ${fixture("cost")} --fail-on price`],
  [64, `${changes} --fail-on price`],
  [64, `${changes} --fail-above 10/h`],
  [0, `${nothing} --fail-above 10/h`],
  [1, `${changes} --fail-on delete --preview-json prod=missing.json`],
])("exits with %i: %s", async (expected, line) => {
  const { code, stdout } = await review(line);
  expect(code).toBe(expected);
  expect(stdout).toContain("<!-- modelplatform review default -->");
});

test.each([
  ["", "Name a preview"],
  ["--preview-json - --preview-json -", "only one"],
  ["--preview-json a.json --id <b>", "--id takes"],
  ["--preview-json a.json --id a--b", "--id takes"],
  ["--preview-json a.json --commit @acme", "--commit takes"],
  ["--preview-json a.json --link http://example.com", "--link takes"],
  ["--preview-json a.json --link https://example.com/)[x](y", "--link takes"],
  ["--preview-json a.json --max-length 100", "--max-length takes"],
  ["--preview-json a.json --fail-on everything", "--fail-on does not know"],
  ["--preview-json a.json --fail-on price=much", '--fail-on does not know "price=much"'],
  ["--preview-json a.json --strict", "--strict belongs to --fail-above"],
  ["--preview-json a.json --fail-above much", "--fail-above takes"],
  ["--preview-json a.json --exit-code failed", "--exit-code takes"],
  ["--preview-json =a.json", "--preview-json takes"],
])("a line that makes no sense exits with 64: review %s", async (line, sentence) => {
  const { code, stdout, stderr } = await review(line);
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain(sentence);
});

const badFiles: Readonly<Record<string, string>> = {
  "a page": "<html>",
  "an object of something else": "{}",
  "a newer format": JSON.stringify({ version: 4, steps: [] }),
  "a document that is cut off": recorded("cli-changes").slice(0, 5000),
  "a stream that is cut off in a line": recorded("builtin-changes").slice(0, 5000),
  "a list": "[1]",
  "a text": '"steps"',
  "steps of another form": JSON.stringify({ steps: [{ what: 1 }] }),
};

test.each(Object.keys(badFiles))("%s is a sentence and exit code 1, and the rest is written", async (name) => {
  const line = `--preview-json prod=bad.json ${changes}`;
  const { code, stdout, stderr } = await review(line, { "bad.json": badFiles[name]! });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: bad\.json: The preview .*\.\n$/);
  expect(stdout).toContain("### ❌ prod: the preview cannot be read\n\n");
  expect(stdout).toContain("### ⚠️ staging: 1 deleted, ");
});

test("a file that is not there, and one of 200 MB, are a sentence each", async () => {
  const cwd = place({ "large.json": "" });
  truncateSync(join(cwd, "large.json"), 200_000_000);
  const { code, stdout, stderr } = await modelplatform(
    `review --preview-json large=large.json --preview-json gone=gone.json ${changes}`,
    { cwd },
  );
  expect(code).toBe(1);
  expect(stderr).toContain(
    "large.json is not read: it is larger than 64 MB (191 MB). Check that it is the right file.",
  );
  expect(stderr).toContain("error: gone.json cannot be read: ");
  expect(stdout.match(/^### .*$/gm)).toEqual([
    "### ❌ gone: the preview cannot be read",
    "### ❌ large: the preview cannot be read",
    expect.stringContaining("staging"),
  ]);
});

test("an empty file is a failed preview, of the stack that the flag names", async () => {
  const { code, stdout } = await review("--preview-json prod=empty.json --exit-code prod=255", { "empty.json": "" });
  expect(code).toBe(1);
  expect(stdout).toContain("### ❌ prod: the preview failed\n\nIt ended with 255 and did not say why here");
});

test("of two files of one stack the second is refused", async () => {
  const { code, stdout, stderr } = await review(`${changes} ${nothing}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/cli-nothing\.json is a second preview of the stack staging\.\n$/);
  expect(stdout.match(/^### /gm)).toHaveLength(2);
});

test("a stack's name that is Markdown stays a text", async () => {
  const { stdout } = await review("--preview-json [x](https://evil.example)<b>=empty.json", { "empty.json": "" });
  expect(stdout).not.toMatch(/\]\(|<b>/);
});

test("costs that cannot be read are left out, and exit with 1", async () => {
  const { code, stdout, stderr } = await review(`${changes} --cost-json cost.json`, { "cost.json": "{}" });
  expect(code).toBe(1);
  expect(stderr).toContain("cost.json is not what `cost --format json` writes. The costs are left out.");
  expect(stdout).toContain("### ⚠️ staging: 1 deleted, 1 replaced, 4 updated, 1 created\n");
});

test("JSON has every row, for gates of one's own", async () => {
  const steps = [
    userStep({ op: "update", old: contributor, new: { ...contributor, role: "admin" } }),
    userStep({ op: "delete", name: "linus", old: contributor }),
  ];
  const { code, stdout } = await review("--preview-json a.json --exit-code 0 --format json", {
    "a.json": preview(steps, { changeSummary: { same: 3 } }),
  });
  expect(code).toBe(0);
  const urn = (name: string) => `urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:User::${name}`;
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    stacks: [
      {
        stack: "prod",
        failed: false,
        exitCode: 0,
        errors: [],
        warnings: [],
        changes: { delete: 1, replace: 0, update: 1, create: 0, import: 0, leave: 0, same: 3 },
        rows: [
          { urn: urn("linus"), kind: "User", name: "linus", op: "delete", rules: [], fields: [] },
          {
            ...{ urn: urn("ada"), kind: "User", name: "ada", op: "update", rules: ["role"] },
            fields: [{ path: "role", old: "contributor", new: "admin" }],
          },
        ],
      },
    ],
  });
});

test("--output writes a file, whatever the exit code", async () => {
  const cwd = place();
  const { code, stdout } = await modelplatform(`review ${changes} --fail-on delete --output out/review.md`, { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(readFileSync(join(cwd, "out/review.md"), "utf8")).toMatch(/^<!-- modelplatform review default -->/);
});

test.each(["builtin-type-error", "cli-type-error", "builtin-key", "cli-key", "builtin-passphrase"])(
  "there is nothing to cost in a preview that failed: %s",
  async (name) => {
    const cwd = place({ "prices.yaml": prices });
    const env = { MODELPLATFORM_PRICES: "prices.yaml" };
    const { code, stdout, stderr } = await modelplatform(`cost --preview-json ${fixture(name)} --fail-above 1/h`, {
      cwd,
      env,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: The preview failed( \(\d+ errors?\))?; there is nothing to cost\.\n$/);
  },
);

test.each(["cli", "builtin"])("a replaced deployment counts once in a preview with --refresh (%s)", async (engine) => {
  const cwd = place({ "prices.yaml": prices });
  const env = { MODELPLATFORM_PRICES: "prices.yaml" };
  const totalOf = async (name: string) => {
    const { stdout } = await modelplatform(`cost --preview-json ${fixture(name)} --json`, { cwd, env });
    const { resources, total } = JSON.parse(stdout) as { resources: { urn: string }[]; total: { hourly: object } };
    expect(resources.filter(({ urn }) => urn.endsWith("::chat"))).toHaveLength(1);
    return total.hourly;
  };
  const refreshed = await totalOf(`${engine}-refresh`);
  // 2 replicas of chat and 2 of search at 5.40, and kept's one: before 10.80 + 10.80 + 5.40
  expect(refreshed).toMatchObject({ before: "27" });
  if (engine === "builtin") expect(refreshed).toEqual(await totalOf("builtin-changes"));
});
