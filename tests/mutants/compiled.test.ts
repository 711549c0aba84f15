import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledCopy } from "../../measure/mutants/compiled";
import { temporaryFolder } from "../state/temporary-folder";

test("a mutant is compiled into a copy that is the package itself", () => {
  const root = temporaryFolder();
  for (const folder of ["dist/io", "io", "node_modules/zod", ".git"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "io/one.ts"), "export const one: number = 1;\n");
  writeFileSync(join(root, "dist/io/one.js"), "built");
  const copy = compiledCopy(root);
  const output = join(copy.root, "dist/io/one.js");
  const restore = copy.put("io/one.ts", "export const one: number = 2;\n");
  expect(require(output)).toMatchObject({ one: 2 });
  expect(readFileSync(join(root, "dist/io/one.js"), "utf8")).toBe("built");
  restore();
  expect(readFileSync(output, "utf8")).toBe("built");
  expect(readlinkSync(join(copy.root, "node_modules/zod"))).toBe(join(root, "node_modules/zod"));
  expect(readlinkSync(join(copy.root, "node_modules/pulumi-modelplatform"))).toBe("..");
  expect(existsSync(join(copy.root, ".git"))).toBe(false);
  copy.remove();
  expect(existsSync(copy.root)).toBe(false);
});
