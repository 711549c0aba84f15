import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { installedFrom } from "../../cli/stack/new";
import { manifest } from "../../io/files/package";
import { root } from "../rooms";
import { modelplatform, temporaryFolder } from "./terminal";

const templates = readdirSync(join(root, "examples")).filter((name) =>
  existsSync(join(root, "examples", name, "Pulumi.yaml")),
);

const projectIn = (folder: string): Record<string, unknown> =>
  parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) as Record<string, unknown>;

/** An empty folder of that name. */
function folderNamed(name: string): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  return folder;
}

test.each(templates)("new --template %s copies a project that stands alone", async (template) => {
  const cwd = folderNamed("my shop");
  const { code, stderr } = await modelplatform(["new", "--template", template], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(projectIn(cwd)).toMatchObject({ name: "my-shop" });
  expect(projectIn(cwd)).not.toHaveProperty("template");
  expect(readdirSync(cwd)).not.toContain("README.md");
  const compiler = join(cwd, "tsconfig.json");
  if (existsSync(compiler)) expect(JSON.parse(readFileSync(compiler, "utf8"))).not.toHaveProperty("extends");
});

test.each(templates)("the example %s is a template for `pulumi new`", (template) => {
  const { description, template: declared } = projectIn(join(root, "examples", template));
  expect(declared).toMatchObject({
    description,
    quickstart: expect.stringContaining("npm install"),
    config: { "modelplatform:accountId": { description: expect.any(String) } },
  });
});

test.each(templates)("`npm install` finds what %s depends on outside of the clone", (template) => {
  const path = join(root, "examples", template, "package.json");
  const { dependencies, devDependencies } = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  expect(
    Object.values({ ...dependencies, ...devDependencies }).filter((version) => /^\w+:/.test(`${version}`)),
  ).toEqual([]);
});

test("a package.json that is there keeps what it says, and gets what is missing", async () => {
  const cwd = folderNamed("shop");
  const own = { main: "index.js", dependencies: { "pulumi-modelplatform": "file:../p.tgz" } };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(own));
  await modelplatform("new", { cwd });
  expect(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"))).toMatchObject({
    main: "index.ts",
    dependencies: { "pulumi-modelplatform": "file:../p.tgz", "@pulumi/pulumi": expect.any(String) },
  });
});

test("where the package runs from a clone, new says which line installs it", async () => {
  const cwd = folderNamed("shop");
  const { stdout } = await modelplatform("new", { cwd });
  expect(stdout).toMatch(/package\.json lacks pulumi-modelplatform.*`npm pack`/);
  const { dependencies } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  expect(Object.keys(dependencies).sort()).toEqual(["@pulumi/pulumi", "typescript"]);
});

test("what npm has installed already is not asked for again", async () => {
  const cwd = folderNamed("shop");
  for (const name of ["@pulumi/pulumi", "typescript"]) {
    expect((await modelplatform("new", { cwd })).stdout).toContain("Next: `npm install`, then");
    for (const file of readdirSync(cwd).filter((each) => each !== "node_modules")) rmSync(join(cwd, file));
    mkdirSync(join(cwd, "node_modules", name), { recursive: true });
    writeFileSync(join(cwd, "node_modules", name, "package.json"), "{}");
  }
  expect((await modelplatform("new", { cwd })).stdout).toContain("Next: `npx pulumi-modelplatform stack init dev`.");
});

/** What npm has installed in a folder, as it notes it. */
function installed(folder: string, resolved: string): string {
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  const packages = { "node_modules/pulumi-modelplatform": { resolved } };
  writeFileSync(join(modules, ".package-lock.json"), JSON.stringify({ packages }));
  return join(modules, "pulumi-modelplatform");
}

test("the package is installed again from where npm has it from", () => {
  const parent = temporaryFolder();
  const [shop, tools] = [join(parent, "shop"), join(parent, "tools")];
  const packed = installed(tools, "file:../pulumi-modelplatform-0.1.0.tgz");
  expect(installedFrom(packed, shop)).toBe("file:../pulumi-modelplatform-0.1.0.tgz");
  expect(installedFrom(packed, join(shop, "infra"))).toBe("file:../../pulumi-modelplatform-0.1.0.tgz");
  expect(installedFrom(installed(shop, "https://registry.example.com/p.tgz"), shop)).toBe(`^${manifest().version}`);
  expect(installedFrom(parent, shop)).toBeUndefined();
});

test("nothing is copied over a file that is there", async () => {
  const cwd = folderNamed("shop");
  writeFileSync(join(cwd, "index.ts"), "mine");
  const { code, stderr } = await modelplatform("new", { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain("index.ts would be overwritten");
  expect(readdirSync(cwd)).toEqual(["index.ts"]);
});

test("an unknown template is answered with those that there are", async () => {
  const { code, stderr } = await modelplatform("new --template shop", { cwd: temporaryFolder() });
  expect(code).toBe(64);
  expect(stderr.replace(/\s+/g, " ")).toContain(templates.join(", "));
});
