import { warningsOf } from "../../drift/report/causes";
import { baselineOf, causesOf, currentIn, openBaseline } from "../../drift/scan/baseline";
import type { DriftReport } from "../../drift/scan/document";
import { withGroups } from "../../drift/scan/finding";
import type { Finding } from "../../drift/scan/finding-document";
import { sinceEarlier } from "../../drift/scan/result";
import { ignoreFile } from "../../drift/scan/suppression";
import { latestExpiry } from "../../drift/scan/verdicts";
import type { Values } from "../values";
import { byName, createScene, type DriftScene } from "./support/scene";
import type { RecordedResource } from "./support/stacks";

const chat = "accounts/acme/deployments/chat";
const ada = "accounts/acme/users/ada";
const inputs = {
  baseModel: "accounts/platform/models/open-8b",
  maxReplicaCount: 2,
  description: "answers",
  annotations: { "custom/team": "search" },
};
const live = { name: chat, ...inputs, state: "READY", updateTime: "2026-01-01T00:00:00Z" };
const user = { name: ada, email: "ada@example.com", role: "user" };
const recorded: readonly RecordedResource[] = [
  { kind: "Deployment", inputs, live },
  { kind: "User", inputs: { email: user.email, role: "user" }, live: user },
];
const now = Date.parse("2026-03-01T12:00:00Z");
const terms = { owner: "team-search", reason: "load test", expires: "2026-04-01" };

/** The deployment has drifted by a warning and two notes, the user by an error. */
function drifted(
  changes: Values = { maxReplicaCount: 8, description: "tuned", annotations: { "custom/team": "ads" } },
): DriftScene {
  const scene = createScene();
  scene.put(chat, { ...live, ...changes });
  scene.put(ada, { ...user, role: "admin" });
  return scene;
}

const paths = (report: DriftReport, name: string): string[] => byName(report)[name]!.changes.map(({ path }) => path);

test.each([
  ["an object", "acme/Deployment/chat\n", [chat]],
  ["a kind", "*/User\n", [ada]],
  ["an account, but for one object", "acme/*/*\n!acme/User/ada\n", [chat]],
  ["nothing that is named in a comment", "# acme/User/ada\n", []],
  ["another account", "beta\n", []],
])("an ignore file leaves out %s", async (_, text, ignored) => {
  const { findings } = await drifted().scan(recorded, { suppressors: [ignoreFile(text)] });
  expect(findings.filter(({ suppressed }) => suppressed?.by === "ignore").map(({ name }) => name)).toEqual(ignored);
});

test("an ignore file leaves out a field, and what is below it", async () => {
  const report = await drifted().scan(recorded, {
    suppressors: [ignoreFile("acme/Deployment/*#maxReplicaCount\nacme/Deployment/chat#annotations\n")],
  });
  expect(paths(report, chat)).toEqual(["description"]);
  expect(byName(report)[chat]).toMatchObject({ severity: "note", reason: "1 field differs from what is recorded" });
});

test("what is ignored is still counted, and no drift", async () => {
  const report = await drifted().scan(recorded, { suppressors: [ignoreFile("acme\n")] });
  expect(report).toMatchObject({ drifted: false, exitCode: 0, summary: { changed: 2 } });
  expect(report.findings[0]!.suppressed).toEqual({
    by: "ignore",
    owner: null,
    reason: 'matches "acme"',
    expires: null,
  });
});

test("a program's ignoreChanges count as its word about those fields", async () => {
  const ignoring = (ignoreChanges: string[]): RecordedResource[] => [{ ...recorded[0]!, state: { ignoreChanges } }];
  const part = await drifted().scan(ignoring(["maxReplicaCount", 'annotations["custom/team"]']));
  expect(paths(part, chat)).toEqual(["description"]);
  const whole = await drifted().scan(ignoring(["maxReplicaCount", "annotations", "description"]));
  expect(whole).toMatchObject({
    drifted: false,
    exitCode: 0,
    summary: { changed: 1 },
    findings: [{ verdict: "changed", suppressed: { by: "ignoreChanges", expires: null } }],
  });
  expect((await drifted().scan(ignoring(["annotations.*", "maxReplicaCount", "description"]))).drifted).toBe(false);
});

test("a baseline accepts exactly its values, and says who answers for them", async () => {
  const baseline = baselineOf(await drifted().scan(recorded), { ...terms, allowError: true });
  const report = await drifted().scan(recorded, { baseline: openBaseline(baseline, "b.json", now, true) });
  expect(report).toMatchObject({ drifted: false, exitCode: 0, staleBaseline: [] });
  expect(byName(report)[ada]!.suppressed).toEqual({ by: "baseline", ...terms });

  const other = await drifted({ maxReplicaCount: 9, description: "tuned" }).scan(recorded, {
    baseline: openBaseline(baseline, "b.json", now, true),
  });
  expect(other).toMatchObject({ drifted: true, exitCode: 2 });
  expect(paths(other, chat)).toEqual(["maxReplicaCount"]);
});

test("what has severity error is accepted only where allowed, written and used", async () => {
  const report = await drifted().scan(recorded);
  expect(baselineOf(report, { ...terms, allowError: false }).entries.map(({ name, path }) => [name, path])).toEqual([
    [chat, "description"],
    [chat, 'annotations["custom/team"]'],
    [chat, "maxReplicaCount"],
  ]);
  const all = baselineOf(report, { ...terms, allowError: true });
  const judged = await drifted().scan(recorded, { baseline: openBaseline(all, "b.json", now, false) });
  expect(byName(judged)[ada]!.suppressed).toBeUndefined();
  expect(judged.staleBaseline).toMatchObject([{ name: ada, why: "error" }]);
});

test("entries that have expired, or no longer match, are reported", async () => {
  const baseline = baselineOf(await drifted().scan(recorded), { ...terms, allowError: true });
  const entries = [
    { ...baseline.entries[0]!, expires: "2026-02-28" },
    ...baseline.entries.slice(1),
    { ...baseline.entries[0]!, name: "accounts/acme/users/gone" },
    { ...baseline.entries[0]!, name: "accounts/unread/users/ada" },
  ];
  const report = await drifted().scan(recorded, {
    baseline: openBaseline({ version: 1, entries }, "b.json", now, true),
  });
  expect(report.staleBaseline).toMatchObject([
    { name: baseline.entries[0]!.name, why: "expired", owner: "team-search" },
    { name: "accounts/acme/users/gone", why: "unmatched" },
  ]);
  expect(report.drifted).toBe(true);
});

test("a baseline holds for its last day, and for 180 days at most", () => {
  expect(latestExpiry(now)).toBe("2026-08-28");
  const entry = { origin: "https://api.example.com", name: chat, live: "0", ...terms };
  const open = (change: Values) =>
    openBaseline({ version: 1, entries: [{ ...entry, ...change }] }, "b.json", now, false);
  expect(() => open({ expires: "2026-08-28" })).not.toThrow();
  expect(() => open({ expires: "2026-08-29" })).toThrow(
    /b\.json accepts `accounts\/acme\/deployments\/chat` until 2026-08-29, which is more than 180 days from now/,
  );
  expect(() => open({ owner: "" })).toThrow(/entries\.0\.owner/);
  expect(() => open({ expires: "soon" })).toThrow(/entries\.0\.expires/);
  expect(open({ expires: "2026-03-01" }).stale(new Set())).toEqual([]);
});

test("a finding without changes can be accepted as a whole", async () => {
  const scene = createScene();
  const absent = await scene.scan(recorded);
  const baseline = openBaseline(baselineOf(absent, { ...terms, allowError: true }), "b.json", now, true);
  expect(await scene.scan(recorded, { baseline })).toMatchObject({
    exitCode: 0,
    findings: [{ verdict: "missing", suppressed: { by: "baseline" } }, { verdict: "missing" }],
  });
});

const origin = "https://api.example.com";
/** What a scan says of an object as a whole, and of one of its fields. */
const whole = { ...{ origin, name: ada, verdict: "error", ruleId: "policy/admins-listed" }, reason: "custom/reader" };
const ofField = { ...{ origin, name: chat, verdict: "changed", ruleId: "drift/changed", reason: "1 field differs" } };
const failed = { ...ofField, ruleId: "drift/failed", reason: "has failed: QUOTA" };
const [replicas, state, secret] = [
  { path: "maxReplicaCount", live: 8 },
  { path: "state", live: "FAILED" },
  { path: "directRouteApiKeys", live: [{ redacted: true }] },
];

test.each<[what: string, finding: Values, change: Values | undefined, other: Values, otherChange?: Values]>([
  ["another service", whole, undefined, { origin: "https://other.example" }],
  ["another object", whole, undefined, { name: chat }],
  ["another rule", whole, undefined, { ruleId: "drift/error" }],
  ["another verdict", whole, undefined, { verdict: "unmanaged" }],
  ["another reason", whole, undefined, { reason: 'has the `role` "superadmin"' }],
  ["another reason of a breach", { ...whole, verdict: "breach" }, undefined, { reason: "is an admin" }],
  ["a field of it", whole, undefined, {}, replicas],
  ["another field", ofField, replicas, {}, { ...replicas, path: "minReplicaCount" }],
  ["another live value", ofField, replicas, {}, { ...replicas, live: 9 }],
  ["a live value that is gone", ofField, replicas, {}, { path: "maxReplicaCount" }],
  ["a second stack that records it", ofField, replicas, { reason: "1 field differs; is recorded in 2 stacks" }],
  ["another failure", failed, state, { reason: "has failed: INTERNAL" }],
  ["a later value that is not shown", { ...ofField, updateTime: "a" }, secret, { updateTime: "b" }],
])("an entry does not accept %s", (_, finding, change, other, otherChange = change) => {
  const complete = (values: Values, of: Values | undefined) =>
    ({ severity: "warning", changes: of ? [{ severity: "warning", ...of }] : [], ...values }) as unknown as Finding;
  const accepted = complete(finding, change);
  const { entries } = baselineOf({ findings: [accepted] } as unknown as DriftReport, { ...terms, allowError: true });
  const suppresses = (found: Finding) => {
    const { suppressor } = openBaseline({ version: 1, entries }, "b.json", now, true);
    return suppressor(found, found.changes[0]) !== undefined;
  };
  expect([suppresses(accepted), suppresses(complete({ ...finding, ...other }, otherChange))]).toEqual([true, false]);
});

/** One field of two deployments, and of a third one of another account, as a fleet's scan finds them. */
function fleet(change: Values = {}, finding: Values = {}): DriftReport {
  const shared = { severity: "warning", kind: "changed", managed: true, ...replicas, ...change };
  const findings = ["acme", "beta", "gamma"].map((account) => ({
    ...{ ...ofField, severity: shared.severity, type: "Deployment", account, stacks: [], unverified: [] },
    ...{ name: `accounts/${account}/deployments/chat`, fingerprint: account, ...finding },
    changes: [{ ...shared, live: JSON.parse(JSON.stringify(shared.live).replaceAll("{account}", account)) }],
  }));
  return withGroups({ findings } as unknown as DriftReport);
}

const causeOf = (report: DriftReport) => ({
  version: 1,
  entries: [],
  causes: causesOf(report, { ids: report.groups!.map(({ id }) => id), ...terms }),
});

const acceptedIn = (baseline: Values, { findings }: DriftReport): unknown[] => {
  const { suppressor } = openBaseline(baseline, "b.json", now, true);
  return findings.map((finding) => suppressor(finding, finding.changes[0])?.owner ?? null);
};

test.each([
  ["a number", {}],
  ["a name of the account's own", { path: "baseModel", live: "accounts/{account}/models/tuned" }],
])("one entry accepts a cause in every object of the kind: %s", (_, change) => {
  const [first, second] = fleet(change).findings;
  const seen = withGroups({ findings: [first, second] } as unknown as DriftReport);
  const baseline = causeOf(seen);
  expect(baseline).toMatchObject({ entries: [], causes: [{ kind: "Deployment", ...terms }] });
  expect(acceptedIn(baseline, fleet(change))).toEqual(["team-search", "team-search", "team-search"]);
});

test.each<[what: string, change: Values, finding: Values]>([
  ["another kind", {}, { type: "User" }],
  ["another field", { path: "minReplicaCount" }, {}],
  ["another live value", { live: 9 }, {}],
  ["a live value of another account", { live: "accounts/acme/models/tuned" }, {}],
  ["another service", {}, { origin: "https://other.example" }],
  ["severity error", { severity: "error" }, {}],
  ["what is recorded twice", {}, { reason: "1 field differs; is recorded in 2 stacks" }],
  ["what a rule objects to", {}, { verdict: "breach" }],
])("an entry for a cause does not accept %s", (_, change, finding) => {
  expect(acceptedIn(causeOf(fleet()), fleet(change, finding))).toEqual([null, null, null]);
});

test.each<[what: string, report: DriftReport]>([
  ["of severity error", fleet({ severity: "error" })],
  ["of a value that is not shown", fleet(secret)],
  ["of a failure", fleet(state, failed)],
])("no entry accepts a cause %s everywhere", (_, report) => {
  expect(() => causeOf(report)).toThrow(
    /^The cause \S+ .* no entry accepts (it )?everywhere|^The cause \S+ has severity error/,
  );
});

test("what a cause accepts gets no entry of its own where a baseline is written again", () => {
  const { causes } = causeOf(fleet());
  const again = baselineOf(fleet(), { ...terms, allowError: true, causes });
  expect(again).toEqual({ version: 1, entries: [], causes });
  expect(baselineOf(fleet({ live: 9 }), { ...terms, allowError: true, causes }).entries).toHaveLength(3);
  const ended = causes.map((cause) => ({ ...cause, expires: "2026-02-28" }));
  expect(currentIn({ version: 1, entries: [], causes: [...causes, ...ended] }, "b.json", now).causes).toEqual(causes);
});

test("a cause ends on its day, and one that no report has is refused", () => {
  const baseline = causeOf(fleet());
  const [cause] = baseline.causes;
  const until = (expires: string) =>
    openBaseline({ ...baseline, causes: [{ ...cause, expires }] }, "b.json", now, false);
  expect(until("2026-03-01").stale(new Set())).toEqual([]);
  expect(until("2026-02-28").stale(new Set())).toMatchObject([{ name: "Deployment", why: "expired" }]);
  expect(() => until("2026-08-29")).toThrow(/accepts `Deployment` until 2026-08-29, which is more than 180 days/);
  const [group] = fleet().groups!;
  expect(() => causesOf(fleet(), { ids: ["absent"], ...terms })).toThrow(
    `No cause of this report is absent: it has ${group!.id} (Deployment \`maxReplicaCount\`, 3 findings); \`drift --json\` lists all, as \`groups\`.`,
  );
  expect(() => causesOf({ findings: [] }, { ids: ["absent"], ...terms })).toThrow(
    "No cause of this report is absent: no two of its findings share one. Accept its findings without --cause.",
  );
});

test("an entry that keeps less than it accepts accepts nothing, and is named", async () => {
  const absent = await createScene().scan(recorded);
  const { entries } = baselineOf(absent, { ...terms, allowError: true });
  // The hash of `{"verdict":"missing"}` alone.
  const earlier = entries.map((entry) => ({ ...entry, live: "3bd6e6e2a8eabbfc" }));
  const baseline = openBaseline({ version: 1, entries: earlier }, "b.json", now, true);
  const report = await createScene().scan(recorded, { baseline });
  expect(report).toMatchObject({
    exitCode: 2,
    staleBaseline: [
      { name: chat, why: "wide" },
      { name: ada, why: "wide" },
    ],
  });
  expect(warningsOf(report).at(-1)!.warning).toContain("write the entry again with `drift baseline`");
});

test("since an earlier report, another value that a rule objects to counts", () => {
  const report = (reason: string) =>
    ({
      accounts: [],
      findings: [{ ...whole, ...{ verdict: "breach", reason, severity: "error" }, unverified: [], changes: [] }],
    }) as unknown;
  const since = (reason: string) =>
    sinceEarlier(report(reason) as DriftReport, report("has the residency US") as DriftReport, ["breach"]).drifted;
  expect([since("has the residency US"), since("allows any region")]).toEqual([false, true]);
});

test("since an earlier report, only new findings count, and resolved ones are reported", async () => {
  const before = await drifted().scan(recorded);
  const scene = drifted();
  expect(await scene.scan(recorded, { since: before })).toMatchObject({
    drifted: false,
    exitCode: 0,
    findings: [],
    resolved: [],
    summary: { changed: 2 },
  });
  await scene.change(ada, { role: "user" });
  await scene.change(chat, { maxReplicaCount: 9 });
  const after = await scene.scan(recorded, { since: before });
  expect(after).toMatchObject({
    drifted: true,
    exitCode: 2,
    findings: [{ name: chat }],
    resolved: [{ name: ada, verdict: "changed" }],
  });
});
