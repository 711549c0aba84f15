import { laneOf, type Registry } from "../../measure/sdk/lane";

/** Versions of packages in ranges, as `npm` names them. */
const known: Readonly<Record<string, string[]>> = {
  "@pulumi/pulumi 3.216.0": ["3.216.0"],
  "@pulumi/pulumi latest": ["3.270.0"],
  "@pulumi/pulumi ^3.216.0": ["3.216.0", "3.270.0", "3.99.1"],
  "node >=20.19 >=20": ["22.1.0", "20.20.2", "20.19.0"],
  "node >=20.19 >=22": ["24.0.0", "22.9.0", "22.10.0"],
  "node >=20.19 >=22 24": ["24.0.0"],
  "node 24": ["24.0.0"],
  "node 20": ["20.20.2"],
};

const registry: Registry = {
  versions: (name, range) => known[`${name} ${range}`] ?? [],
  needs: (_, version) => (version === "3.216.0" ? ">=20" : ">=22"),
};

test.each([
  ["3.216.0", undefined, { sdk: "3.216.0", node: "20.20.2" }],
  ["latest", undefined, { sdk: "3.270.0", node: "22.10.0" }],
  ["^3.216.0", "24", { sdk: "3.270.0", node: "24.0.0" }],
])("the lane of SDK %s on Node.js %s is of versions that go together", (sdk, node, lane) => {
  expect(laneOf({ sdk, node }, ">=20.19", registry)).toEqual(lane);
});

test.each([
  ["9.9.9", undefined, "@pulumi/pulumi 9.9.9 does not exist. `npm view @pulumi/pulumi versions` lists those that do."],
  ["three?", undefined, "`three?` is neither a version, nor a range, nor a tag."],
  ["latest", "", "`` is neither a version, nor a range, nor a tag."],
  ["latest", "99", "Node.js 99 does not exist. `npm view node versions` lists those that do."],
  [
    "latest",
    "20",
    "@pulumi/pulumi 3.270.0 and this package need Node.js >=20.19 >=22, not 20. Leave out --node to run on the least.",
  ],
])("the lane of SDK %s on Node.js %s is refused with what to do", (sdk, node, message) => {
  expect(() => laneOf({ sdk, node }, ">=20.19", registry)).toThrow(message);
});
