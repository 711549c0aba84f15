import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSecrets } from "../../engine/state/passphrase";
import { type Project, readProject } from "../../engine/state/project";
import { readStackConfig, resolveConfig, type StackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { fixture, fixturePassphrase, fixtureSalt, namedSecrets } from "./states";
import { temporaryFolder } from "./temporary-folder";

// A key takes a million rounds to derive, however long that is.
jest.setTimeout(120_000);

const minimal = "name: demo\nruntime: nodejs\n";
let folder: string;

async function projectOf(text: string, name = "Pulumi.yaml"): Promise<Project> {
  writeFileSync(join(folder, name), text);
  return readProject(folder);
}

async function configOf(text: string, project = minimal): Promise<StackConfig> {
  writeFileSync(join(folder, "Pulumi.dev.yaml"), text);
  return readStackConfig(await projectOf(project), "dev");
}

beforeEach(() => {
  folder = temporaryFolder();
});

describe("a project file", () => {
  test("is found in the folder or the nearest one above it", async () => {
    const project = await projectOf(
      "name: demo\nruntime: {name: nodejs, options: {typescript: false}}\nmain: src\ndescription: d\nbackend: {url: 'file://.'}\n",
    );
    mkdirSync(join(folder, "src/deep"), { recursive: true });
    expect(await readProject(join(folder, "src/deep"))).toEqual(project);
    expect(project).toEqual({
      name: "demo",
      runtime: { name: "nodejs", options: { typescript: false } },
      refresh: false,
      main: "src",
      description: "d",
      config: {},
      plugins: [],
      backendUrl: "file://.",
      file: join(folder, "Pulumi.yaml"),
      folder,
      checkout: folder,
      configFolder: folder,
    });
  });

  test("says where provider plugins are, by hand or by `pulumi package add`", async () => {
    const text = `${minimal}
plugins:
  providers:
    - { name: modelplatform, path: node_modules/.bin, version: 0.1.0 }
    - { name: incomplete }
packages:
  boxes: ./vendor/boxes
  crates: ./node_modules/@crates/plugin@1.2.0
  sacks: { source: ../sacks, version: 2.0.0 }
  bags: { source: bags, version: 2.0.0 }
  cloud: cloud@1.2.3
`;
    expect((await projectOf(text)).plugins).toEqual([
      { name: "modelplatform", path: "node_modules/.bin", version: "0.1.0" },
      { name: "boxes", path: "./vendor/boxes" },
      { name: "crates", path: "./node_modules/@crates/plugin", version: "1.2.0" },
      { name: "sacks", path: "../sacks", version: "2.0.0" },
    ]);
  });

  test.each([
    ["Pulumi.yml", minimal],
    ["Pulumi.json", '{"name": "demo", "runtime": "nodejs"}'],
  ])("may be %s", async (name, text) => {
    expect(await projectOf(text, name)).toMatchObject({
      name: "demo",
      runtime: { name: "nodejs", options: {} },
      file: join(folder, name),
    });
  });

  test("declares config for its stacks, in the long form and in the short one", async () => {
    const { config } = await projectOf(`${minimal}config:
  region: eu
  count: {type: integer, default: 3, description: how many}
  tags: {type: array, items: {type: array, items: {type: string}}}
  token: {type: string, secret: true}
  other:zone: b
  other:size: {value: 4}
`);
    expect(config).toEqual({
      region: { default: "eu", secret: false },
      count: { type: "integer", default: 3, description: "how many", secret: false },
      tags: { type: "array", items: { type: "array", items: { type: "string" } }, secret: false },
      token: { type: "string", secret: true },
      "other:zone": { default: "b", secret: false },
      "other:size": { default: 4, secret: false },
    });
  });

  test.each([
    ["config: stacks", "stacks"],
    ["stackConfigDir: stacks", "stacks"],
  ])("may keep the stacks' config elsewhere: %s", async (line, expected) => {
    expect((await projectOf(`${minimal}${line}\n`)).configFolder).toBe(join(folder, expected));
  });

  test.each([
    ["has no name", "runtime: nodejs\n", /needs a `name`/],
    ["has an impossible name", "name: a/b\nruntime: nodejs\n", /needs a `name`/],
    ["has no runtime", "name: demo\n", /needs a `runtime`/],
    ["is no YAML", "name: [", /cannot be read/],
    [
      "has a default of the wrong type",
      `${minimal}config: {count: {type: integer, default: many}}`,
      /`count` has a default that is not of its type `integer`/,
    ],
    ["has an array of nothing", `${minimal}config: {tags: {type: array}}`, /`tags` is an array/],
    ["has an unknown type", `${minimal}config: {tags: {type: set}}`, /`set`.*string, integer, boolean, array, object/],
    ["types another's key", `${minimal}config: {"other:x": {type: string, value: a}}`, /another namespace/],
    ["has a default and a value", `${minimal}config: {x: {default: a, value: b}}`, /both `default` and `value`/],
  ])("that %s is refused", async (_, text, message) => {
    await expect(projectOf(text)).rejects.toThrow(message);
  });

  test("that is missing is an error that names the places searched", async () => {
    await expect(readProject(folder)).rejects.toThrow(`no Pulumi.yaml in ${folder} or above it`);
  });
});

describe("a stack's config", () => {
  test("that the CLI wrote is read, its secrets too", async () => {
    const config = await configOf(fixture("Pulumi.dev.yaml").toString());
    const manager = await openSecrets({ passphrase: fixturePassphrase, salt: config.encryptionSalt });
    expect(config.encryptionSalt).toBe(fixtureSalt);
    const all = ["token", "demo:plain", "aws:region", "nested"].map((key) => config.get(key, manager));
    expect(all).toEqual(["s3cret<&>", "0042", "us", '{"b":true,"list":[{"x":1}],"pw":"hidden"}']);
    expect(
      ["nested.pw", "nested.list[0].x", "nested.none"].map((key) => config.get(key, manager, { path: true })),
    ).toEqual(["hidden", "1", undefined]);
    expect(["token", "nested", "plain", "none"].map((key) => config.isSecret(key))).toEqual([true, true, false, false]);
  });

  test("keeps comments, order and what did not change", async () => {
    const text = `# the stack\nconfig:\n  # where\n  demo:region: eu # for now\n  demo:list: [1, 2]   \n  demo:gone: 1\n\nencryptionsalt: v1:salt\n`;
    const config = await configOf(text);
    config.set("region", "us");
    config.set("new", "x");
    config.set("list[1]", "5", { path: true });
    config.remove("gone");
    await writeStackConfig(config);
    expect(readFileSync(config.file, "utf8")).toBe(
      `# the stack\nconfig:\n  # where\n  demo:region: us # for now\n  demo:list: [1, 5]   \n  demo:new: x\n\nencryptionsalt: v1:salt\n`,
    );
  });

  test("is gone without its last key, but for the salt", async () => {
    const config = await configOf("encryptionsalt: v1:salt\nconfig:\n  demo:a: x\n");
    config.remove("none");
    config.remove("a");
    expect(config.toString()).toBe("encryptionsalt: v1:salt\n");
  });

  test("takes keys without a namespace for the project's, also spelt so in the file", async () => {
    const config = await configOf("config:\n  region: eu\n  demo:config:old: x\n");
    expect(Object.keys(config.values())).toEqual(["demo:region", "demo:old"]);
    config.set("demo:region", "us");
    config.set("old", "z");
    expect(config.toString()).toBe("config:\n  region: us\n  demo:config:old: z\n");
  });

  test("writes strings so that no reader takes them for something else", async () => {
    const config = await configOf("");
    const texts = [
      "42",
      "0x1f",
      "0o17",
      "0b1",
      "1_000",
      "1e3",
      "yes",
      "off",
      "true",
      "null",
      "~",
      "",
      "2026-01-01",
      "12:30",
      " x ",
      "a: b",
      "#",
      "x".repeat(200),
    ];
    texts.forEach((text, index) => config.set(`k${index}`, text));
    await writeStackConfig(config);
    const read = await readStackConfig(config.project, "dev");
    expect(texts.map((_, index) => read.get(`k${index}`, undefined))).toEqual(texts);
    for (const text of texts.slice(0, 14)) expect(config.toString()).toContain(`: "${text}"\n`);
    expect(config.toString()).toContain(`: ${"x".repeat(200)}\n`);
  });

  test("gets a salt with its first secret", async () => {
    const config = await configOf("");
    config.set("token", "hidden", { secret: namedSecrets });
    config.set("deep.token", "1", { secret: namedSecrets, path: true });
    const sealed = namedSecrets.encrypt("hidden");
    expect(config.toString()).toBe(
      `encryptionsalt: v1:salt\nconfig:\n  demo:token:\n    secure: ${sealed}\n  demo:deep:\n    token:\n      secure: ${namedSecrets.encrypt("1")}\n`,
    );
    expect(config.get("token", namedSecrets)).toBe("hidden");
    expect(() => config.get("token", undefined)).toThrow(/`token` is a secret.*PULUMI_CONFIG_PASSPHRASE/);
    const other = { ...namedSecrets, state: { salt: "v1:other" } };
    expect(() => config.set("x", "y", { secret: other })).toThrow(/encryption salt in .* is not the one/);
  });

  test("keeps integers that no number holds", async () => {
    const config = await configOf("config:\n  demo:id: 12345678901234567890\n  demo:o: {id: 12345678901234567890}\n");
    config.set("x", "y");
    expect([config.get("id", undefined), config.get("o", undefined)]).toEqual([
      "12345678901234567890",
      '{"id":12345678901234567890}',
    ]);
    expect(config.toString()).toContain("demo:id: 12345678901234567890\n");
  });

  test("may be JSON when the project file is", async () => {
    writeFileSync(join(folder, "Pulumi.dev.json"), '{"config": {"demo:a": "x", "demo:n": 12345678901234567890}}');
    const config = await readStackConfig(
      await projectOf('{"name": "demo", "runtime": "nodejs"}', "Pulumi.json"),
      "dev",
    );
    config.set("b.c[0]", "true", { path: true });
    config.encryptionSalt = "v1:salt";
    await writeStackConfig(config);
    const text = readFileSync(join(folder, "Pulumi.dev.json"), "utf8");
    expect(text).toContain("12345678901234567890");
    expect(JSON.parse(text)).toMatchObject({
      config: { "demo:a": "x", "demo:b": { c: [true] } },
      encryptionsalt: "v1:salt",
    });
  });

  test.each(["a:b:c", ":a", "a:", ""])("has no key `%s`", async (key) => {
    const config = await configOf("");
    expect(() => config.set(key, "x")).toThrow(/is not a config key/);
  });

  test.each([
    ["secretsprovider: cloudkms://x\n", /`cloudkms:\/\/x`.*Pulumi CLI/],
    ["encryptedkey: abc\n", /Pulumi CLI/],
    ["environment: [prod]\n", /`environment`.*Pulumi CLI/],
    ["config: [\n", /cannot be read/],
  ])("that asks for more than is supported is refused: %j", async (text, message) => {
    await expect(configOf(text)).rejects.toThrow(message);
  });
});

describe("the config of an operation", () => {
  const declared = `${minimal}config:
  region: eu
  count: {type: integer, default: 3}
  tags: {type: array, items: {type: string}, default: [a, b]}
  ratio: {default: 1.5}
  other:zone: b
`;

  test("is the stack's values over the project's, as Pulumi gives them to a program", async () => {
    const config = await configOf(
      "config:\n  demo:region: us\n  demo:on: true\n  demo:pw: {secure: c2VhbGVk}\n  demo:o: {b: {secure: c2VhbGVk}}\n",
      declared,
    );
    const { values, secretKeys, secrets } = resolveConfig(config.project, config, {
      ...namedSecrets,
      decrypt: () => "plain",
    });
    expect(values).toEqual({
      "demo:count": "3",
      "demo:o": '{"b":"plain"}',
      "demo:on": "true",
      "demo:pw": "plain",
      "demo:ratio": "1.5",
      "demo:region": "us",
      "demo:tags": '["a","b"]',
      "other:zone": "b",
    });
    expect(secretKeys).toEqual(["demo:o", "demo:pw"]);
    expect(secrets).toEqual(["plain", "plain"]);
    expect(config.get("region", undefined)).toBe("us");
    expect(config.get("count", undefined)).toBe("3");
  });

  test("needs no passphrase without secrets", async () => {
    const config = await configOf("config: {demo:a: x}\n");
    expect(resolveConfig(config.project, config, undefined)).toEqual({
      values: { "demo:a": "x" },
      secretKeys: [],
      secrets: [],
    });
  });

  test("that does not fit is refused with all that is wrong", async () => {
    const wanted = `${minimal}config:\n  missing: {type: string}\n  count: {type: integer}\n  token: {type: string, secret: true}\n  tags: {type: array, items: {type: integer}}\n  on: {type: boolean}\n`;
    const config = await configOf(
      "config: {demo:count: many, demo:token: open, demo:tags: [1, x], demo:on: yes-please}\n",
      wanted,
    );
    let message = "";
    try {
      resolveConfig(config.project, config, undefined);
    } catch (error) {
      message = String(error);
    }
    expect(message.split("\n").slice(1)).toEqual([
      "  `count` must be of type `integer`",
      "  `missing` is not set: `npx pulumi-modelplatform config set missing <value>`",
      "  `on` must be of type `boolean`",
      "  `tags` must be of type `array<integer>`",
      "  `token` must be a secret: `npx pulumi-modelplatform config set --secret token`",
    ]);
    expect(message).not.toContain("open");
  });

  test.each([
    ["integer", "'12'", true],
    ["integer", "1.0", true],
    ["boolean", "'true'", true],
    ["boolean", "'1'", false],
    ["string", "12", true],
    ["string", "[a]", false],
    ["object", "{a: 1}", true],
    ["object", "text", false],
  ])("of type %s may be %s: %s", async (type, value, fits) => {
    const config = await configOf(`config:\n  demo:x: ${value}\n`, `${minimal}config: {x: {type: ${type}}}\n`);
    const resolve = (): unknown => resolveConfig(config.project, config, undefined);
    if (fits) expect(resolve).not.toThrow();
    else expect(resolve).toThrow(/must be of type/);
  });
});
