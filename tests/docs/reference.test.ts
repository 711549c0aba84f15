import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inputFields, observedFields, outputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { functions } from "../../provider/resources/functions";
import { managedSpecs, specs } from "../../provider/resources/index";

const root = join(__dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const fileOf = (kind: string): string => kind.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

const functionPages = readdirSync(join(root, "docs/functions")).map((file) => `docs/functions/${file}`);
const pages = new Map(managedSpecs.map(({ kind }) => [kind, read(`docs/resources/${fileOf(kind)}.md`)]));

/** The part of a page below a heading, up to the next one of its level. */
function below(text: string, heading: string): string {
  const level = heading.slice(0, heading.indexOf(" "));
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`there is no heading \`${heading}\``);
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Rows of the tables in a text, as cells. */
const rowsOf = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "));

const namesIn = (text: string): string[] => rowsOf(text).map(([name]) => name!.match(/`(\w+)`/)![1]!);

test("there is a page for each kind that programs declare, and no other", () => {
  expect(readdirSync(join(root, "docs/resources")).sort()).toEqual(
    managedSpecs.map(({ kind }) => `${fileOf(kind)}.md`).sort(),
  );
});

test.each(managedSpecs.map((spec) => [spec.kind, spec] as const))(
  "the page of %s has every section, input and output",
  (kind, spec) => {
    const text = pages.get(kind)!;
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "Example",
      "Inputs",
      "Outputs",
      "Types",
      "States and waits",
      "Adopting an existing object",
      "Deletion",
      "Limits",
    ]);
    expect(namesIn(below(text, "## Inputs")).sort()).toEqual(
      inputFields(spec)
        .map(({ name }) => name)
        .sort(),
    );
    const shown = [...namesIn(below(text, "## Inputs")), ...namesIn(below(text, "## Outputs"))];
    expect(outputFields(spec).filter(({ name }) => !shown.includes(name))).toEqual([]);
  },
);

test("a page says what a change of an input does", () => {
  const changes = (kind: string): Map<string, string> =>
    new Map(rowsOf(below(pages.get(kind)!, "## Inputs")).map((row) => [row[0]!.match(/`(\w+)`/)![1]!, row.at(-1)!]));
  const deployment = changes("Deployment");
  expect(
    ["baseModel", "placement", "maxReplicaCount", "waitFor", "disableAutoDeploy", "skipShapeValidation"].map((name) =>
      deployment.get(name),
    ),
  ).toEqual(["**replaces**", "**replaces**", "in place", "sends nothing", "used at creation only", "not compared"]);
  expect(changes("User").get("userId")).toBe("is refused");
  expect(changes("SupervisedFineTuningJob").get("triggers")).toBe("**replaces**");
  expect(changes("SupervisedFineTuningJob").get("displayName")).toBe("used at creation only");
});

test("a page says of each field when two of its values are the same", () => {
  const told = (kind: string, heading: string, fromEnd: number): Record<string, string | undefined> =>
    Object.fromEntries(
      rowsOf(below(pages.get(kind)!, heading)).map((row) => [row[0]!.match(/`(\w+)`/)![1]!, row.at(fromEnd)]),
    );
  expect(told("Deployment", "## Inputs", -2)).toMatchObject({
    ...{ displayName: "text", baseModel: "in any version", maxReplicaCount: "verbatim", annotations: "by key" },
    ...{ placement: "by member", waitFor: "never", disableAutoDeploy: "never" },
  });
  expect(told("Secret", "## Inputs", -2)).toMatchObject({ value: "never" });
  expect(told("User", "## Inputs", -2)).toMatchObject({ email: "in any case", role: "verbatim" });
  expect(told("Model", "### PeftDetails", -1)).toMatchObject({ targetModules: "set" });
  const lists = within(managedSpecs.flatMap(inputFields)).filter(({ type }) => type === "array");
  expect(lists.length).toBeGreaterThan(5);
  const words = managedSpecs.flatMap(({ kind }) => rowsOf(pages.get(kind)!).flatMap((row) => row.slice(-2)));
  expect(words.filter((word) => /^(set|sequence)\b/.test(word)).length).toBeGreaterThanOrEqual(
    lists.filter(({ markers }) => !markers.behaviour && !markers.directive && !markers.inputOnly).length,
  );
});

const within = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...within(field.fields ?? []), ...within(field.item ? [field.item] : [])]);

test("the example of a page is the program that the tests of the examples run", () => {
  for (const [kind, text] of pages)
    expect(below(text, "## Example")).toContain(
      `\n\`\`\`ts\n${read(`examples/${fileOf(kind)}/index.ts`).trimEnd()}\n\`\`\``,
    );
});

test("every state that an object can be in has a meaning", () => {
  for (const { kind, lifecycle, fields } of managedSpecs) {
    if (!lifecycle) continue;
    const told = below(pages.get(kind)!, "## States and waits");
    const states = fields.outputs.find(({ name }) => name === "state")?.values ?? [];
    expect(states.filter((state) => !state.endsWith("_UNSPECIFIED") && !told.includes(`\`${state}\``))).toEqual([]);
  }
});

test("the index has every function, and its page what the function answers", () => {
  const index = read("docs/functions.md");
  for (const [name, { answer }] of Object.entries(functions)) {
    const [, path] =
      new RegExp(`\\[\`${name}\`\\]\\((functions/[\\w-]+\\.md)#${name.toLowerCase()}\\)`).exec(index) ?? [];
    const functionPage = read(`docs/${path}`);
    expect(below(functionPage, `## ${name}`)).toContain(`await ${name}(`);
    const kind = "one" in answer ? answer.one : "all" in answer ? answer.all : undefined;
    if (kind === undefined) continue;
    expect(below(functionPage, `## ${name}`)).toContain(`(#${kind.toLowerCase()})`);
    const names = observedFields(specs[kind] as never).map((field) => field.name);
    expect(namesIn(below(functionPage, `### ${kind}`))).toEqual(names);
  }
});

test("every link of the reference pages leads somewhere", () => {
  const anchors = (text: string): string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)]
      .map(([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^a-z0-9 -]/g, "")
          .replace(/ /g, "-"),
      )
      .concat([...text.matchAll(/<a id="(\w+)">/g)].map(([, id]) => id!));
  const broken = [
    "docs/functions.md",
    ...functionPages,
    ...managedSpecs.map(({ kind }) => `docs/resources/${fileOf(kind)}.md`),
  ].flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([link, path, anchor]) => {
      const target = path === "" ? page : join(dirname(page), path!);
      const isThere = existsSync(join(root, target)) && (!anchor || anchors(read(target)).includes(anchor));
      return isThere ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("values closed in one place and open in another say where other text is refused", () => {
  expect(below(pages.get("PolicySettings")!, "### MultiRegion")).toContain("\nAny other text is refused.\n");
  expect(below(pages.get("Deployment")!, "### MultiRegion")).toContain("any other text is sent as it is");
});
