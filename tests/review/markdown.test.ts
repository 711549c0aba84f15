import { CostReport } from "../../governance/cost/report";
import { html, legible, recorded, recordedCost, reviewed, written } from "./recorded";

const cost = recordedCost();
const comment = (name: string): string =>
  written([reviewed(recorded(name), { cost })], { commit: "8aaf08a1b2c3", link: "https://ci.example.com/1" });

const heading = "### ⚠️ staging: 1 deleted, 1 replaced, 4 updated, 1 created · 21.60 → 43.20 + 2 unknown USD/h";

const rows = [
  "⚠️&nbsp;delete | <code>User linus</code><br><code>index.ts:5</code> | deletes <code>accounts/acme-staging/users/linus</code>",
  "⚠️&nbsp;replace | <code>Deployment chat</code><br><code>index.ts:7</code> | <code>preemptible</code> unset → <code>true</code>, which replaces it<br>10.80 → ? USD/h",
  "⚠️&nbsp;update | <code>PolicySettings policy</code><br><code>index.ts:4</code> | **loosens the policy**<br><code>defaultPermissions.allowServerless</code> <code>false</code> → <code>true</code>",
  "⚠️&nbsp;update | <code>User ada</code><br><code>index.ts:5</code> | **wider role**<br><code>role</code> <code>contributor</code> → <code>admin</code>",
  "⚠️&nbsp;update | <code>Deployment search</code><br><code>index.ts:8</code> | <code>description</code> <code>search</code> → <code>x | y <!-- modelplatform preview prod --> @acme/security </…</code><br><code>maxReplicaCount</code> <code>2</code> → <code>8</code><br>**costs 4 times as much:** 10.80 → 43.20 USD/h",
  "create | <code>SupervisedFineTuningJob support</code><br><code>index.ts:10</code> | trains <code>accounts/platform/models/open-8b</code> on <code>accounts/acme-staging/datasets/tickets</code>, cost unknown",
  "update | <code>Secret storage</code><br><code>index.ts:6</code> | <code>value</code>: another secret",
];

test.each(["cli", "builtin"])("a change set of the engine %s reads as designed", (engine) => {
  const text = legible(comment(`${engine}-changes`));
  const expected = [
    "<!-- modelplatform review default -->",
    heading,
    ["|  | resource | change |", "| --- | --- | --- |", ...rows.map((row) => `| ${row} |`)].join("\n"),
    "<details><summary>All fields</summary>",
  ].join("\n\n");
  expect(text.slice(0, expected.length)).toBe(expected);
  const last =
    "<sub>Commit <code>8aaf08a</code>. 3 unchanged. [The whole preview](https://ci.example.com/1). Updated with each push.</sub>\n";
  expect(text.slice(-last.length)).toBe(last);
  expect(text.match(/<summary>.*?<\/summary>/g)).toEqual(
    ["All fields", "Costs"].map((summary) => `<summary>${summary}</summary>`),
  );
});

test("both engines give the same bytes, after a refresh too", () => {
  const one = comment("cli-changes");
  for (const name of ["builtin-changes", "cli-refresh", "builtin-refresh"]) expect(comment(name)).toBe(one);
});

test("resources of the plugin read as those of the program's own classes", () => {
  const ofPlugin = recorded("cost").replaceAll("pulumi-nodejs:dynamic/modelplatform:", "modelplatform:index:");
  const own = CostReport.parse(JSON.parse(ofPlugin));
  for (const name of ["cli-plugin-changes", "builtin-plugin-changes"])
    expect(written([reviewed(recorded(name), { cost: own })])).toBe(
      written([reviewed(recorded("cli-changes"), { cost })]),
    );
});

test.each(["cli", "builtin"])("a wrong value is named by its field, without the engine's words (%s)", (engine) => {
  expect(reviewed(recorded(`${engine}-wrong-role`)).errors).toMatchObject([
    {
      title: "User ada",
      reason: "`role`: must be one of `admin`, `user`, `contributor`, `inference-user`, `custom`",
    },
  ]);
});

test("the order of the steps changes nothing", () => {
  const document = JSON.parse(recorded("cli-changes")) as { steps: object[] };
  const turned = JSON.stringify({ ...document, steps: [...document.steps].reverse() }, null, 2);
  expect(written([reviewed(turned, { cost })])).toBe(written([reviewed(recorded("cli-changes"), { cost })]));
});

test.each(["cli", "builtin"])("what leaves the stack and stays live stands last and is not deleted (%s)", (engine) => {
  const text = legible(written([reviewed(recorded(`${engine}-removed`))]));
  expect(text).toMatch(/^### ⚠️ staging: 2 deleted, 1 created, 2 left live( ·|$)/m);
  const lines = text
    .split("<details>")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.includes("---"));
  expect(lines.slice(1).map((line) => line.split("<")[0])).toEqual([
    "| ⚠️&nbsp;delete | ",
    "| ⚠️&nbsp;delete | ",
    "| ⚠️&nbsp;create | ",
    "| leave | ",
    "| leave | ",
  ]);
  expect(text).toContain("leaves the stack, stays live: <code>accounts/acme-staging/policySettings</code>");
  expect(text).toContain(
    "**wide role**<br>adopts it if it exists (<code>ifEqual</code>)<br><code>role</code> <code>admin</code>",
  );
});

test.each(["cli", "builtin"])("nothing to do is one line (%s)", (engine) => {
  expect(written([reviewed(recorded(`${engine}-nothing`))])).toBe(
    "<!-- modelplatform review default -->\n\n### Nothing to do: staging (9 unchanged)\n\n<sub>Updated with each push.</sub>\n",
  );
});

test("a failed preview says why, and that its list is incomplete", () => {
  const text = legible(written([reviewed(recorded("builtin-type-error"))]));
  expect(text).toContain(
    "### ❌ staging: the preview failed\n\n- <code>Deployment search</code> <code>maxReplicaCount</code>: must be a number, not a string <code>index.ts:8</code>\n",
  );
  expect(text).toContain("**The list is incomplete:** what it saw before it stopped.\n\n|");
  expect(text).not.toMatch(/USD|unchanged/);
});

test("a failed preview of the Pulumi CLI names no path of the machine", () => {
  const text = legible(written([reviewed(recorded("cli-type-error"))]));
  expect(text).toContain("- TSError: ⨯ Unable to compile TypeScript: index.ts(8,103): error TS2322:");
  expect(text).toContain("\n\nNothing below it was previewed.\n\n");
  expect(text).not.toContain("/home/ci");
});

test("a refused key is a message per resource, without the engine's own", () => {
  const { errors } = reviewed(recorded("cli-key"));
  expect(errors).toHaveLength(8);
  expect(errors.map(({ title }) => title)).toContain("User ada");
  expect(errors.every(({ reason }) => reason.includes("answered 401 UNAUTHENTICATED"))).toBe(true);
});

test.each([
  ["an empty file", ""],
  ["the last line alone", recorded("builtin-passphrase")],
])("%s is a failure that did not say why", (_, text) => {
  const markdown = legible(written([reviewed(text, { name: "prod", exitCode: 255 })]));
  expect(markdown).toContain(
    "### ❌ prod: the preview failed\n\nIt ended with 255 and did not say why here: read the job's log. A policy pack reports there only.\n\nNothing below it was previewed.",
  );
});

test("success has to be known: an exit code, a message or a missing end says otherwise", () => {
  const nothing = recorded("builtin-nothing");
  expect(reviewed(nothing, { exitCode: 7 })).toMatchObject({ failed: false, quiet: true });
  expect(reviewed(recorded("cli-nothing"), { exitCode: 255 })).toMatchObject({ failed: true, quiet: false });
  const cutOff = nothing.trimEnd().split("\n").slice(0, -2).join("\n");
  expect(written([reviewed(cutOff)])).toContain("What the preview wrote ends in the middle.");
});

test("foreign text brings no tag, link, mention, marker or command along", () => {
  const page = html(comment("cli-changes"));
  expect(page.match(/<!--.*?-->/gs)).toEqual(["<!-- modelplatform review default -->"]);
  expect(page.match(/<a /g)).toHaveLength(1);
  expect(page).not.toMatch(/<b>|::error|\u202e/);
  expect(page.match(/<details>/g)?.length).toBe(page.match(/<\/details>/g)?.length);
  expect(comment("cli-changes")).not.toMatch(/@acme|[^\\]#12\b/);
});
