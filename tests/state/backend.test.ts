import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BackendOptions, type FileBackend, openBackend } from "../../engine/state/backend";
import type { Project } from "../../engine/state/project";
import { resource, snapshotOf } from "./states";
import { temporaryFolder } from "./temporary-folder";

let folder: string;
const open = (options: BackendOptions = {}): FileBackend =>
  openBackend(`file://${folder}`, {
    home: join(folder, "home"),
    env: {},
    clock: () => new Date("2026-01-02T03:04:05Z"),
    ...options,
  });
const project = (name = "demo"): Project => ({
  name,
  runtime: { name: "nodejs", options: {} },
  config: {},
  plugins: [],
  file: "/projects/demo/Pulumi.yaml",
  folder: "/projects/demo",
  refresh: false,
  checkout: "/projects/demo",
  configFolder: "/projects/demo",
});

beforeEach(() => {
  folder = temporaryFolder();
});

describe("a backend URL", () => {
  test.each([
    ["file:///var/state", "/var/state"],
    ["file:///var/my%20state", "/var/my state"],
    ["file:///var/state?no_tmp_dir=true&metadata=skip", "/var/state"],
    ["file://.", "/projects/web"],
    ["file://./state", "/projects/web/state"],
    ["file://../state", "/projects/state"],
    ["file://state", "/projects/web/state"],
    ["file://~", "/home/ada"],
    ["file://~/state", "/home/ada/state"],
  ])("%s is the folder %s", (url, expected) => {
    expect(openBackend(url, { cwd: "/projects/web", home: "/home/ada" }).folder).toBe(resolve(expected));
  });

  test.each([
    ["https://api.example.com", /`file:\/\/`.*PULUMI_BACKEND_URL.*Pulumi CLI/],
    ["s3://bucket", /Pulumi CLI/],
    ["postgres://me:pa55@host/db", /\*\*\*\*@host/],
    ["file:///state?region=eu", /`region`.*Pulumi CLI/],
    ["file:///100%", /%25/],
  ])("%s is refused with what to do", (url, message) => {
    expect(() => openBackend(url)).toThrow(message);
    expect(() => openBackend(url)).not.toThrow(/pa55/);
  });

  test("is kept as it was given: the CLI remembers the selected stack by it", () => {
    expect(openBackend("file://~", { home: "/home/ada" }).url).toBe("file://~");
  });
});

describe("a backend's folder", () => {
  test("is marked as Pulumi's when the first stack is made, and not before", async () => {
    const backend = open();
    expect(await backend.listStacks()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await backend.createStack("shop", "dev");
    expect(readFileSync(join(folder, ".pulumi/meta.yaml"), "utf8")).toBe("version: 1\n");
  });

  test.each([
    [
      "of a layout to come",
      () => writeFileSync(join(folder, ".pulumi/meta.yaml"), "version: 2\n"),
      /layout version 2.*Pulumi CLI/,
    ],
    [
      "of an unknown layout",
      () => writeFileSync(join(folder, ".pulumi/meta.yaml"), "hello\n"),
      /layout version undefined.*Pulumi CLI/,
    ],
    [
      "of before there were projects",
      () => writeFileSync(join(folder, ".pulumi/stacks/dev.json"), "{}"),
      /pulumi state upgrade/,
    ],
  ])("%s is refused with what to do", async (_, prepare, message) => {
    mkdirSync(join(folder, ".pulumi/stacks"), { recursive: true });
    prepare();
    await expect(open().listStacks()).rejects.toThrow(message);
  });
});

describe("the stacks of a backend", () => {
  test("are listed by project and name, in any of the CLI's formats", async () => {
    for (const name of ["web", "demo", ".hidden"]) mkdirSync(join(folder, ".pulumi/stacks", name), { recursive: true });
    const files = [
      "demo/prod.json.gz",
      "demo/dev.json",
      "demo/dev.json.bak",
      "demo/dev.json.attrs",
      "demo/dev.pulumi-tags",
      "demo/old.json.zst",
      "web/dev.json",
    ];
    for (const file of files) writeFileSync(join(folder, ".pulumi/stacks", file), "{}");
    writeFileSync(join(folder, ".pulumi/meta.yaml"), "version: 1\n");
    const named = (project: string, name: string): object => ({ project, name });
    expect(await open().listStacks()).toEqual([
      named("demo", "dev"),
      named("demo", "old"),
      named("demo", "prod"),
      named("web", "dev"),
    ]);
    expect(await open().listStacks("web")).toEqual([named("web", "dev")]);
  });

  test("are made once", async () => {
    const stack = await open().createStack("demo", "dev");
    expect(await stack.load()).toMatchObject({ resources: [], manifest: { time: "2026-01-02T03:04:05.000Z" } });
    await expect(open().createStack("demo", "dev")).rejects.toThrow(/already exists/);
    expect(readdirSync(join(folder, ".pulumi/locks/organization/demo/dev"))).toEqual([]);
  });

  test.each(["", "a/b", "..", "a b", "x".repeat(101)])("have names that Pulumi takes, unlike `%s`", (name) => {
    expect(() => open().stack("demo", name)).toThrow(/stack name/);
    expect(() => open().stack(name, "dev")).toThrow(/project name/);
  });

  test("are removed when nothing but the stack itself is in them, or by force", async () => {
    const root = resource("stack", { type: "pulumi:pulumi:Stack", custom: false });
    await open().createStack("demo", "empty", snapshotOf([root]));
    await open().removeStack("demo", "empty");
    await open().createStack("demo", "full", snapshotOf([root, resource("a")]));
    await expect(open().removeStack("demo", "full")).rejects.toThrow(
      /1 resource, such as .*Thing::a\. Destroy it first, or .*--force/,
    );
    await open().removeStack("demo", "full", { force: true });
    expect(await open().listStacks()).toEqual([]);
    await expect(open().removeStack("demo", "full")).rejects.toThrow(/no stack full/);
  });

  test("are removed by force even when their state is damaged", async () => {
    await open().createStack("demo", "dev");
    writeFileSync(join(folder, ".pulumi/stacks/demo/dev.json"), "{");
    await expect(open().removeStack("demo", "dev")).rejects.toThrow(/cannot be read/);
    await open().removeStack("demo", "dev", { force: true });
    expect(await open().listStacks()).toEqual([]);
  });

  test("have their states listed while a rename has left them without a name", async () => {
    const backend = open();
    await backend.createStack("demo", "dev", snapshotOf([resource("a")]));
    await backend.createStack("web", "dev");
    await backend.stack("demo", "dev").putAside({ to: "live" });
    const named = async (project?: string) =>
      Promise.all(
        (await backend.listStates(project)).map(async ({ project: of, name, load }) => [
          `${of}/${name}`,
          (await load())?.resources.map(({ id }) => id),
        ]),
      );
    expect((await backend.listStacks()).map(({ project: of, name }) => `${of}/${name}`)).toEqual(["web/dev"]);
    expect(await named()).toEqual([
      ["web/dev", []],
      ["demo/dev", ["id-a"]],
    ]);
    await expect(backend.createStack("demo", "live")).rejects.toThrow(/in the middle of `stack rename` of dev to live/);
    // The new state is there: what was put aside is a copy.
    renameSync(join(folder, ".pulumi/stacks/web/dev.json"), join(folder, ".pulumi/stacks/demo/live.json"));
    expect(await named("demo")).toEqual([["demo/live", []]]);
  });

  test("are neither made nor removed while an operation has their lock", async () => {
    await open().createStack("demo", "dev");
    const lock = open().lock("demo", "dev");
    await lock.acquire();
    await expect(open().removeStack("demo", "dev", { force: true })).rejects.toThrow(/is locked/);
    await lock.release();
  });
});

describe("the selected stack", () => {
  // SHA-1 of the project file's path.
  const remembered = "workspaces/demo-0171842e8f6a8327cc241b963e2d3298686f79d2-workspace.json";
  const settings = (): unknown => JSON.parse(readFileSync(join(folder, "home/.pulumi", remembered), "utf8"));

  test("is remembered where the CLI does, in the form of new CLIs and of old ones", async () => {
    await open().createStack("demo", "dev");
    expect(await open().selectedStack(project())).toBeUndefined();
    await open().selectStack(project(), "dev");
    expect(settings()).toEqual({
      stack: "organization/demo/dev",
      stacks: { [`file://${folder}`]: "organization/demo/dev" },
    });
    expect(await open().selectedStack(project())).toBe("dev");
    await open().selectStack(project(), undefined);
    expect(readdirSync(join(folder, "home/.pulumi/workspaces"))).toEqual([]);
    expect(await open().selectedStack(project())).toBeUndefined();
  });

  test("is kept apart by backend, and other settings stay", async () => {
    mkdirSync(join(folder, "pulumi/workspaces"), { recursive: true });
    writeFileSync(
      join(folder, "pulumi", remembered),
      JSON.stringify({ stacks: { "https://elsewhere": "org/demo/prod" }, more: 1 }),
    );
    const backend = open({ env: { PULUMI_HOME: join(folder, "pulumi") } });
    await backend.createStack("demo", "dev");
    await backend.selectStack(project(), "dev");
    const stacks = { "https://elsewhere": "org/demo/prod", [`file://${folder}`]: "organization/demo/dev" };
    expect(JSON.parse(readFileSync(join(folder, "pulumi", remembered), "utf8"))).toEqual({
      more: 1,
      stack: "organization/demo/dev",
      stacks,
    });
  });

  test.each([
    ["what an old CLI chose", { stack: "dev" }, "dev"],
    ["the full name", { stack: "organization/demo/dev" }, "dev"],
    ["a stack that is gone", { stack: "gone" }, undefined],
    ["a stack of another project", { stack: "organization/web/dev" }, undefined],
    ["nothing", {}, undefined],
  ])("is read from %s", async (_, content, expected) => {
    mkdirSync(join(folder, "home/.pulumi/workspaces"), { recursive: true });
    writeFileSync(join(folder, "home/.pulumi", remembered), JSON.stringify(content));
    await open().createStack("demo", "dev");
    expect(await open().selectedStack(project())).toBe(expected);
  });

  test("is the one that PULUMI_STACK names, and an error if that does not exist", async () => {
    await open().createStack("demo", "dev");
    await open().createStack("demo", "prod");
    await open().selectStack(project(), "dev");
    expect(await open({ env: { PULUMI_STACK: "prod" } }).selectedStack({ ...project(), name: "demo" })).toBe("prod");
    await expect(open({ env: { PULUMI_STACK: "gone" } }).selectedStack(project())).rejects.toThrow(
      /PULUMI_STACK.*gone/,
    );
  });

  test("that cannot be read says what to remove", async () => {
    mkdirSync(join(folder, "home/.pulumi/workspaces"), { recursive: true });
    writeFileSync(join(folder, "home/.pulumi", remembered), "{");
    await expect(open().selectedStack(project())).rejects.toThrow(/Remove it and select the stack again/);
  });
});
