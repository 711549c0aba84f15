import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCompiler } from "../../engine/processes/remembering-compiler";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "compiler-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a compiler without what programs need is a sentence, which says what to install", () => {
  const compiler = openCompiler(() => ({ version: "7.0.2" }), __filename, { folder, module: __filename });
  const parse = compiler["parseJsonConfigFileContent"] as (json: object, host: object) => unknown;
  let error: Error | undefined;
  try {
    parse({}, {});
  } catch (thrown) {
    error = thrown as Error;
  }
  expect(error?.message).toBe(
    "TypeScript 7.0.2 of this project cannot compile programs. Install one that can: `npm install --save-dev typescript@5`.",
  );
  // What is printed of an error that nobody takes.
  expect(error?.stack).toBe(error?.message);
});
