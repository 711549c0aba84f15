import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { packageName, pluginToken } from "../../provider/core/pulumi-names";
import { managedSpecs } from "../../provider/resources/index";
import { missing, unless } from "../e2e/hosts";
import { root } from "../rooms";
import { answersOf, expectedOf, type ToolClass } from "./support/class-members";
import { runAsProgram } from "./support/program";

unless(missing("pulumi", "pulumi-language-nodejs"), "the classes of a generated SDK", () => {
  let folder: string;
  let sdk: Record<string, ToolClass>;

  beforeAll(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "sdk-"));
    const env = { ...process.env, PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" };
    const args = ["package", "gen-sdk", join(root, "schema.json"), "--language", "nodejs", "--out", folder];
    execFileSync("pulumi", args, { env, stdio: "pipe" });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    sdk = compiled(join(folder, "nodejs"));
    await runAsProgram();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const types = [
    ...managedSpecs.map(({ kind, example }) => ({ name: kind, type: pluginToken(kind), example })),
    { name: "Provider", type: `pulumi:providers:${packageName}`, example: {} },
  ];

  test.each(types)("$name answers what the table of members says", ({ name, type, example }) => {
    const generated = sdk[name]!;
    const answers = answersOf({ class: generated, resource: new generated("one", example as never), type });
    expect(answers).toEqual(expectedOf(name === "Provider"));
  });
});

/** The generated package, compiled beside its sources as its own settings have it. */
function compiled(folder: string): Record<string, ToolClass> {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const { outputText } = transpileModule(readFileSync(join(folder, file), "utf8"), { compilerOptions });
    writeFileSync(join(folder, file.replace(/ts$/, "js")), outputText);
  }
  return require(join(folder, "index.js")) as Record<string, ToolClass>;
}
