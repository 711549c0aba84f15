import { operations } from "../../emulator/routes";
import { defaultOrders, shapeVersionFilters } from "../contract/reference/lists";
import { client, type EdgeAnswer, type EdgeClient } from "./edge-client";

const keys = [
  { account: "demo", role: "user" as const, key: "second-key" },
  { account: "acme", role: "admin" as const, key: "acme-key" },
];

let emulator: EdgeClient;
beforeEach(() => {
  emulator = client({ accounts: { demo: "demo-key" }, keys });
});

/** Objects whose order by name is the reverse of that by creation. */
const opposed = (collection: string) =>
  Object.fromEntries(
    ["c", "b", "a"].map((id, index) => [
      `accounts/demo/${collection}/${id}`,
      { createTime: `2030-01-0${index + 1}T00:00:00Z`, state: "READY" },
    ]),
  );

const ids = (answer: EdgeAnswer, collection: string): string[] =>
  answer.json[collection].map(({ name }: { name: string }) => name.split("/").at(-1));

test.each(
  Object.entries(defaultOrders).filter(
    ([operation]) => operation !== "listAccounts" && operation !== "listDeploymentShapeVersions",
  ),
)("%s is ordered by %s unless asked otherwise", async (operation, order) => {
  const { collection } = operations.find(({ name }) => name === operation)!.spec;
  await emulator.control("POST", "seed", { objects: opposed(collection) });
  const path = `/v1/accounts/demo/${collection}`;
  expect(ids(await emulator.api("GET", path), collection)).toEqual(
    order === "name" ? ["a", "b", "c"] : ["c", "b", "a"],
  );
  expect(ids(await emulator.api("GET", `${path}?orderBy=name%20desc`), collection)).toEqual(["c", "b", "a"]);
  expect(ids(await emulator.api("GET", `${path}?order_by=create_time%20desc`), collection)).toEqual(["a", "b", "c"]);
});

test("shape versions are ordered by create_time, over all accounts and shapes too", async () => {
  const { deploymentShapeVersions } = (await emulator.api("GET", "/v1/accounts/-/deploymentShapes/-/versions")).json;
  const times = deploymentShapeVersions.map(({ createTime }: { createTime: string }) => Date.parse(createTime));
  expect(times.length).toBeGreaterThan(2);
  expect(times).toEqual([...times].sort((left, right) => left - right));
});

test.each(shapeVersionFilters)("the filter $filter keeps $keeps", async ({ filter }) => {
  const model = "accounts/platform/models/open-8b";
  const path = "/v1/accounts/-/deploymentShapes/-/versions";
  const all = (await emulator.api("GET", path)).json.deploymentShapeVersions;
  const kept = (await emulator.api("GET", `${path}?filter=${encodeURIComponent(filter.replace("{model}", model))}`))
    .json;
  const wanted = all.filter(
    ({ snapshot, latestValidated }: { snapshot: { baseModel: string }; latestValidated?: boolean }) =>
      (!filter.includes("base_model") || snapshot.baseModel === model) &&
      (!filter.includes("latest") || latestValidated === true),
  );
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.length).toBeLessThan(all.length);
  expect(kept).toEqual({ deploymentShapeVersions: wanted, totalSize: wanted.length });
});

test("a token is refused for another key, another account and another collection", async () => {
  await emulator.control("POST", "seed", { objects: { ...opposed("users"), ...opposed("secrets") } });
  const token = (await emulator.api("GET", "/v1/accounts/demo/users?pageSize=1")).json.nextPageToken;
  const page = (path: string, key = "demo-key") =>
    emulator.api("GET", `/v1/accounts/${path}?pageSize=1&pageToken=${encodeURIComponent(token)}`, undefined, {
      authorization: `Bearer ${key}`,
    });
  expect(ids(await page("demo/users"), "users")).toEqual(["b"]);
  for (const answer of [
    await page("demo/users", "second-key"),
    await page("acme/users", "acme-key"),
    await page("demo/secrets"),
  ]) {
    expect(answer).toMatchObject({ status: 400, json: { code: 3 } });
  }
});

test("a token continues after a restart of the emulator", async () => {
  const objects = opposed("users");
  await emulator.control("POST", "seed", { objects });
  const token = (await emulator.api("GET", "/v1/accounts/demo/users?pageSize=2")).json.nextPageToken;
  const again = client({ seed: { objects } });
  expect(
    ids(await again.api("GET", `/v1/accounts/demo/users?pageSize=2&pageToken=${encodeURIComponent(token)}`), "users"),
  ).toEqual(["c"]);
});

test("an unknown field in a filter, an order or a mask is 400 and named", async () => {
  for (const query of ["filter=nonsense%3D1", "orderBy=nonsense", "readMask=nonsense"]) {
    const answer = await emulator.api("GET", `/v1/accounts/demo/users?${query}`);
    expect(answer).toMatchObject({ status: 400, json: { code: 3, message: expect.stringContaining("`nonsense`") } });
  }
});
