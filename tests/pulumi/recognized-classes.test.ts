import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ReportViolation,
  remediateResourceOfType,
  validateResourceOfType,
  validateStackResourcesOfType,
} from "@pulumi/policy";
import type * as pulumi from "@pulumi/pulumi";
import { dynamicToken, pluginToken } from "../../provider/core/pulumi-names";
import * as dynamic from "../../provider/index";
import * as plugin from "../../provider/plugin-classes";
import { managedSpecs } from "../../provider/resources/index";
import { root } from "../rooms";

/** What tools read of a class, and what a generated SDK's class answers. */
interface ResourceClass {
  __pulumiType: string;
  isInstance(value: unknown): boolean;
  new (...args: never[]): pulumi.Resource;
}

const kinds = managedSpecs.map(({ kind }) => kind);
const classOf = (entry: object, kind: string): ResourceClass => (entry as Record<string, ResourceClass>)[kind]!;
const classes = kinds.flatMap((kind) => [
  ["dynamic", kind, dynamicToken(kind), classOf(dynamic, kind)] as const,
  ["plugin", kind, pluginToken(kind), classOf(plugin, kind)] as const,
]);

/** Which resource a policy is about: the engine sends types, never objects of a class. */
const policyArguments = (type: string): Record<string, unknown> => {
  const isType = (resource: ResourceClass): boolean => resource.isInstance({ __pulumiType: type }) === true;
  const asType = (resource: ResourceClass): object | undefined => (isType(resource) ? {} : undefined);
  return { type, props: { role: "admin" }, isType, asType, urn: `urn:pulumi:dev::shop::${type}::it`, name: "it" };
};

describe.each(classes)("the %s class of %s", (_, kind, type, resource) => {
  const others = classes.filter((each) => each[1] !== kind).map((each) => each[3]);

  test("has its type as a static member, and recognizes a type alone", () => {
    expect(resource.__pulumiType).toBe(type);
    expect(resource.isInstance({ __pulumiType: type })).toBe(true);
    expect(others.filter((other) => other.isInstance({ __pulumiType: type }))).toEqual([]);
  });

  test.each([undefined, null, 5, "x", {}, { __pulumiType: undefined }, { __pulumiType: "other:index:Thing" }])(
    "is not recognized in %j",
    (value) => {
      expect(resource.isInstance(value)).toBe(false);
    },
  );

  test("is matched by the typed functions of policy packs", async () => {
    const violations: string[] = [];
    const report: ReportViolation = (message) => void violations.push(message);
    const typed = resource as unknown as typeof dynamic.User;
    const args = policyArguments(type);
    await validateResourceOfType(typed, (_props, _args, found) => found("validated"))(args as never, report);
    await remediateResourceOfType(typed, () => void violations.push("remediated"))(args as never);
    const stack = { resources: [{ ...args, opts: {}, dependencies: [], propertyDependencies: {} }] };
    await validateStackResourcesOfType(typed, (found, _args, each) => each(`stack of ${found.length}`))(
      stack as never,
      report,
    );
    expect(violations).toEqual(["validated", "remediated", "stack of 1"]);
  });
});

test.each([
  ["dynamic", dynamic.Provider, "pulumi-nodejs"],
  ["plugin", plugin.Provider, "modelplatform"],
])("the %s class of providers is recognized by its package", (_, provider, pkg) => {
  const resource = provider as unknown as ResourceClass;
  expect(resource.__pulumiType).toBe(pkg);
  expect(resource.isInstance({ __pulumiType: `pulumi:providers:${pkg}` })).toBe(true);
  expect(resource.isInstance({ __pulumiType: "pulumi:providers:other" })).toBe(false);
});

test("another copy of the package recognizes a resource, and asks no more of the SDK", () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "copies-"));
  try {
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(folder, "package.json"));
    const script = `
      const Module = require("node:module");
      const copy = require(${JSON.stringify(join(folder, "dist", "provider", "index.js"))});
      const own = require(${JSON.stringify(join(root, "dist", "provider", "index.js"))});
      const before = Object.keys(require.cache).length;
      const same = [copy.User.isInstance({ __pulumiType: own.User.__pulumiType }), copy.User === own.User];
      console.log(JSON.stringify([...same, Object.keys(require.cache).length - before]));`;
    const env = { ...process.env, NODE_PATH: join(root, "node_modules") };
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", env, cwd: root });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([true, false, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
