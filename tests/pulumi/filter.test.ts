import fc from "fast-check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { createDialect } from "../../provider/core/dialect/dialect";
import { answeredFields } from "../../provider/core/filters/answered-fields";
import { compileFilter } from "../../provider/core/filters/filter";
import { type Condition, filterFor } from "../../provider/index";
import { allSpecs, type Kind, specs } from "../../provider/resources/index";
import { elvish } from "../core/dialects";

const since = new Date("2026-01-01T00:00:00Z");

const written: readonly [what: string, filter: string, expected: string][] = [
  ["a value of an enum", filterFor("Deployment", ({ state }) => state.is("READY")), 'state="READY"'],
  [
    "names in snake case",
    filterFor("Deployment", ({ maxReplicaCount }) => maxReplicaCount.atLeast(2)),
    "max_replica_count>=2",
  ],
  [
    "a time",
    filterFor("Deployment", ({ createTime }) => createTime.above(since)),
    'create_time>"2026-01-01T00:00:00.000Z"',
  ],
  [
    "true and false",
    filterFor("DeploymentShapeVersion", ({ latestValidated }) => latestValidated.is(true)),
    "latest_validated=true",
  ],
  [
    "a member of a message",
    filterFor("DeploymentShapeVersion", ({ snapshot }) => snapshot.baseModel.is("accounts/platform/models/open-8b")),
    'snapshot.base_model="accounts/platform/models/open-8b"',
  ],
  [
    "a duration in seconds",
    filterFor("Deployment", ({ autoscalingPolicy }) => autoscalingPolicy.scaleUpWindow.above("5m")),
    'autoscaling_policy.scale_up_window>"300s"',
  ],
  [
    "a key of a map",
    filterFor("Deployment", ({ annotations }) => annotations.has("custom/team")),
    'annotations:"custom/team"',
  ],
  [
    "a value in a map",
    filterFor("Deployment", ({ annotations }) => annotations.key('a.b"c').isNot("d")),
    'annotations."a.b\\"c"!="d"',
  ],
  [
    "an element of a list",
    filterFor("Deployment", ({ placement }) => placement.regions.has("US_IOWA_1")),
    'placement.regions:"US_IOWA_1"',
  ],
  ["a message that is there", filterFor("Deployment", ({ placement }) => placement.isSet()), "placement:*"],
  ["a part of a text", filterFor("User", ({ displayName }) => displayName.contains('"x"')), 'display_name:"\\"x\\""'],
  ["the beginning of a text", filterFor("User", ({ email }) => email.startsWith("a*")), 'email="a\\**"'],
  [
    "all of several",
    filterFor("User", ({ role, state }, { all }) => all(role.is("admin"), state.is("READY"))),
    'role="admin" AND state="READY"',
  ],
  [
    "any within all",
    filterFor("User", ({ role, state }, { all, any }) =>
      all(any(role.is("admin"), role.is("user")), state.is("READY")),
    ),
    '(role="admin" OR role="user") AND state="READY"',
  ],
  [
    "not",
    filterFor("User", ({ role }, { any, not }) => not(any(role.is("admin"), role.is("user")))),
    'NOT (role="admin" OR role="user")',
  ],
  ["not of not", filterFor("User", ({ role }, { not }) => not(not(role.is("admin")))), 'NOT (NOT role="admin")'],
  [
    "what a program leaves out",
    filterFor("User", ({ role }, { all }) => all(undefined, false, role.is("admin"), all())),
    'role="admin"',
  ],
  ["nothing at all", filterFor("User", (_, { all }) => all()), ""],
];

/** A filter as a program without types may build it. */
const untyped = (
  kind: string,
  build: (fields: Record<string, { is(value: unknown): Condition; has(value: unknown): Condition }>) => Condition,
) => filterFor(kind as "User", build as never);

test.each(written)("a filter says %s", (_, filter, expected) => {
  expect(filter).toBe(expected);
});

test.each([
  [
    "a secret",
    () => untyped("Deployment", ({ directRouteApiKeys }) => directRouteApiKeys!.has("x")),
    /`direct_route_api_keys` is secret/,
  ],
  [
    "a value that is never answered",
    () => untyped("Secret", ({ value }) => value!.is("x")),
    /`value` is not a field of the service/,
  ],
  [
    "an option of this package",
    () => untyped("Deployment", ({ waitFor }) => waitFor!.is("ready")),
    /`waitFor` is not a field of the service/,
  ],
  [
    "what this package records",
    () => untyped("SupervisedFineTuningJob", ({ retired }) => retired!.is(true)),
    /`retired` is not a field of the service/,
  ],
  [
    "no number",
    () => filterFor("Deployment", ({ maxReplicaCount }) => maxReplicaCount.is(Number.NaN)),
    /compared with NaN/,
  ],
  [
    "no time",
    () => filterFor("Deployment", ({ createTime }) => createTime.above(new Date("never"))),
    /an invalid time/,
  ],
  ["half a character", () => filterFor("User", ({ displayName }) => displayName.is("\ud800")), /half a character/],
  ["any of nothing", () => filterFor("User", (_, { any }) => any()), /`any` has no condition/],
])("a filter with %s is refused before it is sent", (_, build, says) => {
  expect(build).toThrow(says);
});

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "*", '" OR name:*', '\\"', "a*b", "'", "NOT", "\n", "(", "state"),
);
const holds = (kind: Kind, filter: string, object: Record<string, unknown>): boolean =>
  compileFilter(filter, answeredFields(specs[kind] as unknown as ResourceSpec))?.(object) ?? true;

test("a text is compared to the letter, whatever is in it, through a dialect, too", () => {
  const { theirs, ours } = createDialect(elvish, allSpecs);
  const of = { spec: specs.User as unknown as ResourceSpec, verb: "list" };
  const there = (filter: string): string => ours.parameter(of, "filter", theirs.parameter(of, "filter", filter)[1])[1];
  fc.assert(
    fc.property(text, text, (wanted, found) => {
      const user = { displayName: found };
      for (const way of [(filter: string) => filter, there]) {
        expect(holds("User", way(filterFor("User", ({ displayName }) => displayName.is(wanted))), user)).toBe(
          wanted === found,
        );
        expect(
          holds("User", way(filterFor("User", ({ displayName }, { not }) => not(displayName.is(wanted)))), user),
        ).toBe(wanted !== found);
      }
      expect(
        holds(
          "User",
          filterFor("User", ({ displayName }) => displayName.startsWith(wanted)),
          user,
        ),
      ).toBe(found.startsWith(wanted));
      expect(
        holds(
          "User",
          filterFor("User", ({ displayName }) => displayName.contains(wanted)),
          { displayName: `x${wanted}y` },
        ),
      ).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("keys and values of maps are found whatever is in them", () => {
  fc.assert(
    fc.property(
      text.filter((key) => key !== "__proto__"),
      text,
      text,
      (key, value, other) => {
        const deployment = { annotations: { [key]: value } };
        expect(
          holds(
            "Deployment",
            filterFor("Deployment", ({ annotations }) => annotations.has(key)),
            deployment,
          ),
        ).toBe(true);
        expect(
          holds(
            "Deployment",
            filterFor("Deployment", ({ annotations }) => annotations.key(key).is(other)),
            deployment,
          ),
        ).toBe(value === other);
      },
    ),
    { numRuns: 200 },
  );
});

test("logic means what it says, however deep", () => {
  const sample = fc.record({
    role: fc.constantFrom("admin", "user"),
    serviceAccount: fc.boolean(),
    displayName: fc.constantFrom("a", "b"),
  });
  type Tree = { is: "role" | "name" | "flag" } | { not: Tree } | { all: Tree[] } | { any: Tree[] };
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Tree>({ is: "role" }, { is: "name" }, { is: "flag" }),
      fc.record({ not: tie("tree") }),
      fc.record({ all: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }) }),
    ),
  }));
  const truth = (node: Tree, user: { role: string; serviceAccount: boolean; displayName: string }): boolean => {
    if ("not" in node) return !truth(node.not, user);
    if ("all" in node) return node.all.every((part) => truth(part, user));
    if ("any" in node) return node.any.some((part) => truth(part, user));
    return { role: user.role === "admin", name: user.displayName === "a", flag: user.serviceAccount }[node.is];
  };
  fc.assert(
    fc.property(tree, sample, (node, user) => {
      const filter = filterFor("User", ({ role, displayName, serviceAccount }, { all, any, not }) => {
        const build = (part: Tree): NonNullable<ReturnType<typeof all>> => {
          if ("not" in part) return not(build(part.not));
          if ("all" in part) return all(...part.all.map(build))!;
          if ("any" in part) return any(...part.any.map(build));
          return { role: role.is("admin"), name: displayName.is("a"), flag: serviceAccount.is(true) }[part.is];
        };
        return build(node);
      });
      expect(holds("User", filter, user)).toBe(truth(node, user));
    }),
    { numRuns: 200 },
  );
});

test.each(
  allSpecs
    .filter((spec) => spec.operations["list"]?.route.includes("filter="))
    .map((spec) => [spec.kind, spec] as const),
)("every field of %s can be asked about, as the service understands it", (kind, spec) => {
  const asked = filterFor(kind as "User", (object, { all }) => {
    const parts = answeredFields(spec)
      .flatMap(({ name, markers, type }) => (markers.secret && type !== "object" ? [] : [name]))
      .filter((name) => !["outputModelName", "retired"].includes(name));
    return all(...parts.map((name) => (object as unknown as Record<string, { isSet(): never }>)[name]!.isSet()));
  });
  expect(() => compileFilter(asked, answeredFields(spec))).not.toThrow();
});
