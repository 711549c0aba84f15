import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, outputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { settingFields } from "../../provider/core/settings";
import { functions } from "../../provider/resources/functions";
import { managedSpecs } from "../../provider/resources/index";
import { geographies, regionMeanings } from "../../provider/resources/regions";
import { type Editor, type EditorHint, openEditor } from "./editor";

let editor: Editor;
let declarations: ReadonlyMap<string, EditorHint>;

beforeAll(() => {
  editor = openEditor();
  declarations = new Map(editor.declarations().map((shown) => [shown.path, shown]));
});

const shownAt = (path: string): EditorHint => declarations.get(path) ?? { path, documentation: "", tags: [] };

const inputs: readonly [ResourceSpec, Field][] = managedSpecs.flatMap((spec) =>
  inputFields(spec).map((field): [ResourceSpec, Field] => [spec, field]),
);

/** Inputs whose hover lacks a text that the markers ask for. */
const lacking = (textOf: (field: Field, spec: ResourceSpec) => string | undefined): string[] =>
  inputs.flatMap(([spec, field]) => {
    const text = textOf(field, spec);
    const path = `${spec.kind}Args.${field.name}`;
    return text === undefined || shownAt(path).documentation.includes(text) ? [] : [`${path} does not say: ${text}`];
  });

test("everything that the package exports is documented", () => {
  expect(declarations.size).toBeGreaterThan(1600);
  expect(
    [...declarations.values()].filter(({ documentation }) => documentation === "").map(({ path }) => path),
  ).toEqual([]);
});

/** Words that say nothing by themselves. */
const fillers =
  /^(a|an|the|of|its|this|that|is|are|was|what|which|for|to|in|on|and|or|with|by|it|has|s|whether|number)$/;

const stem = (word: string): string => word.toLowerCase().replace(/(ies|es|s|ing|ed|d)$/, "");

const wordsOf = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "" && !fillers.test(word.toLowerCase()))
    .map(stem);

test("no documentation merely repeats the name of what it is about", () => {
  const repeating = [...declarations.values()].filter(({ path, documentation }) => {
    const known = new Set(wordsOf(path));
    return wordsOf(documentation).every((word) => known.has(word));
  });
  expect(repeating.map(({ path, documentation }) => `${path}: ${documentation}`)).toEqual([]);
});

test("every documentation begins with a sentence", () => {
  const other = [...declarations.values()].filter(({ documentation }) => !/^[A-Z0-9`].*[.:]( |$)/.test(documentation));
  expect(other.map(({ path, documentation }) => `${path}: ${documentation}`)).toEqual([]);
});

test("every input and output of a kind is a documented member, and nothing else is", () => {
  const membersOf = (owner: string): string[] =>
    [...declarations.keys()]
      .filter((path) => path.startsWith(`${owner}.`))
      .map((path) => path.slice(owner.length + 1))
      .filter((name) => !["constructor", "get", "isInstance", "__pulumiType"].includes(name));
  for (const spec of managedSpecs) {
    expect(membersOf(`${spec.kind}Args`).sort()).toEqual(
      inputFields(spec)
        .map(({ name }) => name)
        .sort(),
    );
    expect(membersOf(spec.kind).sort()).toEqual(
      outputFields(spec)
        .map(({ name }) => name)
        .sort(),
    );
  }
  expect(membersOf("ProviderArgs").sort()).toEqual(settingFields.map(({ name }) => name).sort());
});

// What says that nothing was said stands in answers alone: the schema has no such value, the types have.
test("every value of an enum is a constant whose hover says what the schema says of it", () => {
  const { types } = JSON.parse(readFileSync(join(__dirname, "../../schema.json"), "utf8")) as {
    types: Record<string, { enum?: { name: string; description: string }[] }>;
  };
  const values = Object.entries(types).flatMap(([token, { enum: members = [] }]) =>
    members.map(({ name, description }) => [`${token.split(":").at(-1)}.${name}`, description]),
  );
  const hovered = [...declarations.values()].filter(({ path }) => /^types\.enums\.\w+\.(?!\w*Unspecified$)/.test(path));
  // The schema, which other languages read, calls a property by its words.
  const inWords = (text: string): string =>
    text
      .replace(/`(\w+): "(\w+)"`/g, '"$1" = `$2`')
      .replace(
        /`([a-z]+(?:_?[A-Z][a-z]+|_[a-z]+)+)`/g,
        (_, name: string) => `"${name.replace(/(?=[A-Z])|_/g, " ").toLowerCase()}"`,
      );
  const told = hovered.map(({ path, documentation }) => [path.replace("types.enums.", ""), inWords(documentation)]);
  expect(told.sort()).toEqual(values.sort());
  expect(editor.hover(importing(`new User("ada", { role: UserRole.Contri|>butor });`))).toContain(
    "More access than `user`, and less than `admin`.",
  );
});

test("the list of names that a program can import says what `types` is", () => {
  const { documentation } = editor
    .complete(`import { |> } from "pulumi-modelplatform";`)
    .find(({ name }) => name === "types")!;
  expect(documentation).toContain("Types of arguments (`types.input`)");
});

test("the hover of a region names the geography that policies take it for", () => {
  const wrong = Object.entries(regionMeanings).filter(([region, meaning]) => {
    const home = geographies.find(({ prefix }) => region.startsWith(prefix))?.geography;
    return region !== "REGION_UNSPECIFIED" && !meaning.endsWith(`in the geography \`${home}\`.`);
  });
  expect(wrong).toEqual([]);
});

test("a hover says what holds where an input is not given", () => {
  expect(
    lacking(({ required, markers }) => {
      const value = markers.default ?? markers.resetTo ?? markers.behaviour?.default ?? markers.unsetValue;
      if (required || value === undefined || typeof value === "object") return undefined;
      const [words] = String(value).split("{");
      return markers.default === undefined ? `Default: \`${value}\`.` : `Default: ${words}`;
    }),
  ).toEqual([]);
  expect(shownAt("DeploymentArgs.maxReplicaCount").documentation).toContain(
    "Default: the larger of `minReplicaCount` and 1.",
  );
  expect(shownAt("DeploymentArgs.timeouts").documentation).toContain("else `60m` (create), `60m` (update)");
  const settings = settingFields.filter(
    ({ name, markers }) =>
      markers.default !== undefined &&
      !shownAt(`ProviderArgs.${name}`).documentation.includes(`Default: ${markers.default}.`),
  );
  expect(settings).toEqual([]);
});

test("a hover says the limits of an input", () => {
  expect(
    lacking(({ minimum, maximum }) => {
      if (minimum === undefined) return maximum === undefined ? undefined : `At most ${maximum}.`;
      return maximum === undefined ? `At least ${minimum}.` : `From ${minimum} to ${maximum}.`;
    }),
  ).toEqual([]);
  expect(
    lacking(({ maxLength }) => (maxLength === undefined ? undefined : `At most ${maxLength} characters.`)),
  ).toEqual([]);
  expect(lacking(({ markers }) => markers.convention && `It ${markers.convention.rule}.`)).toEqual([]);
});

test("a hover names the values of a short enum, and the order of roles", () => {
  const isShort = (values: readonly string[]): boolean => values.length > 0 && values.length <= 8;
  const silent = inputs.flatMap(([spec, { name, values = [] }]) => {
    const meant = values.filter((value) => !value.endsWith("_UNSPECIFIED"));
    const { documentation } = shownAt(`${spec.kind}Args.${name}`);
    const missing = isShort(meant) ? meant.filter((value) => !documentation.includes(`\`${value}\``)) : [];
    return missing.map((value) => `${spec.kind}Args.${name} does not name ${value}`);
  });
  expect(silent).toEqual([]);
  expect(shownAt("UserArgs.role").documentation).toContain(
    "From the least access to the most: `inference-user`, `user`, `contributor`, `admin`.",
  );
  expect(shownAt("types.input.PlacementArgs.multiRegion").documentation).toContain(
    "Known values: `GLOBAL`, `US`, `CANADA`, `EUROPE` and `APAC`.",
  );
});

test("a hover says what removing a part of an input does", () => {
  expect(shownAt("DeploymentArgs.autoscalingPolicy").documentation).toContain(
    "Removing one of its properties leaves the live value; `null` clears it.",
  );
  expect(shownAt("PolicySettingsArgs.zeroDataRetention").documentation).toContain(
    "Removing one of its properties clears that property.",
  );
  expect(shownAt("DeploymentArgs.annotations").documentation).toContain("Removing an entry deletes it.");
});

test("a hover says which objects exist already for `adopt`", () => {
  expect(
    lacking(({ name }) => (name === "adopt" ? "in the account that has the chosen id or the natural key" : undefined)),
  ).toEqual([]);
});

test("a hover says the form and the unit of an input", () => {
  expect(
    lacking(({ markers }) =>
      markers.sameAs === "duration" ? "A duration: a number with the unit `ms`, `s`" : undefined,
    ),
  ).toEqual([]);
  expect(
    lacking(({ markers }) => markers.refersTo && `\`accounts/{account}/${markers.refersTo.collection}/{id}\``),
  ).toEqual([]);
  expect(lacking(({ format }) => (format === "date-time" ? "RFC 3339" : undefined))).toEqual([]);
  expect(shownAt("GetModelUploadEndpointArgs.filenameToSize").documentation).toContain("Unit: bytes.");
});

test("a hover says what a change of an input does, where it is not sent", () => {
  expect(
    lacking(({ markers }, { identity }) => {
      if (!markers.immutable) return undefined;
      return identity.neverReplaced ? "A change is refused." : "A change replaces the resource.";
    }),
  ).toEqual([]);
  const claiming = inputs.filter(
    ([spec, { name, markers }]) =>
      !markers.immutable &&
      shownAt(`${spec.kind}Args.${name}`).documentation.includes("A change replaces the resource"),
  );
  expect(claiming.map(([{ kind }, { name }]) => `${kind}.${name}`)).toEqual([]);
  expect(lacking(({ markers }) => (markers.recordedOnly ? "Used at creation only" : undefined))).toEqual([]);
});

test("a hover says that an input is secret, and an outdated one what to do instead", () => {
  expect(lacking(({ markers }) => (markers.secret ? "Secret: encrypted in state" : undefined))).toEqual([]);
  const silent = inputs.filter(
    ([spec, { name, markers }]) =>
      (markers.deprecated !== undefined) !==
      shownAt(`${spec.kind}Args.${name}`).tags.some((tag) => tag.name === "deprecated"),
  );
  expect(silent.map(([{ kind }, { name }]) => `${kind}.${name}`)).toEqual([]);
});

test("an input whose value has a form shows an example of one", () => {
  const hasForm = ({ markers, format }: Field): boolean =>
    markers.sameAs === "duration" || markers.refersTo !== undefined || format !== undefined || !!markers.resourceId;
  const without = inputs.filter(
    ([spec, field]) =>
      hasForm(field) && !shownAt(`${spec.kind}Args.${field.name}`).tags.some((tag) => tag.name === "example"),
  );
  expect(without.map(([{ kind }, { name }]) => `${kind}.${name}`)).toEqual([]);
});

const importing = (text: string): string =>
  `import { Deployment, getModel, listDeployments, Provider, User, UserRole } from "pulumi-modelplatform";\n${text}`;

test("a hover in a program tells what a class, an input, an output and a function are", () => {
  const resource = editor.hover(importing(`new Deplo|>yment("chat", { baseModel: "m" });`));
  expect(resource).toContain("new Deployment(name: string, args: DeploymentArgs, opts?: CustomResourceOptions)");
  expect(resource).toContain("A model that is served on dedicated accelerators.");
  expect(resource).toContain('const example = new Deployment("example", {');
  expect(resource).toContain("docs/resources/deployment.md");
  expect(editor.hover(importing(`new Deployment("chat", { base|>Model: "m" });`))).toContain(
    "(property) DeploymentArgs.baseModel: Input<string>\n\nModel that the deployment serves",
  );
  expect(editor.hover(importing(`new Deployment("chat", { baseModel: "m" }).sta|>te;`))).toContain(
    "(property) Deployment.state: Output<DeploymentState | (string & {}) | undefined>\n\nWhere the deployment is",
  );
  expect(editor.hover(importing(`get|>Model({ modelId: "m" });`))).toContain("Reads a model");
  expect(
    editor.hover(importing(`listDeployments().then(({ deployments }) => deployments[0]?.repl|>icaStats);`)),
  ).toContain("(property) ObservedDeployment.replicaStats: ReplicaStats | undefined\n\nNumber of replicas now");
  expect(editor.hover(importing(`new Provider("eu", { reco|>ver: "ask" });`))).toContain("an interrupted run");
});

test("what is offered in a program is documented", () => {
  const offered = editor.complete(importing(`new User("ada", { |> });`));
  expect(offered.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["email", "role", "userId", "timeouts", "deletionProtection"]),
  );
  expect(offered.find(({ name }) => name === "role")?.documentation).toContain(
    "Role that decides what the user may do.",
  );
  expect(editor.complete(importing(`new User("ada", { role: "|>" });`)).map(({ name }) => name)).toEqual([
    "admin",
    "user",
    "contributor",
    "inference-user",
    "custom",
  ]);
});

test.each([
  ["a misspelt input", `new User("ada", { emial: "ada@example.com" });`, "UserArgs", "Did you mean to write 'email'?"],
  ["a value of another enum", `new User("ada", { role: "adm" });`, "Input<UserRole | null | undefined>", '"adm"'],
  [
    "a misspelt member of a message",
    `new Deployment("chat", { baseModel: "m", autoscalingPolicy: { scaleUpWindw: "30s" } });`,
    "AutoscalingPolicyArgs",
    "'scaleUpWindw' does not exist",
  ],
  ["a missing input", `new Deployment("chat", {});`, "DeploymentArgs", "'baseModel' is missing"],
  [
    "an option of an answer",
    `listDeployments().then(({ deployments }) => deployments[0]?.waitFor);`,
    "ObservedDeployment",
    "'waitFor'",
  ],
  ["a misspelt setting", `new Provider("eu", { acountId: "eu" });`, "ProviderArgs", "'acountId'"],
  ["a misspelt argument", `getModel({ modelID: "m" });`, "GetModelArgs", "'modelID' does not exist"],
])("the compiler calls the declared type by its name: %s", (_, mistake, type, says) => {
  const errors = editor.errors(importing(mistake)).join("\n");
  expect(errors).toContain(type);
  expect(errors).toContain(says);
});

test("the examples of the documentation compile", () => {
  const folder = join(__dirname, "../../docs/functions");
  const pages = [`${folder}.md`, ...readdirSync(folder).map((page) => join(folder, page))];
  const blocks = pages
    .flatMap((page) => [...readFileSync(page, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)])
    .map(([, block]) => block!);
  const hovered = [...declarations.values()].flatMap(({ tags }) =>
    tags
      .filter(({ name }) => name === "example")
      .map(({ text }) => (text ?? []).map((part) => part.text).join(""))
      .filter((text) => text.startsWith("```ts"))
      .map((text) => text.replace(/```(ts\n)?/g, "")),
  );
  const program = [...new Set([...blocks, ...hovered])].map((block) => `(async () => {\n${block}\n});`).join("\n");
  expect([blocks.length > 10, hovered.length > 10]).toEqual([true, true]);
  expect(
    editor.errors(
      `import * as pulumi from "@pulumi/pulumi";\nimport * as all from "pulumi-modelplatform";\nconst { ${exported().join(", ")} } = all;\nconst config = new pulumi.Config();\n${program}`,
    ),
  ).toEqual([]);
});

test("the examples of the schema compile", () => {
  const { resources, functions: called } = JSON.parse(
    readFileSync(join(__dirname, "../../schema.json"), "utf8"),
  ) as Record<"resources" | "functions", Record<string, { description: string }>>;
  const found = [...Object.values(resources), ...Object.values(called)].map(({ description }) =>
    /```typescript\n([\s\S]*?)\n```/.exec(description)![1]!.split("\n\n"),
  );
  // They import the SDK that is generated from the schema, which tests/e2e/languages compiles them with.
  const imports = found.map(([first]) => first!.replace("pulumi-modelplatform-sdk", "pulumi-modelplatform"));
  const programs = found.map(([, ...rest]) => `{\n${rest.join("\n\n")}\n}`);
  expect(found).toHaveLength(managedSpecs.length + Object.keys(functions).length);
  expect(editor.errors([...imports, ...programs].join("\n"))).toEqual([]);
});

/** What a program can import by name. */
const exported = (): string[] => [...managedSpecs.map(({ kind }) => kind), ...Object.keys(functions), "Provider"];
