import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isIn } from "../../drift/scan/accounts";
import type { DriftReport } from "../../drift/scan/document";
import { Fleet } from "../../measure/bench/many-accounts/fleet";
import { modelplatform } from "../cli/terminal";
import { isNightly, longerAtNight } from "../nightly";
import { jobNamed } from "./manifests";
import { Node } from "./pods";

const [scan, merge] = [jobNamed("drift-scan"), jobNamed("drift-merge")];
const indices = Array.from({ length: scan.spec.completions! }, (_, index) => index);

let fleet: Fleet;
let node: Node;

const folderOf = (run: string): string => join(node.volume, "runs", run);
const filesOf = (run: string): string[] =>
  existsSync(folderOf(run)) ? readdirSync(folderOf(run)).filter((name) => name.includes(".")) : [];
/** What two scans of the same accounts have in common: findings are in groups in the order of their times,
 * and the history knows when what is gone was last there. */
const essenceOf = (path: string): unknown =>
  JSON.parse(readFileSync(path, "utf8"), (key, value) => {
    if (["startedAt", "finishedAt", "firstSeen", "timesSeen", "before", "requests", "run"].includes(key))
      return undefined;
    return key === "members" ? (value as string[]).sort() : value;
  });

/** Accounts belong to shards by their address as well, which is another one in each run. */
function sizeOf(index: number): number {
  const origin = fleet.env["MODELPLATFORM_BASE_URL"]!;
  const shard = { index: index + 1, count: indices.length };
  return fleet.accounts.filter((account) => isIn(shard, { account, origin })).length;
}

const fullest = (): number => [...indices].sort((one, other) => sizeOf(other) - sizeOf(one))[0]!;

longerAtNight(() => {
  beforeAll(async () => {
    fleet = await Fleet.open(isNightly ? 100 : 14, isNightly ? 100 : 12);
    node = new Node(fleet);
    await node.open();
  });
  afterAll(async () => {
    node.close();
    await fleet.close();
  });

  test("every index reports, one after it died and was drained: together the whole", async () => {
    const dying = fullest();
    const died = await node.start(scan, { run: "1", index: dying, gets: "SIGKILL 2" });
    expect(died.code).toBeNull();
    // Deployments come first, with three requests an account: the next one is made when some have been kept.
    const gets = `SIGTERM ${3 * sizeOf(dying) + 1}` as const;
    const drained = await node.start(scan, { run: "1", index: dying, gets });
    expect(drained).toMatchObject({ code: 130, stderr: expect.stringContaining("continues with what has been read") });
    const kept = join(folderOf("1"), `read-by-${dying + 1}`, "pulumi-modelplatform", "drift");
    expect(readdirSync(kept)).not.toEqual([]);
    expect(filesOf("1")).toEqual([]);
    for (const index of indices) expect(await node.start(scan, { run: "1", index })).toMatchObject({ code: 0 });
    expect(readdirSync(kept)).toEqual([]);
    expect(filesOf("1").sort()).toEqual(indices.map((index) => `shard-${index + 1}.json`).sort());

    const merged = await node.start(merge, { run: "1" });
    expect(merged).toMatchObject({ code: 2, stderr: "" });
    expect(filesOf("1")).toEqual(expect.arrayContaining(["drift.html", "drift.json", "drift.sarif"]));
    expect(readdirSync(join(node.volume, "history"))).not.toEqual([]);
    const whole = join(fleet.folder, "whole.json");
    const args = ["drift", "--backend", fleet.env["PULUMI_BACKEND_URL"]!, "--all-accounts", "--unmanaged"];
    const one = await modelplatform([...args, "--format", "json", "--output", whole], { env: fleet.env });
    expect(one.code).toBe(2);
    expect(essenceOf(join(folderOf("1"), "drift.json"))).toEqual(essenceOf(whole));
  });

  test("the merging Job waits for a report that is late", async () => {
    for (const index of indices.slice(1)) copyReport(index, "2");
    let slept = 0;
    node.onSleep = (seconds) => {
      slept += seconds;
      if (slept === 30) copyReport(0, "2");
    };
    expect(await node.start(merge, { run: "2" })).toMatchObject({ code: 2, stderr: "" });
    expect(slept).toBe(30);
  });

  test("a report that an earlier run left in the folder is no report of this one", async () => {
    for (const index of indices.slice(1)) copyReport(index, "6");
    cpSync(join(folderOf("1"), "shard-1.json"), join(folderOf("6"), "shard-1.json"));
    const { code, stderr } = await node.start(merge, { run: "6" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("shard-1.json of the run 1. ") });
    expect(filesOf("6")).not.toContain("drift.json");
  });

  test("after its deadline it merges what there is, and names the other shards", async () => {
    for (const index of indices.filter((each) => each !== 2 && each !== 6)) copyReport(index, "3");
    const { code, stderr } = await node.start(merge, { run: "3", env: { WAIT_SECONDS: "20" } });
    const [waited, job, lost, ...rest] = stderr.split("\n");
    expect({ code, waited, job, rest }).toEqual({
      code: 3,
      waited: `After 20 s, ${folderOf("3")} has no report of shard 3 7 of 10. What the others wrote is merged.`,
      job: "The Job drift-scan-3 is running: see why with `kubectl logs` of its pods.",
      rest: [""],
    });
    expect(lost).toMatch(
      /^warning: missing: shards 3\/10, 7\/10(?:; \d+ accounts?)?\. The report names each, and why\.$/,
    );
    const { missing } = JSON.parse(readFileSync(join(folderOf("3"), "drift.json"), "utf8")) as DriftReport;
    const shards = missing!.filter(({ part }) => part === "shard").map(({ name }) => name);
    expect(shards).toEqual(["3/10", "7/10"]);
  });

  test("it waits until the scanning Job is over, and removes runs of a month ago", async () => {
    for (const index of indices.slice(1)) copyReport(index, "7");
    const [old, young] = ["old", "young"].map(folderOf) as [string, string];
    for (const folder of [old, young]) mkdirSync(folder, { recursive: true });
    utimesSync(old, new Date(), new Date(Date.now() - 32 * 86_400_000));
    let slept = 0;
    node.onSleep = (seconds) => {
      slept += seconds;
      node.over.add("7");
    };
    const { code, stderr } = await node.start(merge, { run: "7" });
    expect({ code, slept }).toEqual({ code: 3, slept: 10 });
    expect(stderr).toContain(
      "has no report of shard 1 of 10. What the others wrote is merged.\nThe Job drift-scan-7 is over:",
    );
    expect([old, young].map((folder) => existsSync(folder))).toEqual([false, true]);
    expect(existsSync(join(node.volume, "latest", "drift.prom"))).toBe(true);
  });

  test("what the cluster refuses to say is told, and waited for", async () => {
    for (const index of indices.slice(1)) copyReport(index, "8");
    const env = { WAIT_SECONDS: "10", NAMESPACE: "day" };
    const { code, stderr } = await node.start(merge, { run: "8", env });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("is not known: the cluster answers 403"),
    });
    const blind = await node.start(merge, { run: "8", env: { ...env, TOKEN: "/nowhere" } });
    expect(blind).toMatchObject({ code: 3, stderr: expect.stringContaining("is not known: ENOENT") });
  });

  test("an index beyond the shards is a usage error, which the Job does not retry", async () => {
    const { code, stderr } = await node.start(scan, { run: "4", index: indices.length });
    expect(code).toBe(64);
    expect(stderr).toContain("the first is 1");
    const [, rule] = scan.spec.podFailurePolicy!.rules;
    expect(rule).toMatchObject({ action: "FailIndex", onExitCodes: { values: [64] } });
  });

  test("a shard whose accounts refuse the key has a report, and the verdict says so", async () => {
    const refused = fullest();
    for (const index of indices.filter((each) => each !== refused)) copyReport(index, "5");
    const keys = join(fleet.folder, "wrong.json");
    writeFileSync(keys, JSON.stringify(Object.fromEntries(fleet.accounts.map((name) => [name, { apiKey: "wrong" }]))));
    const env = { MODELPLATFORM_ACCOUNTS_FILE: keys };
    expect(await node.start(scan, { run: "5", index: refused, env })).toMatchObject({ code: 0 });
    expect(await node.start(merge, { run: "5" })).toMatchObject({ code: 3 });
  });
});

/** Gives a run, as its own and of now, the report that the same index has written for the first one. */
function copyReport(index: number, run: string): void {
  const name = `shard-${index + 1}.json`;
  const { scope, ...report } = JSON.parse(readFileSync(join(folderOf("1"), name), "utf8"));
  mkdirSync(folderOf(run), { recursive: true });
  const times = { startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() };
  writeFileSync(join(folderOf(run), name), JSON.stringify({ ...report, ...times, scope: { ...scope, run } }));
}
