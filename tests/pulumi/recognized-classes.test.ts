import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Policies,
  remediateResourceOfType,
  validateRemediateResourceOfType,
  validateResourceOfType,
  validateStackResourcesOfType,
} from "@pulumi/policy";
import { dynamicPackage, dynamicToken, packageName, pluginToken } from "../../provider/core/pulumi-names";
import * as dynamic from "../../provider/index";
import * as plugin from "../../provider/plugin-classes";
import { managedSpecs } from "../../provider/resources/index";
import { root } from "../rooms";
import { answersOf, expectedOf, type ToolClass } from "./support/class-members";
import { matching } from "./support/policy-server";
import { runAsProgram } from "./support/program";

const classOf = (entry: object, name: string): ToolClass => (entry as Record<string, ToolClass>)[name]!;
const classes = managedSpecs.flatMap(({ kind, example }) => [
  { entry: "dynamic", name: kind, type: dynamicToken(kind), resource: classOf(dynamic, kind), example },
  { entry: "plugin", name: kind, type: pluginToken(kind), resource: classOf(plugin, kind), example },
]);
const providers = [
  { entry: "dynamic", name: "Provider", type: `pulumi:providers:${dynamicPackage}`, from: dynamic, example: {} },
  { entry: "plugin", name: "Provider", type: `pulumi:providers:${packageName}`, from: plugin, example: {} },
].map(({ from, ...each }) => ({ ...each, resource: classOf(from, "Provider") }));
const all = [...classes, ...providers];

/** A resource of each class, by type. */
const made = new Map<string, InstanceType<ToolClass>>();

beforeAll(async () => {
  await runAsProgram();
  for (const { type, resource, example } of all) made.set(type, new resource("one", example as never));
});

test.each(all)("the $entry class $name answers what that of a generated SDK does", ({ name, type, resource }) => {
  const answers = answersOf({ class: resource, resource: made.get(type)!, type });
  expect(answers).toEqual(expectedOf(name === "Provider"));
});

test.each(all)("the $entry class $name recognizes no other's type and resource", ({ type, resource }) => {
  const others = all.filter((each) => each.type !== type);
  expect(others).toHaveLength(all.length - 1);
  const values = others.flatMap((each) => [{ __pulumiType: each.type }, made.get(each.type)]);
  expect(values.filter(resource.isInstance)).toEqual([]);
});

describe.each(classes)("a policy pack that names the $entry class $name", ({ type, resource }) => {
  const typed = resource as unknown as typeof dynamic.User;
  const described = { description: "Sees.", enforcementLevel: "remediate" } as const;
  const admin = { role: "admin" };
  const pack: Policies = [
    { ...described, name: "validate", validateResource: validateResourceOfType(typed, (_, __, report) => report("!")) },
    { ...described, name: "remediate", remediateResource: remediateResourceOfType(typed, () => ({ role: "user" })) },
    {
      ...{ ...described, name: "both" },
      ...validateRemediateResourceOfType(typed, (_, __, report) => {
        report("!");
        return { role: "user" };
      }),
    },
    {
      ...described,
      name: "isType",
      validateResource: (args, report) => (args.isType(typed) ? report("!") : undefined),
    },
    {
      ...{ ...described, name: "asType" },
      validateResource: (args, report) => ((args.asType(typed)?.role as unknown) === "admin" ? report("!") : undefined),
    },
    {
      ...{ ...described, name: "stack" },
      validateStack: validateStackResourcesOfType(typed, (found, _, report) => report(`${found.length}`)),
    },
  ];

  test("matches its resources with each typed function, and no others", async () => {
    const validations = ["validate", "both", "isType", "asType"];
    const remediations = ["remediate, to remediate", "both, to remediate"];
    expect(await matching(pack, [type], admin)).toEqual([...validations, ...remediations, "stack"]);
    const others = all.map((each) => each.type).filter((each) => each !== type);
    expect(await matching(pack, others, admin)).toEqual([]);
  });
});

test("another copy of the package is recognized, and a question loads nothing", () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "copies-"));
  try {
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(folder, "package.json"));
    const env = { ...process.env, NODE_PATH: join(root, "node_modules"), COPY: folder, OWN: root };
    const script = join(__dirname, "support", "two-copies.cjs");
    const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", env, cwd: root });
    expect(stderr).toBe("");
    const names = [...managedSpecs.map(({ kind }) => kind), "Provider"];
    const answers = { isSameClass: false, byType: [true, true], byResource: [true, true], isOther: false };
    expect(JSON.parse(stdout)).toEqual({
      classes: ["index", "plugin-classes"].flatMap((entry) => names.map((name) => ({ entry, name, ...answers }))),
      loaded: [],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
