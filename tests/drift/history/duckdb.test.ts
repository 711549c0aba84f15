import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { finding, history, removeFolders, report } from "./reports";

/** The queries of the examples, each by its first line, on the folder of a history that a test has made. */
const examples = join(__dirname, "..", "..", "..", "examples", "drift-history");
const queries = readdirSync(examples).map((file) => {
  const sql = readFileSync(join(examples, file), "utf8");
  return { file, title: /^-- (.+)\.\n/.exec(sql)?.[1] ?? file, sql };
});

const chat = "accounts/acme/deployments/chat";
const search = "accounts/globex/deployments/search";
const key = "accounts/acme/secrets/key";
const accounts = ["acme", "globex"];
const accepted = { by: "baseline", owner: "search", reason: "#42", expires: "2026-05-01" } as const;
let folder: string;

beforeAll(async () => {
  const opened = history();
  ({ folder } = opened);
  const scan = (at: string, findings: Parameters<typeof report>[0]["findings"]) =>
    opened.store.record(report({ at, accounts, findings: findings! }));
  await scan("2026-02-01T02:00:00Z", [
    finding(chat),
    finding(key, { type: "Secret", verdict: "missing", severity: "error" }),
  ]);
  await scan("2026-02-01T12:00:00Z", [finding(chat), finding(search, { fields: ["maxReplicaCount", "public"] })]);
  await scan("2026-02-02T02:00:00Z", [finding(search, { fields: ["maxReplicaCount", "public"] })]);
  await scan("2026-02-03T02:00:00Z", [
    finding(chat),
    finding(search, { fields: ["maxReplicaCount", "public"] }),
    finding("accounts/acme/deployments/accepted", { suppressed: accepted }),
  ]);
  appendFileSync(join(folder, "2026-02-02.ndjson"), '{"schemaVersion":1,"record":"find');
});
afterAll(removeFolders);

/** Rows as text, each value as DuckDB prints it. */
async function rows(sql: string): Promise<string[][]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql.replaceAll("drift-history/*.ndjson", join(folder, "*.ndjson")));
    return reader.getRows().map((row) => row.map(String));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const expected: Readonly<Record<string, string[][]>> = {
  "Open findings, oldest first": [
    [search, "warning", "2026-02-01 12:00:00"],
    [chat, "warning", "2026-02-03 02:00:00"],
  ],
  "Hours to remedy, by severity": [
    ["error", "1", "10"],
    ["warning", "1", "24"],
  ],
  "Findings that came back": [[chat, "2"]],
  "Fields that drift most often": [
    ["Deployment", "maxReplicaCount", "4"],
    ["Deployment", "public", "1"],
  ],
  "Open findings, day by day": [
    ["2026-02-01", "0", "2"],
    ["2026-02-02", "0", "1"],
    ["2026-02-03", "0", "2"],
  ],
};

test("the examples are the queries that are tested here, and the page names each", () => {
  expect(queries.map(({ title }) => title).sort()).toEqual(Object.keys(expected).sort());
  const page = readFileSync(join(examples, "..", "..", "docs", "drift-reports.md"), "utf8");
  expect(queries.filter(({ file }) => !page.includes(`| \`${file}\` |`))).toEqual([]);
});

test.each(queries)("DuckDB answers: $title", async ({ title, sql }) => {
  expect(await rows(sql)).toEqual(expected[title]);
});
