import fc from "fast-check";
import { applyReadMask } from "../../emulator/answers";
import { page } from "../../emulator/lists";
import { ApiError, type Fields, type PageRequest } from "../../emulator/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { specs } from "../../provider/resources/index";
import { pageSizes, paging } from "../contract/reference/lists";

const Deployment = specs.Deployment as unknown as ResourceSpec;
const Account = specs.Account as unknown as ResourceSpec;
const parameters = ["pageSize", "pageToken", "filter", "orderBy", "readMask", "showDeleted"];

const ask = (objects: readonly Fields[], query: Record<string, string> = {}, change: Partial<PageRequest> = {}) =>
  page({
    spec: Deployment,
    objects,
    query: new Map(Object.entries(query)),
    parameters,
    scope: "/v1/accounts/demo/deployments demo-key",
    render: (fields) => fields,
    ...change,
  });

const numbered = (count: number): Fields[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `accounts/demo/deployments/d${String(index).padStart(5, "0")}`,
    createTime: new Date(Date.UTC(2030, 0, 1) + ((index * 7) % count) * 1000).toISOString(),
  }));

const namesOf = (answer: Fields, collection = "deployments"): unknown[] =>
  (answer[collection] as Fields[]).map((fields) => fields["name"]);

function follow(objects: readonly Fields[], query: Record<string, string>): Fields[] {
  const pages = [ask(objects, query)];
  for (let token = pages[0]!["nextPageToken"]; token !== undefined; token = pages.at(-1)!["nextPageToken"])
    pages.push(ask(objects, { ...query, pageToken: String(token) }));
  return pages;
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

test.each(pageSizes)("a page asked with size $asked holds $used objects", ({ asked, used }) => {
  const answer = ask(numbered(250), asked === undefined ? {} : { pageSize: String(asked) });
  expect(namesOf(answer)).toHaveLength(used);
  expect(answer["totalSize"]).toBe(250);
  expect(typeof answer["nextPageToken"]).toBe("string");
});

test("a negative size and one that is not a number are refused", () => {
  expect(refusal(() => ask([], { pageSize: "-1" }))).toMatch(
    new RegExp(`^${paging.negative.http} 3 invalid page_size: .-1. is negative`),
  );
  expect(refusal(() => ask([], { pageSize: "many" }))).toBe("400 3 invalid page_size: `many` is not a whole number");
});

test("the last page has no token, and an empty list has none either", () => {
  expect(ask(numbered(50))).not.toHaveProperty("nextPageToken");
  expect(ask(numbered(51))).toHaveProperty("nextPageToken");
  expect(ask([])).toEqual({ deployments: [], totalSize: 0 });
});

test("deployments come by creation time, and by name where that is the same", () => {
  const at = (id: string, createTime: string): Fields => ({ name: `accounts/demo/deployments/${id}`, createTime });
  const objects = [
    at("a", "2030-01-01T02:00:00+01:00"),
    at("b", "2030-01-01T00:30:00Z"),
    at("c", "2030-01-01T01:00:00Z"),
  ];
  expect(namesOf(ask(objects)).map((name) => String(name).at(-1))).toEqual(["b", "a", "c"]);
});

test.each([["orderBy"], ["order_by"]])(
  "an order is understood as %s, in both cases, descending and by subfields",
  (name) => {
    const of = (id: string, displayName: string, count: number, region: string): Fields => ({
      name: `n/${id}`,
      displayName,
      minReplicaCount: count,
      placement: { region },
    });
    const objects = [of("a", "x", 2, "US_IOWA_1"), of("b", "y", 10, "EU_FRANKFURT_1"), of("c", "x", 1, "AP_TOKYO_1")];
    const ordered = (order: string) => namesOf(ask(objects, { [name]: order })).join(" ");
    expect(ordered("display_name desc, min_replica_count")).toBe("n/b n/c n/a");
    expect(ordered("displayName asc,minReplicaCount desc")).toBe("n/a n/c n/b");
    expect(ordered("placement.region")).toBe("n/c n/b n/a");
    expect(ordered("name desc")).toBe("n/c n/b n/a");
    expect(ordered("min_replica_count")).toBe("n/c n/a n/b");
  },
);

test("a list without an order parameter ignores one", () => {
  const objects = [
    { name: "accounts/a", displayName: "z" },
    { name: "accounts/b", displayName: "y" },
  ];
  const answer = ask(
    objects,
    { orderBy: "display_name" },
    { spec: Account, parameters: ["pageSize", "pageToken", "filter", "readMask"] },
  );
  expect(namesOf(answer, "accounts")).toEqual(["accounts/a", "accounts/b"]);
});

test.each([
  ["nonsense", "400 3 invalid order_by: unknown field `nonsense` at character 1"],
  ["name, placement.zone", "400 3 invalid order_by: unknown field `zone` at character 17"],
  ["name down", "400 3 invalid order_by: `down` after `name`; a field is followed by nothing, `asc` or `desc`"],
  ["annotations", "400 3 invalid order_by: `annotations` at character 1 cannot be sorted by"],
  ["direct_route_api_keys", "400 3 invalid order_by: `direct_route_api_keys` at character 1 cannot be sorted by"],
])("an order that cannot be is refused: %s", (orderBy, message) => {
  expect(refusal(() => ask([], { orderBy }))).toBe(message);
});

test("the total counts what the filter lets through", () => {
  const answer = ask(numbered(300), { filter: "name:deployments/d0010", pageSize: "3" });
  expect(namesOf(answer)).toHaveLength(3);
  expect(answer["totalSize"]).toBe(10);
});

test("pages continue where they were when objects come and go in between", () => {
  const objects = numbered(6).map((fields) => ({ name: fields["name"] }));
  const first = ask(objects, { pageSize: "3", orderBy: "name" });
  const later = [
    { name: "accounts/demo/deployments/c-before" },
    ...objects.filter((_, index) => index !== 2 && index !== 3),
  ];
  const second = ask(later, { pageSize: "3", orderBy: "name", pageToken: String(first["nextPageToken"]) });
  expect(namesOf(second)).toEqual([objects[4]!.name, objects[5]!.name]);
});

describe("a page token", () => {
  const objects = numbered(120);
  const query = { pageSize: "50", filter: "name:d0", orderBy: "name", readMask: "name" };
  const token = String(ask(objects, query)["nextPageToken"]);
  const wrong = /^400 3 invalid page_token: it was not given to this caller for this list with the same parameters/;

  test("leads to the next page with the same parameters, in either spelling of the order", () => {
    expect(namesOf(ask(objects, { ...query, pageToken: token }))[0]).toBe(objects[50]!["name"]);
    const { orderBy, ...rest } = query;
    expect(namesOf(ask(objects, { ...rest, order_by: orderBy, pageToken: token }))[0]).toBe(objects[50]!["name"]);
  });

  test.each([
    ["page size", { pageSize: "51" }],
    ["filter", { filter: "name:d00" }],
    ["order", { orderBy: "name desc" }],
    ["mask", { readMask: "state" }],
    ["tombstones", { showDeleted: "true" }],
  ])("is refused with another %s", (_, change) => {
    expect(refusal(() => ask(objects, { ...query, ...change, pageToken: token }))).toMatch(wrong);
  });

  test("is refused for another caller or list", () => {
    expect(
      refusal(() => ask(objects, { ...query, pageToken: token }, { scope: "/v1/accounts/demo/deployments other-key" })),
    ).toMatch(wrong);
  });

  test("is accepted whatever unknown parameters stand beside it", () => {
    expect(refusal(() => ask(objects, { ...query, "x-trace": "1", pageToken: token }))).toBe("accepted");
  });

  test("is refused once a character of it is changed", () => {
    const at = fc.nat({ max: token.length - 1 });
    fc.assert(
      fc.property(at, fc.constantFrom(..."AZaz09-_.%="), (place, letter) => {
        const changed = token.slice(0, place) + letter + token.slice(place + 1);
        return changed === token || wrong.test(refusal(() => ask(objects, { ...query, pageToken: changed })));
      }),
    );
    for (const made of ["x", ".", "a.b", `${token}=`, `${token}.x`])
      expect(refusal(() => ask(objects, { ...query, pageToken: made }))).toMatch(wrong);
  });
});

test("the pages of a list of any size and order are all its objects once, in order", () => {
  const object = fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    displayName: fc.constantFrom(undefined, "a", "b"),
    minReplicaCount: fc.constantFrom(undefined, 0, 2, 10),
    enableAddons: fc.boolean(),
  });
  const sorts: Record<string, (fields: Fields) => (string | number)[]> = {
    name: () => [],
    display_name: (fields) => [String(fields["displayName"] ?? "")],
    "enable_addons, min_replica_count": (fields) => [
      Number(fields["enableAddons"]),
      Number(fields["minReplicaCount"] ?? 0),
    ],
  };
  fc.assert(
    fc.property(
      fc.uniqueArray(object, { selector: ({ id }) => id, maxLength: 40 }),
      fc.constantFrom(...Object.keys(sorts)),
      fc.integer({ min: 1, max: 9 }),
      (drawn, orderBy, size) => {
        const objects: Fields[] = drawn
          .map(({ id, ...fields }): Fields => ({ name: id, ...fields }))
          .sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1));
        const pages = follow(objects, { orderBy, pageSize: String(size) });
        const keyed = objects.map((fields) => ({ name: String(fields["name"]), key: sorts[orderBy]!(fields) }));
        keyed.sort((a, b) => {
          const place = a.key.findIndex((value, index) => value !== b.key[index]);
          return place < 0 ? (a.name < b.name ? -1 : 1) : a.key[place]! < b.key[place]! ? -1 : 1;
        });
        expect(pages.flatMap((answer) => namesOf(answer))).toEqual(keyed.map(({ name }) => name));
        expect(pages).toHaveLength(Math.max(1, Math.ceil(objects.length / size)));
      },
    ),
  );
});

test("objects beyond the page are neither rendered nor masked", () => {
  let rendered = 0;
  const render = (fields: Fields): Fields => {
    rendered++;
    return { ...fields, state: "READY" };
  };
  const answer = ask(numbered(10_000), { pageSize: "20", readMask: "name,state" }, { render });
  expect(rendered).toBe(20);
  expect((answer["deployments"] as Fields[])[0]).toEqual({ name: "accounts/demo/deployments/d00000", state: "READY" });
});

describe("a read mask", () => {
  const fields: Fields = {
    name: "n",
    displayName: "d",
    annotations: { "custom/team": "web", other: "x" },
    autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "60s" },
  };

  test.each([
    ["absent", undefined, fields],
    ["empty", "", fields],
    ["a star", "*", fields],
    ["a star among others", "name,*", fields],
    ["top-level fields", "name, display_name", { name: "n", displayName: "d" }],
    ["a field in camelCase", "displayName", { displayName: "d" }],
    ["a member in camelCase", "autoscalingPolicy.scaleUpWindow", { autoscalingPolicy: { scaleUpWindow: "30s" } }],
    ["a field that is unset", "description", {}],
    ["a member of a message", "autoscaling_policy.scale_up_window", { autoscalingPolicy: { scaleUpWindow: "30s" } }],
    [
      "a message and its member",
      "autoscaling_policy.scale_up_window,autoscaling_policy",
      { autoscalingPolicy: { scaleUpWindow: "30s", scaleDownWindow: "60s" } },
    ],
    ["a key of a map", "annotations.custom/team", { annotations: { "custom/team": "web" } }],
  ])("%s keeps what it names", (_, mask, kept) => {
    expect(applyReadMask(Deployment, fields, mask)).toEqual(kept);
  });

  test("goes into the elements of lists", () => {
    const policy = { name: "p", rules: [{ model: "a", permissions: { allowTraining: true } }] };
    expect(applyReadMask(specs.PolicySettings as unknown as ResourceSpec, policy, "rules.model")).toEqual({
      rules: [{ model: "a" }],
    });
  });

  test.each([
    ["nonsense", "400 3 invalid read_mask: unknown field `nonsense` at character 1"],
    [
      "name,displayNam",
      "400 3 invalid read_mask: unknown field `displayNam` at character 6; did you mean `display_name`?",
    ],
    ["name.first", "400 3 invalid read_mask: unknown field `first` at character 6"],
  ])("with a name that is no field is refused: %s", (mask, message) => {
    expect(refusal(() => applyReadMask(Deployment, fields, mask))).toBe(message);
  });
});
