import { type JournalNote, RequestJournal } from "../../emulator/http/journal";
import { redacted } from "../../provider/core/redact";
import { secretPositions } from "../contract/reference/secret-positions";
import { client } from "./edge-client";

const canary = "canary-7f3a9";

const note = (change: Partial<JournalNote> = {}): JournalNote => ({
  id: "r-1",
  time: Date.UTC(2030, 0, 1),
  method: "GET",
  path: "/v1/accounts",
  query: new Map(),
  account: "demo",
  status: 200,
  fault: undefined,
  body: undefined,
  ...change,
});

test("a request is listed with its time, its query and its body", () => {
  const journal = new RequestJournal();
  journal.write(note({ query: new Map([["pageSize", "5"]]), body: { displayName: "x" }, fault: "slow" }));
  expect(journal.entries()).toEqual([
    {
      id: "r-1",
      time: "2030-01-01T00:00:00.000Z",
      method: "GET",
      path: "/v1/accounts",
      query: { pageSize: "5" },
      account: "demo",
      status: 200,
      fault: "slow",
      body: { displayName: "x" },
    },
  ]);
});

test("a request without a body has the body null", () => {
  const journal = new RequestJournal();
  journal.write(note());
  expect(journal.entries()[0]).toMatchObject({ body: null });
  expect(journal.entries()[0]?.fault).toBeUndefined();
});

test("the last 10,000 requests are remembered, oldest first", () => {
  const journal = new RequestJournal();
  for (let index = 0; index < 10_007; index++) journal.write(note({ id: `r-${index}` }));
  const ids = journal.entries().map(({ id }) => id);
  expect(ids).toHaveLength(10_000);
  expect([ids[0], ids.at(-1)]).toEqual(["r-7", "r-10006"]);
  journal.clear();
  expect(journal.entries()).toEqual([]);
});

const places = Object.entries(secretPositions).flatMap(([kind, paths]) =>
  (paths ?? []).map((path) => ({ kind, path })),
);

test.each(places)("the value of $path of a $kind is masked wherever it stands in the body", ({ path }) => {
  const body = path
    .split(".")
    .reduceRight<unknown>(
      (inner, name) => ({ [name]: inner, beside: canary }),
      path === "directRouteApiKeys" ? [canary] : canary,
    );
  const journal = new RequestJournal();
  journal.write(
    note({
      method: "POST",
      body: { ...(body as object), wrapped: { deeper: [body] }, encoded: Buffer.from(canary).toString("base64") },
    }),
  );
  const text = JSON.stringify(journal.entries());
  expect(text).not.toContain(canary);
  expect(text).not.toContain(Buffer.from(canary).toString("base64"));
  expect(text).toContain(redacted);
});

test("a secret that is sent shows neither in the journal nor in objects, nor a key", async () => {
  const { api, control } = client();
  const created = await api("POST", "/v1/accounts/demo/secrets", {
    name: "accounts/demo/secrets/storage-key",
    keyName: "STORAGE_KEY",
    value: canary,
  });
  expect(created.status).toBe(200);
  await api("POST", "/v1/accounts/demo/secrets", `{"value": "${canary}", `);
  await api("POST", "/v1/accounts/demo/secretz", { value: canary });
  const seen = [created.text, (await control("GET", "requests")).text, (await control("GET", "objects")).text];
  for (const text of seen) expect(text).not.toContain(canary);
  for (const text of seen) expect(text).not.toContain("demo-key");
});

test("a refusal of a body that is not JSON does not quote it", async () => {
  const { api } = client();
  const answer = await api("POST", "/v1/accounts/demo/secrets", `{"value": "${canary}", x`);
  expect(answer).toMatchObject({ status: 400, json: { code: 3 } });
  expect(answer.text).not.toContain(canary);
});
