// Nightly: it needs the source of the Pulumi CLI, whose folder `PULUMI_SOURCE` names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectKeys, stackKeys } from "../../engine/state/file-keys";
import { imitatedVersion } from "../../engine/state/imitated-version";

const source = process.env["PULUMI_SOURCE"];
const reason = source === undefined ? " (skipped: PULUMI_SOURCE names no source of the Pulumi CLI)" : "";

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  $ref?: string;
}

const read = (path: string): string => readFileSync(join(source!, "sdk", path), "utf8");

/** The paths of all keys that a schema names, as the table writes them. */
function keysOf(
  schema: Schema,
  root: Schema & { $defs?: Record<string, Schema> },
  path: string,
  seen: string[],
): string[] {
  const { $ref: reference, properties = {}, additionalProperties, items, oneOf = [] } = schema;
  if (reference !== undefined) {
    const name = reference.split("/").at(-1)!;
    return seen.includes(name) ? [] : keysOf(root.$defs![name]!, root, path, [...seen, name]);
  }
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const below = (name: string, part: Schema): string[] => [name, ...keysOf(part, root, name, seen)];
  return [
    ...Object.entries(properties).flatMap(([name, part]) => below(at(name), part)),
    ...(typeof additionalProperties === "object" ? below(at("*"), additionalProperties) : []),
    ...(items === undefined ? [] : below(`${path}[]`, items)),
    ...oneOf.flatMap((part) => keysOf(part, root, path, seen)),
  ];
}

/** The keys of a Go structure, as its tags have them. */
function fieldsOf(name: string): string[] {
  const [, body = ""] = new RegExp(`^type ${name} struct \\{\\n([\\s\\S]*?)^\\}`, "m").exec(
    read("go/common/workspace/project.go"),
  )!;
  return [...body.matchAll(/yaml:"([^,"]+)/g)].map(([, key]) => key!);
}

/** Whether the table judges the key: by a row of its own, or as part of one below which nothing is looked at. */
const isCovered = (key: string): boolean => {
  const [parent] = Object.keys(projectKeys)
    .filter((row) => key === row || key.startsWith(`${row}.`) || key.startsWith(`${row}[]`))
    .sort((a, b) => b.length - a.length);
  if (parent === undefined || parent === key) return parent === key;
  return !Object.keys(projectKeys).some((row) => row.startsWith(`${parent}.`) || row.startsWith(`${parent}[]`));
};

(source === undefined ? describe.skip : describe)(`the tables of keys have what the Pulumi CLI reads${reason}`, () => {
  const schema = () => JSON.parse(read("go/common/workspace/project.json")) as Schema;

  test("in the schema of Pulumi.yaml", () => {
    const keys = [...new Set(keysOf(schema(), schema(), "", []))];
    expect(keys.length).toBeGreaterThan(40);
    // The schema names `secret` beside the config's own keys, where the CLI takes it for one of them.
    expect(keys.filter((key) => !isCovered(key) && key !== "config.secret")).toEqual([]);
  });

  test("in the structure of Pulumi.yaml, and no other keys at its top", () => {
    const top = Object.keys(projectKeys).filter((key) => /^\w+$/.test(key));
    expect(top.sort()).toEqual(fieldsOf("Project").sort());
  });

  test("in the structure of Pulumi.<stack>.yaml", () => {
    expect(Object.keys(stackKeys).sort()).toEqual(fieldsOf("ProjectStack").sort());
  });

  test("in the options of Node.js programs", () => {
    const main = read("nodejs/cmd/pulumi-language-nodejs/main.go");
    const options = [...main.matchAll(/:= options\["(\w+)"\]/g)].map(([, name]) => name!);
    const ours = Object.keys(projectKeys).flatMap((key) => /^runtime\.options\.(\w+)$/.exec(key)?.[1] ?? []);
    expect(ours.sort()).toEqual([...new Set(options)].sort());
  });

  test("in the version that the engine imitates", () => {
    expect(read(".version").trim()).toBe(imitatedVersion);
  });
});
