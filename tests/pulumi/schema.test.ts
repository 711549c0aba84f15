import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { createSources, describeSources, setupAdvice } from "../../provider/api/settings/sources";
import type { FunctionSpec } from "../../provider/core/declaration/surface";
import { settingFields, settingVariable } from "../../provider/core/settings";
import { snakeCase } from "../../provider/core/values/names";
import { functions } from "../../provider/resources/functions";
import { managedSpecs } from "../../provider/resources/index";
import { artefacts, leftOver } from "../../tools/generate";
import { organization, publisher, registryFields } from "../../tools/publisher";

const root = join(__dirname, "..", "..");

/** As much of a schema's structure as the tests walk through. */
type Json = { [member: string]: Json };

const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as Json;
const resource = (kind: string): Json => schema["resources"]![`modelplatform:index:${kind}`]!;
const input = (kind: string, name: string): Json => resource(kind)["inputProperties"]![name]!;

/** Every object in the schema that refers to a type. */
function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === "$ref" ? [String(member)] : references(member)));
}

test.each(artefacts(root).map(({ path, content }) => [path, content]))(
  "%s is what the declarations say",
  (path, content) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(content);
  },
);

test("generated folders hold nothing that is not generated", () => {
  expect(leftOver(root, artefacts(root))).toEqual([]);
  expect(leftOver(root, artefacts(root).slice(0, -1))).toEqual([artefacts(root).at(-1)!.path]);
});

test("every kind that programs declare is a resource, with its dynamic token as alias", () => {
  expect(Object.keys(schema["resources"]!)).toEqual(managedSpecs.map(({ kind }) => `modelplatform:index:${kind}`));
  for (const { kind } of managedSpecs)
    expect(resource(kind)["aliases"]).toEqual([{ type: `pulumi-nodejs:dynamic/modelplatform:${kind}` }]);
});

test("every function is there, with what it takes and answers", () => {
  expect(Object.keys(schema["functions"]!)).toEqual(
    Object.keys(functions).map((name) => `modelplatform:index:${name}`),
  );
  expect(schema["functions"]!["modelplatform:index:listUsers"]!["outputs"]).toMatchObject({
    properties: { users: { type: "array" }, totalSize: { type: "integer" } },
    required: ["users"],
  });
});

test("every reference leads to a type, and every type is referred to", () => {
  const used = new Set(references(schema).filter((reference) => reference !== "pulumi.json#/Any"));
  expect([...used].sort()).toEqual(Object.keys(schema["types"]!).map((token) => `#/types/${token}`));
});

/** Every object of properties in the schema that has a path, with its path. */
const places = (): [path: string, properties: Json][] => [
  ...Object.entries(schema["resources"]!).flatMap(([token, each]): [string, Json][] =>
    ["properties", "inputProperties"].map((key) => [`#/resources/${token}/${key}`, each[key]!]),
  ),
  ...Object.entries(schema["functions"]!).flatMap(([token, each]): [string, Json][] =>
    ["inputs", "outputs"].map((key) => [`#/functions/${token}/${key}/properties`, each[key]!["properties"]!]),
  ),
  ...Object.entries(schema["types"]!).flatMap(([token, { properties }]): [string, Json][] =>
    properties === undefined ? [] : [[`#/types/${token}/properties`, properties]],
  ),
];

/** A name of several words, which no two languages spell alike. */
const isCompound = (name: string): boolean => /[a-z][A-Z]/.test(name);

test("descriptions name properties in words, and hold no reference", () => {
  const texts = JSON.stringify(schema);
  // The Pulumi CLI prints references to other properties as they are.
  expect(texts).not.toMatch(/\{\{% ref/);
  const words = [...texts.matchAll(/\\"([a-z]+(?: [a-z0-9]+)+)\\"/g)].map(([, quoted]) => quoted!);
  expect(words.length).toBeGreaterThan(50);
  expect(words).toEqual(expect.arrayContaining(["deployment shape", "max replica count"]));
  const spelled = places().flatMap(([path, properties]) =>
    Object.entries(properties).flatMap(([name, { description }]) =>
      Object.keys(properties)
        .filter((sibling) => isCompound(sibling) && String(description).includes(`\`${sibling}\``))
        .map((sibling) => `${path}/${name}: ${sibling}`),
    ),
  );
  expect(spelled).toEqual([]);
});

test("every type is described by a sentence of its own", () => {
  const bare = Object.entries(schema["types"]!).filter(
    ([, type]) => !/^[A-Z`].{8,}\.$/s.test(String(type["description"])),
  );
  expect(bare.map(([token]) => token)).toEqual([]);
  const description = (name: string): unknown => schema["types"]![`modelplatform:index:${name}`]!["description"];
  // A type that several fields have is not described by the first of them.
  expect(description("Money")).toBe("An amount of money.");
  expect(description("ObservedUser")).toMatch(/^An object of kind `User` as the service returns it\./);
});

test("no property takes a name that Pulumi keeps for itself", () => {
  for (const { kind } of managedSpecs) {
    const names = [...Object.keys(resource(kind)["properties"]!), ...Object.keys(resource(kind)["inputProperties"]!)];
    expect(names.filter((name) => ["id", "urn", "pulumi"].includes(name) || name.startsWith("__"))).toEqual([]);
  }
  expect(settingFields.map(({ name }) => name).filter((name) => ["version", "pulumi"].includes(name))).toEqual([]);
});

test("everything that people read is described", () => {
  const bare: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const isProperties = ["properties", "inputProperties", "variables"].includes(name);
      if (isProperties)
        for (const [property, definition] of Object.entries(member as Json))
          if (definition["description"] === undefined) bare.push(`${path}.${property}`);
      look(member, `${path}.${name}`);
    }
  };
  look(schema, "");
  expect(bare).toEqual([]);
});

test("secrets are marked wherever they stand", () => {
  expect(input("Secret", "value")).toMatchObject({ secret: true });
  expect(input("Deployment", "directRouteApiKeys")).toMatchObject({ secret: true });
  expect(input("SupervisedFineTuningJob", "trackingConfig")).toMatchObject({ secret: true });
  expect(resource("Deployment")["properties"]!["directRouteApiKeys"]).toMatchObject({ secret: true });
  expect(schema["types"]!["modelplatform:index:TrackingConfig"]!["properties"]!["apiKey"]).toMatchObject({
    secret: true,
  });
  expect(schema["config"]!["variables"]).toMatchObject({ apiKey: { secret: true }, accounts: { secret: true } });
});

test("what replaces an object says so, and what does not does not", () => {
  const replacing = (kind: string): string[] =>
    Object.entries(resource(kind)["inputProperties"]!).flatMap(([name, property]) =>
      property["willReplaceOnChanges"] ? [name] : [],
    );
  expect(replacing("Deployment").sort()).toEqual([
    "accountId",
    "baseModel",
    "deploymentId",
    "deploymentTemplate",
    "enableHotLoad",
    "hotLoadBucketType",
    "hotLoadBucketUrl",
    "placement",
    "preemptible",
  ]);
  expect(input("SupervisedFineTuningJob", "displayName")["willReplaceOnChanges"]).toBeUndefined();
  // A change that only a replacement could make is refused.
  expect(replacing("User")).toEqual([]);
});

test("an enum that may grow takes any text, and a closed one does not", () => {
  expect(input("Deployment", "precision")).toMatchObject({
    type: "string",
    oneOf: [{ type: "string" }, { $ref: "#/types/modelplatform:index:Precision" }],
  });
  expect(input("User", "role")).toMatchObject({ $ref: "#/types/modelplatform:index:UserRole" });
  expect(input("PolicySettings", "residency")).toMatchObject({ $ref: "#/types/modelplatform:index:MultiRegion" });
  expect(schema["types"]!["modelplatform:index:MultiRegion"]!["enum"]).toMatchObject(
    ["Global", "Us", "Canada", "Europe", "Apac"].map((name) => ({
      name,
      value: name.replace(/\B[A-Z]/g, "_$&").toUpperCase(),
    })),
  );
});

test("what is deprecated says what to do instead", () => {
  expect(input("Deployment", "expireTime")["deprecationMessage"]).toBe("It no longer deletes anything; drop it.");
  const outdated = Object.entries(resource("SupervisedFineTuningJob")["inputProperties"]!).flatMap(
    ([name, property]) => (property["deprecationMessage"] === undefined ? [] : [name]),
  );
  expect(outdated).toEqual(["nodes", "mtpEnabled", "mtpNumDraftTokens", "mtpFreezeBaseModel"]);
});

test("what must be given is required, and what the provider makes is always there", () => {
  expect(resource("Deployment")["requiredInputs"]).toEqual(["baseModel"]);
  expect(resource("Deployment")["required"]).toEqual(
    expect.arrayContaining(["name", "deploymentId", "accountId", "managedFields"]),
  );
  expect(resource("SupervisedFineTuningJob")["required"]).toEqual(expect.arrayContaining(["outputModelName"]));
  expect(schema["types"]!["modelplatform:index:ModelPermissions"]!["required"]).toEqual([
    "allowServerless",
    "allowDedicatedDeployments",
    "allowTraining",
    "allowServerlessFast",
  ]);
});

/** The example that a description shows in a language. */
const exampleOf = (language: string, described: Json): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(String(described["description"]))?.[1] ?? "";

const exampleIn = (language: string, kind: string): string => exampleOf(language, resource(kind));

test("every resource shows a program that declares it, in every language", () => {
  for (const { kind, example } of managedSpecs) {
    expect(exampleIn("typescript", kind)).toContain(`import { ${kind} } from "pulumi-modelplatform-sdk";\n`);
    expect(exampleIn("typescript", kind)).toContain(`new ${kind}("example", {`);
    expect(exampleIn("python", kind)).toContain(`example = modelplatform.${kind}(\n    "example",\n`);
    expect(exampleIn("go", kind)).toContain(`modelplatform.New${kind}(ctx, "example", &modelplatform.${kind}Args{`);
    expect(exampleIn("csharp", kind)).toContain(`new ModelPlatform.${kind}("example", new() {`);
    expect(exampleIn("java", kind)).toContain(`new ${kind}("example", ${kind}Args.builder()`);
    expect(parse(exampleIn("yaml", kind))).toEqual({
      resources: { example: { type: `modelplatform:${kind}`, properties: example } },
    });
  }
});

test("examples import what the SDK is called that is generated beside them", () => {
  const { packageName } = schema["language"]!["nodejs"]! as unknown as { packageName: string };
  const imported = [...JSON.stringify(schema).matchAll(/from \\"(pulumi-[^"\\]+)\\"/g)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(new Set([packageName]));
  // The package that people install from a registry is another one.
  expect(readFileSync(join(root, "docs/dev/registry/_index.md"), "utf8")).toContain('from "pulumi-modelplatform";');
});

test("names in NuGet and Java are the publisher's, as examples import them", () => {
  const { csharp, java } = schema["language"] as unknown as Record<string, Record<string, string>>;
  const words = organization.split("-");
  const pascal = words.map((word) => word.replace(/^./, (first) => first.toUpperCase())).join("");
  expect([csharp!["rootNamespace"], java!["basePackage"]]).toEqual([pascal, `io.github.${words.join("")}`]);
  expect(exampleIn("csharp", "User")).toContain(`using ModelPlatform = ${pascal}.ModelPlatform;`);
  expect(exampleIn("java", "User")).toContain(`import io.github.${words.join("")}.modelplatform.User;`);
  expect(JSON.stringify(schema)).not.toMatch(/com\.pulumi\.modelplatform|Pulumi\.ModelPlatform/);
});

test("every function shows a program that calls it, in every language", () => {
  const kinds = managedSpecs.map(({ kind }) => kind);
  for (const [name, { example }] of Object.entries<FunctionSpec>(functions)) {
    const described = schema["functions"]![`modelplatform:index:${name}`]!;
    const Name = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    // Go keeps `GetUser` for the state of a resource `User`.
    const inGo = kinds.includes(Name.replace(/^Get/, "")) ? Name.replace(/^Get/, "Lookup") : Name;
    expect(exampleOf("typescript", described)).toContain(`import { ${name}Output } from "pulumi-modelplatform-sdk";\n`);
    expect(exampleOf("typescript", described)).toContain(`const result = ${name}Output(`);
    expect(exampleOf("python", described)).toContain(`result = modelplatform.${snakeCase(name)}_output(`);
    expect(exampleOf("go", described)).toContain(
      `result := modelplatform.${inGo}Output(ctx, modelplatform.${inGo}OutputArgs{`,
    );
    expect(exampleOf("csharp", described)).toContain(`var result = ModelPlatform.${Name}.Invoke(`);
    expect(exampleOf("java", described)).toContain(`var result = ModelplatformFunctions.${name}(`);
    expect(parse(exampleOf("yaml", described))).toEqual({
      variables: {
        result: {
          "fn::invoke": {
            function: `modelplatform:${name}`,
            ...(Object.keys(example).length === 0 ? {} : { arguments: example }),
          },
        },
      },
    });
  }
});

test("the schema says who publishes it and where it is found", () => {
  const text = JSON.stringify(publisher);
  expect(text.split(organization)).toHaveLength(7);
  expect(schema).toMatchObject(publisher);
  expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).toMatchObject(registryFields);
  // A reader of the address of the plugin's archives, which have the version in their names.
  expect(publisher.pluginDownloadURL).toMatch(/^github:\/\/api\.github\.com\/[\w-]+\/pulumi-modelplatform$/);
  expect(readFileSync(join(root, publisher.logoUrl.split("/main/")[1]!), "utf8")).toMatch(/^<svg /);
});

test("no program is offered what says that nothing was said", () => {
  const values = Object.values(schema["types"]!).flatMap((type) => (type["enum"] as unknown as Json[]) ?? []);
  expect(values.length).toBeGreaterThan(50);
  expect(values.filter((each) => /UNSPECIFIED$/.test(String(each["value"])))).toEqual([]);
});

// The generator of the Java SDK refuses to write a Gradle project of a package that names no repository.
test("an SDK for Java has build files only where the package has a repository", () => {
  expect("buildFiles" in schema["language"]!["java"]!).toBe("repository" in schema);
});

test("every kind can be listed by account, and by a filter where there may be several", () => {
  for (const { kind, singleton } of managedSpecs)
    expect(Object.keys(resource(kind)["listInputs"]!["properties"]!)).toEqual([
      "accountId",
      ...(singleton ? [] : ["filter"]),
    ]);
});

// An SDK records what it reads from a variable in the state of an explicit provider, keys included.
test("no SDK reads a setting from the environment: the plugin does", () => {
  for (const properties of [schema["config"]!["variables"]!, schema["provider"]!["inputProperties"]!]) {
    expect(Object.keys(properties).sort()).toEqual(settingFields.map(({ name }) => name).sort());
    for (const [name, property] of Object.entries(properties as unknown as Record<string, Record<string, unknown>>)) {
      expect(property["defaultInfo"]).toBeUndefined();
      expect(property["description"]).toContain(`\`${settingVariable(name)}\``);
    }
  }
});

test("the settings of the schema are those that the provider reads", () => {
  for (const { name } of settingFields) {
    const variable = settingVariable(name);
    expect(createSources({ env: { [variable]: "x" } }).find(name)).toMatchObject({ value: "x" });
    expect(describeSources(name, {})).toContain(variable);
    expect(setupAdvice(name, {})).toContain(variable);
  }
});

const isInstalled = spawnSync("pulumi", ["version"]).error === undefined;
if (!isInstalled) process.stderr.write("skipped, for there is no `pulumi` on PATH: `pulumi schema check`\n");

(isInstalled ? test : test.skip)("Pulumi finds nothing wrong with the schema, not even a warning", () => {
  const { status, stdout, stderr } = spawnSync("pulumi", ["schema", "check", join(root, "schema.json")], {
    encoding: "utf8",
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  expect({ status, output: `${stdout}${stderr}`.trim() }).toEqual({ status: 0, output: "" });
});

const environment = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };

(isInstalled ? test : test.skip)("`pulumi package info` prints no mark that is left to resolve", () => {
  const info = (...args: string[]): string => {
    const home = mkdtempSync(join(realpathSync(tmpdir()), "pulumi-home-"));
    const { status, stdout } = spawnSync("pulumi", ["package", "info", join(root, "schema.json"), ...args], {
      encoding: "utf8",
      env: { ...environment, PULUMI_HOME: home },
    });
    rmSync(home, { recursive: true });
    expect(status).toBe(0);
    return stdout;
  };
  const printed = [info(), info("-r", "Deployment"), info("-f", "validateDeployment"), info("-f", "listDeployments")];
  for (const text of printed) expect(text).not.toMatch(/\{\{[%<]|%\}\}/);
  expect(printed[1]).toContain('Must not exceed "max replica count".');
});
