import { formats } from "../../drift/report/formats";
import type { DriftOptions } from "../../drift/scan/detect";
import { mergeReports } from "../../drift/scan/merge";
import { type SelectionCriteria, selectObjects } from "../../drift/scan/selection";
import { InvalidFilterError } from "../../filters/grammar";
import { managedSpecs } from "../../provider/resources/index";
import { createScene } from "./support/scene";
import type { RecordedResource } from "./support/stacks";

const baseModel = "accounts/platform/models/open-8b";
const chat = "accounts/acme/deployments/chat";
const recorded: RecordedResource = {
  kind: "Deployment",
  inputs: { baseModel },
  live: { name: chat, baseModel, state: "READY" },
};

/** One managed deployment, and four objects by hand: two deployments, a user and a secret. */
function world() {
  const scene = createScene();
  scene.put(chat, { baseModel, state: "READY" });
  scene.put("accounts/acme/deployments/large", { baseModel, state: "READY", maxReplicaCount: 9 });
  scene.put("accounts/acme/deployments/small", { baseModel, state: "READY", maxReplicaCount: 1 });
  scene.put("accounts/acme/users/ada", { email: "ada@example.com", role: "admin", state: "READY" });
  scene.put("accounts/acme/secrets/key", { keyName: "KEY" });
  return scene;
}

const wanted = (choice: SelectionCriteria): Pick<DriftOptions, "unmanaged" | "wanted"> => {
  const chosen = selectObjects(managedSpecs, choice);
  return { unmanaged: true, ...(chosen && { wanted: chosen }) };
};

test.each<[what: string, choice: SelectionCriteria, listed: string[]]>([
  ["a filter", { filter: "max_replica_count > 4" }, ["deployments/large"]],
  ["a kind", { kinds: ["Deployment"] }, ["deployments/large", "deployments/small"]],
  ["several kinds", { kinds: ["User", "Secret"] }, ["secrets/key", "users/ada"]],
  [
    "both",
    { kinds: ["Deployment", "User"], filter: 'name:"a"' },
    ["deployments/large", "deployments/small", "users/ada"],
  ],
  ["a field that one kind has", { filter: "role = admin" }, ["users/ada"]],
  ["a negation, of the kinds that have the field", { filter: "NOT role = admin" }, []],
  ["a filter that nothing matches", { filter: "display_name = nothing" }, []],
])("%s chooses which unmanaged objects are listed, and the rest is counted", async (_, choice, listed) => {
  const scene = world();
  const whole = await scene.scan([recorded], wanted({}));
  const requests = scene.requests.length;
  const report = await scene.scan([recorded], wanted(choice));
  expect(report.findings.map(({ name }) => name.replace("accounts/acme/", ""))).toEqual(listed);
  expect(report).toMatchObject({ leftOut: 4 - listed.length, drifted: listed.length > 0, complete: true });
  expect({ summary: report.summary, coverage: report.coverage }).toEqual({
    summary: whole.summary,
    coverage: whole.coverage,
  });
  expect(whole).not.toHaveProperty("leftOut");
  expect(scene.requests.length).toBe(2 * requests);
});

test("managed objects are compared whatever is chosen", async () => {
  const scene = world();
  await scene.remove(chat);
  const report = await scene.scan([recorded], wanted({ kinds: ["User"], filter: "role = user" }));
  expect(report.findings).toMatchObject([{ name: chat, verdict: "missing" }]);
});

test("people are told how many objects are left out, also of several shards", async () => {
  const report = await world().scan([recorded], wanted({ kinds: ["User"] }));
  const texts = [formats["text"]!, formats["markdown"]!, formats["html"]!].map((format) =>
    format.render(report, { columns: 120, color: false }),
  );
  for (const text of texts)
    expect(text.replace(/<[^>]+>|[`\\]/g, "")).toContain("3 objects left out by --filter or --kind");
  const plain = texts.map((text) => text.replace(/<[^>]+>/g, " "));
  expect(plain[0]).toMatch(/\b1 unmanaged\b/);
  expect(plain[1]).toMatch(/^\| unmanaged \| in sync \|\n[-| ]+\n\| 1 \| 1 \|$/m);
  expect(plain[2]).toMatch(/\b1 +unmanaged\b/);
  const shard = (index: number) => ({ ...report, scope: { ...report.scope, shard: `${index}/2` } });
  const merged = mergeReports([
    { file: "1.json", report: shard(1) },
    { file: "2.json", report: shard(2) },
  ]);
  expect(merged).toMatchObject({ report: { leftOut: 6 } });
});

test.each<[SelectionCriteria, string, number]>([
  [{ filter: "state = " }, "expected a value after `=` at character 9, found the end", 9],
  [{ filter: "no_such_field = 1" }, "unknown field `no_such_field` at character 1", 1],
  [{ filter: "role = admin AND emails = x" }, "unknown field `emails` at character 18; did you mean `email`?", 18],
  [{ kinds: ["Secret"], filter: "role = admin" }, "unknown field `role` at character 1", 1],
])("%j is refused with the place of what is wrong, by the kind that it fits best", (choice, message, at) => {
  const refused = (): unknown => selectObjects(managedSpecs, choice);
  expect(refused).toThrow(InvalidFilterError);
  expect(refused).toThrow(expect.objectContaining({ at, message: expect.stringContaining(message) }) as Error);
});
