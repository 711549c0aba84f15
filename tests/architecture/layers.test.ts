import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { imports as everyImport, isLocal, resolved } from "../imports";
import { root } from "../rooms";
import { files, layerOf, layerOfPath, mayImport } from "./sources";

/** Packages that only these layers may use. */
const onlyIn: Readonly<Record<string, readonly string[]>> = {
  undici: ["provider/api"],
  zod: ["provider/core"],
  "@pulumi/pulumi": ["provider/pulumi", "provider/plugin", "protocol", "engine", "provider/sdk"],
  "@grpc/grpc-js": ["provider/pulumi", "provider/plugin", "protocol", "engine"],
  "google-protobuf": ["provider/plugin", "protocol", "engine"],
  commander: ["cli"],
  typescript: ["drift/accept", "tools"],
  diff: ["drift/accept", "drift"],
};

/** `core` does no input or output, so it needs nothing that could. */
const pureCore = ["zod", "node:util", "fastest-levenshtein"];

const imports = everyImport.map((entry) => ({ ...entry, from: layerOf(entry.file) }));
const local = imports.filter(isLocal);
const packageOf = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");

test("every source is of a layer that this test knows", () => {
  expect(files.filter((file) => layerOf(file) === "")).toEqual([]);
});

test("a layer imports only the layers below it", () => {
  const wrong = local.filter((entry) => {
    const target = layerOfPath(resolved(entry));
    return target !== entry.from && !mayImport[entry.from]?.includes(target);
  });
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("nothing imports the index of its own layer", () => {
  const wrong = local.filter((entry) => resolved(entry) === `${entry.from}/index`);
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("packages appear only in the layers that own them", () => {
  const wrong = imports.filter(
    ({ from, target }) =>
      !target.startsWith(".") && onlyIn[packageOf(target)] && !onlyIn[packageOf(target)]!.includes(from),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("the plugin loads no more of Pulumi's SDK than the messages of its protocol", () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const entry of local) if (entry.file === `${file}.ts`) visit(resolved(entry));
  };
  visit("provider/plugin/server");
  const loaded = imports.filter(
    ({ file, target }) => reached.has(file.replace(/\.ts$/, "")) && packageOf(target) === "@pulumi/pulumi",
  );
  expect(loaded.filter(({ target }) => !target.startsWith("@pulumi/pulumi/proto/"))).toEqual([]);
  expect(loaded).not.toEqual([]);
});

test("core is pure", () => {
  const wrong = imports.filter(
    ({ from, target }) => from === "provider/core" && !target.startsWith(".") && !pureCore.includes(target),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

/** The loops that arrows run in, each written out: `a -> b -> a`. */
function cyclesAmong(arrows: readonly { from: string; to: string }[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of arrows) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) return void cycles.push([...path.slice(path.indexOf(node)), node].join(" -> "));
    if (done.has(node)) return;
    for (const next of targets.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return cycles;
}

const arrows = local.map((entry) => ({ from: entry.file.replace(/\.ts$/, ""), to: resolved(entry) }));

test("there is no cycle of imports", () => {
  expect(cyclesAmong(arrows)).toEqual([]);
});

test("there is no cycle of imports between the rooms of a layer", () => {
  /** A folder of a layer is one room with everything in it; a file beside the folders is a room of its own. */
  const roomOf = (path: string): string => {
    const layer = layerOfPath(path);
    return path
      .split("/")
      .slice(0, layer.split("/").length + 1)
      .join("/");
  };
  const between = arrows
    .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
    .filter(({ from, to }) => from !== to);
  expect(cyclesAmong(between)).toEqual([]);
});

/** The calls that lead from the life cycle's create to the request, as `docs/architecture.md` names them. */
const wayOfCreate = [
  ["provider/lifecycle/lifecycle.ts", "create", "createObject"],
  ["provider/lifecycle/creation/create.ts", "createObject", "findPlace"],
  ["provider/lifecycle/creation/place.ts", "createAt", "send"],
  ["provider/lifecycle/creation/send.ts", "send", "objects.create"],
  ["provider/lifecycle/service-objects.ts", "create", "client.call"],
  ["provider/api/client.ts", "call", "send"],
  ["provider/api/client.ts", "send", "new RequestRun(context, call, key).execute"],
] as const;

test.each(wayOfCreate)("a create leads straight to its request: in %s, %s calls %s", (file, name, next) => {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const calls: string[] = [];
  const visit = (node: ts.Node, within: boolean): void => {
    const inside = within || ("name" in node && (node.name as ts.Node | undefined)?.getText(source) === name);
    if (inside && ts.isCallExpression(node)) calls.push(node.expression.getText(source));
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, false);
  expect(calls).toContain(next);
});
