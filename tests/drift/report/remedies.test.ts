import { spawnSync } from "node:child_process";
import { remediesOf } from "../../../drift/report/context";
import type { Finding } from "../../../drift/scan/finding-document";
import { sampleReport } from "../sample-report";

const urn = "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat";
const change = {
  path: "maxReplicaCount",
  kind: "changed" as const,
  recorded: 2,
  live: 4,
  severity: "warning" as const,
};
const { suppressed: _, acceptDrift: __, ...sample } = sampleReport.findings[0]!;
const changed: Finding = {
  ...sample,
  ...{ ruleId: "drift/changed", verdict: "changed", name: "accounts/acme/deployments/chat", urn },
  ...{ stacks: ["acme/shop/prod"], changes: [{ ...change, managed: true }] },
};
const scope = { ...sampleReport.scope, stacks: ["acme/shop/prod"] };
const texts = (finding: Partial<Finding>, patch?: string, among = scope): string[] =>
  remediesOf({ ...changed, ...finding }, { scope: among }, patch === undefined ? undefined : { patch, left: [] }).map(
    ({ text }) => text,
  );

const accept = `npx pulumi-modelplatform accept --stack=acme/shop/prod --only=${urn} --write`;
const back = `pulumi up --refresh --stack=acme/shop/prod --target=${urn}`;

test("a change has the patch and the commands that accept it and revert it", () => {
  expect(texts({}, "--- a/index.ts\n")).toEqual(["--- a/index.ts\n", accept, back]);
  expect(texts({})).toEqual([accept, back]);
});

test("a command that accepts what a person has to look at says so", () => {
  const patch = { patch: "--- a/index.ts\n", left: ["`role` opens up `role`"] };
  const allowances = new Map([[changed.fingerprint, ["role:0123456789abcdef"]]]);
  expect(remediesOf(changed, { scope }, patch, { allowances })).toMatchObject([
    { title: "Accept the rest: a patch for `git apply`", text: patch.patch },
    {
      title: "Accept all of it, once you have looked at it: run this in the program's folder",
      text: expect.stringContaining("--allow role:0123456789abcdef"),
    },
    { title: "Revert it" },
  ]);
});

test("what the program does not set, no command sets back", () => {
  expect(texts({ changes: [{ ...change, managed: false }] })).toEqual([accept]);
});

test("a missing object can be forgotten or recreated, and an unmanaged one declared", () => {
  expect(texts({ verdict: "missing", ruleId: "drift/missing", changes: [] })).toEqual([accept, back]);
  const unmanaged = { verdict: "unmanaged", ruleId: "drift/unmanaged", urn: null, stacks: [], changes: [] } as const;
  const declare =
    "npx pulumi-modelplatform accept --stack=acme/shop/prod --unmanaged --only=accounts/acme/deployments/chat --write";
  expect(texts({ ...unmanaged, stacks: [], changes: [] })).toEqual([declare]);
  // Which of several stacks is to have it is unknown.
  expect(texts({ ...unmanaged, stacks: [], changes: [] }, undefined, { ...scope, stacks: ["a/b/c", "a/b/d"] })).toEqual(
    [],
  );
});

test.each(["drift/failed", "drift/remade", "drift/output", "drift/recorded-twice"])("%s is for a person", (ruleId) => {
  expect(texts({ ruleId }, "--- a/index.ts\n")).toEqual([]);
});

test("what is suppressed or in sync needs nothing", () => {
  const suppressed = { by: "baseline", owner: null, reason: null, expires: null } as unknown as Finding["suppressed"];
  expect(texts({ ...(suppressed && { suppressed }) })).toEqual([]);
  expect(texts({ verdict: "in-sync", ruleId: "drift/in-sync", changes: [] })).toEqual([]);
});

test.each(["it's", '$(touch x) `y` "z"', "a;b&c|d>e", "-rf", "*?[a]", "{0} \\ !!"])(
  "in a shell, %p is a word of the command and nothing else",
  (word) => {
    const [line = ""] = texts({ urn: word });
    const { stdout } = spawnSync("sh", ["-c", `npx() { printf '%s\\n' "$@"; }; ${line}`], { encoding: "utf8" });
    expect(stdout.split("\n")).toEqual([
      ...["pulumi-modelplatform", "accept", "--stack=acme/shop/prod", `--only=${word}`, "--write", ""],
    ]);
  },
);

test.each(["two\nlines", "\u001b[2J", "npg\u202eexe", "##[command]x"])(
  "what a page cannot show as it is, %p, is not given to copy",
  (word) => {
    expect(texts({ urn: word })).toEqual([]);
    expect(texts({}, `+  displayName: "${word.replace("\n", "\u0085")}",\n`)).toEqual([accept, back]);
  },
);
