import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { type KeyRule, type KeyRules, projectKeys, stackKeys } from "../../engine/state/file-keys";
import { imitatedVersion, satisfiesRange } from "../../engine/state/imitated-version";
import { type Project, readOwnProject, readProject } from "../../engine/state/project";
import { readStackConfig } from "../../engine/state/stack-config";
import { temporaryFolder } from "./temporary-folder";

/** The least that each part of a file needs around the key in question. */
const around: Readonly<Record<string, object>> = {
  "config.*": { description: "text" },
  "config.*.items": { type: "array" },
  "plugins.providers[]": { name: "boxes", path: "./boxes" },
  "packages.*": { source: "./boxes" },
};

const samples: Readonly<Record<string, unknown>> = {
  ...{ name: "shop", description: "text", author: "text", website: "text", license: "text" },
  ...{ runtime: "python", "runtime.name": "python", "runtime.options": { typescript: false } },
  ...{ "runtime.options.typescript": false, "runtime.options.tsconfig": "a.json", "runtime.options.nodeargs": "-r x" },
  ...{ "runtime.options.packagemanager": "npm", "runtime.options.production": true },
  ...{ main: "src", config: "stacks", "config.*": "eu", stackConfigDir: "stacks" },
  ...{ "config.*.type": "integer", "config.*.description": "text", "config.*.secret": true },
  ...{ "config.*.default": "eu", "config.*.value": "eu" },
  "config.*.items": { type: "array", items: { type: "string" } },
  ...{ "config.*.items.type": "string", "config.*.items.items": { type: "string" } },
  ...{ backend: { url: "file://./states" }, "backend.url": "file://./states" },
  ...{ options: { refresh: "always" }, "options.refresh": "always", requiredPulumiVersion: ">=99.0.0" },
  template: { config: { "modelplatform:account": { description: "text" } }, important: true },
  ...{ packages: { boxes: "./boxes" }, "packages.*": "./boxes", "packages.*.source": "./crates" },
  ...{ "packages.*.version": "1.2.3", "packages.*.parameters": ["a"], "packages.*.extensions": ["a"] },
  ...{ "packages.*.pluginDownloadURL": "https://packages.test", "packages.*.checksums": { "linux-amd64": "00" } },
  plugins: { providers: [{ name: "boxes", path: "./boxes" }] },
  ...pluginSamples("providers"),
  ...pluginSamples("analyzers"),
  ...pluginSamples("languages"),
};

function pluginSamples(kind: string): object {
  const one = { name: "boxes", path: "./boxes" };
  return {
    ...{ [`plugins.${kind}`]: [one], [`plugins.${kind}[]`]: one },
    ...{ [`plugins.${kind}[].name`]: "crates", [`plugins.${kind}[].path`]: "./crates" },
    [`plugins.${kind}[].version`]: "1.2.3",
  };
}

/** `base` with `value` at the path of a key, or only with what that key needs around it. */
function contentWith(base: object, key: string, value: unknown): object {
  const steps = key.replaceAll("[]", ".[]").split(".");
  const put = (here: unknown, index: number): unknown => {
    if (index === steps.length) return value;
    const place = steps.slice(0, index).join(".").replaceAll(".[]", "[]");
    const step = steps[index]!;
    if (step === "[]") return [put({}, index + 1)];
    const own = typeof here === "object" ? here : {};
    const name = step === "*" ? "boxes" : step;
    const members = { ...own, ...around[place] } as Record<string, unknown>;
    return { ...members, [name]: put(members[name] ?? {}, index + 1) };
  };
  const made = put(base, 0) as Record<string, unknown>;
  return JSON.parse(JSON.stringify(made)) as object;
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function projectOf(content: object | string | Buffer): Promise<Project> {
  const text = typeof content === "string" || Buffer.isBuffer(content) ? content : stringify(content);
  writeFileSync(join(folder, "Pulumi.yaml"), text);
  return readProject(folder);
}

const minimal = { name: "demo", runtime: { name: "nodejs", options: {} } };
const rowsOf = (rules: KeyRules, effect: KeyRule["effect"]): string[] =>
  Object.keys(rules).filter((key) => rules[key]!.effect === effect);

describe("each key of the table of Pulumi.yaml", () => {
  test("has a project file here", () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(projectKeys).sort());
  });

  test.each(rowsOf(projectKeys, "used"))("%s changes what the engine reads", async (key) => {
    const readWith = (value: unknown) => projectOf(contentWith(minimal, key, value)).catch(String);
    const [without, project] = [await readWith(undefined), await readWith(samples[key])];
    expect(project).not.toEqual(without);
    const refused = key === "requiredPulumiVersion" ? expect.stringContaining("leaves out") : undefined;
    expect(project).toMatchObject({ unsupported: refused });
  });

  test.each(rowsOf(projectKeys, "refused"))("%s is refused by name", async (key) => {
    await projectOf(contentWith(minimal, key, samples[key]));
    const named = (key.startsWith("plugins.languages") ? "plugins.languages" : key).replace("*", "boxes");
    await expect(readOwnProject(folder)).rejects.toThrow(
      `${join(folder, "Pulumi.yaml")}: \`${named}\` is not supported`,
    );
  });

  test.each(rowsOf(projectKeys, "none"))("%s changes nothing but a text that nothing reads", async (key) => {
    const without = await projectOf(contentWith(minimal, key, undefined));
    const {
      unsupported,
      runtime,
      description: _,
      config,
      ...project
    } = await projectOf(contentWith(minimal, key, samples[key]));
    expect(unsupported).toBeUndefined();
    expect(without).toMatchObject(project);
    expect([runtime.name, Object.keys(config)]).toEqual([without.runtime.name, Object.keys(without.config)]);
  });
});

describe("a project file is refused, and the error names the file and the key:", () => {
  test.each([
    ["an unknown key", { option: { refresh: "always" } }, /`option` is an unknown key: the Pulumi CLI has .*`options`/],
    [
      "an unknown key inside",
      { options: { refesh: "always" } },
      /`options.refesh` is an unknown key.* `refresh` there/,
    ],
    ["an unknown key of a declaration", { config: { a: { kind: "string" } } }, /`config.a.kind` is an unknown key/],
    [
      "an unknown key of a plugin",
      { plugins: { providers: [{ dir: "x" }] } },
      /`plugins.providers\[0\].dir` is an unk/,
    ],
    [
      "a value that no schema has",
      { options: { refresh: "never" } },
      /`options.refresh` is `never`, and only `always`/,
    ],
    ["a value of another type", { main: 5, options: [] }, /`main` must be text. `options` must be a map/],
    [
      "a version that is not this one",
      { requiredPulumiVersion: "<3" },
      /`requiredPulumiVersion`, `<3`, is not a range/,
    ],
    ["a version beyond", { requiredPulumiVersion: ">=3.999.0" }, /`>=3.999.0`, leaves out 3\.\d+\.\d+/],
    ["a key of 4,000 letters", { ["k".repeat(4000)]: 1 }, /`k{80}…` is an unknown key/],
  ])("%s", async (_, more, message) => {
    await projectOf({ ...minimal, ...more });
    await expect(readOwnProject(folder)).rejects.toThrow(message);
    await expect(readOwnProject(folder)).rejects.toThrow(
      /^\S+Pulumi\.yaml: .* Correct the file, or use the Pulumi CLI\.$/,
    );
  });
});

test("programs in other languages may have keys and options of their own", async () => {
  const runtime = { name: "yaml", options: { compiler: "x" } };
  expect((await projectOf({ name: "demo", runtime, resources: {} })).unsupported).toBeUndefined();
  expect((await projectOf({ name: "demo", runtime, options: { other: 1 } })).unsupported).toContain("`options.other`");
});

describe("Pulumi.<stack>.yaml", () => {
  const configOf = async (content: string | Buffer) => {
    writeFileSync(join(folder, "Pulumi.dev.yaml"), content);
    return readStackConfig(await projectOf(minimal), "dev");
  };

  test.each([
    ["secretsprovider: passphrase\n"],
    ["secretsprovider: default\n"],
    ["encryptionsalt: v1:salt\n"],
    ["config: { demo:a: x }\n"],
    ["environment:\n"],
  ])("is read with %j", async (text) => {
    await expect(configOf(text)).resolves.toBeDefined();
  });

  test.each([
    ...rowsOf(stackKeys, "refused").map((key) => [`${key}: a\n`, `\`${key}\` is not supported`]),
    ["modelplatform:account: demo\n", "`modelplatform:account` is an unknown key: the Pulumi CLI has `config`"],
    ["config: [a]\n", "`config` must be a map"],
  ])("is refused with %j", async (text, message) => {
    await expect(configOf(text)).rejects.toThrow(`${join(folder, "Pulumi.dev.yaml")}: ${message}`);
  });

  test("is read in UTF-16 of either order", async () => {
    const text = Buffer.from("\uFEFFconfig:\n  demo:a: ü\n", "utf16le");
    expect((await configOf(text)).get("a", undefined)).toBe("ü");
    expect((await configOf(Buffer.from(text).swap16())).get("a", undefined)).toBe("ü");
  });
});

test("a project file is read in UTF-16, and refused where nothing says that it is", async () => {
  const text = Buffer.from(`\uFEFF${stringify(minimal)}`, "utf16le");
  expect((await projectOf(text)).name).toBe("demo");
  expect((await projectOf(Buffer.from(text).swap16())).name).toBe("demo");
  await expect(projectOf(text.subarray(2))).rejects.toThrow(
    `${join(folder, "Pulumi.yaml")} is not UTF-8 text: it begins like UTF-16 or a binary file. Save it as UTF-8.`,
  );
});

describe("a range of versions", () => {
  test.each([
    ["3.260.0", true],
    ["=3.260.1", false],
    [">=3.200.0 <4.0.0", true],
    [">= 3.200.0", true],
    ["<3.260.0 || >=3.260.0", true],
    [">3.260.0", false],
    ["!=3.260.0", false],
    ["!3.1.0", true],
    ["3.x", true],
    ["3.260.x", true],
    [">3.x", false],
    ["<=3.x", true],
    ["<3.260.x", false],
    [">3.260.0-alpha.1", true],
    ["3.260.0-alpha.1", false],
    [">=3.260.1-rc", false],
  ])("%s includes 3.260.0: %s", (range, expected) => {
    expect(satisfiesRange(range, "3.260.0")).toBe(expected);
  });

  test.each(["^3.0.0", "~3.1.0", ">=3", "3", "latest", "", ">=3.1.0,<4.0.0"])("is not `%s`", (range) => {
    expect(() => satisfiesRange(range)).toThrow("is not a comparison");
  });

  test("is held against a version of Pulumi by default", () => {
    expect(satisfiesRange(`=${imitatedVersion}`)).toBe(true);
  });
});
