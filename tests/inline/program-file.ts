import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformSync } from "@swc/core";

/**
 * Runs the program of a folder again, as a process of its own would, its own modules included, with `packages` of this
 * process; its exports.
 */
export function runProgram(folder: string, packages: Readonly<Record<string, unknown>>): unknown {
  const loaded = new Map<string, { exports: unknown }>();

  function run(filename: string): unknown {
    const known = loaded.get(filename);
    if (known) return known.exports;
    const { code } = transformSync(readFileSync(filename, "utf8"), {
      filename,
      jsc: { target: "es2022", parser: { syntax: "typescript" } },
      module: { type: "commonjs" },
    });
    const module: { exports: unknown } = { exports: {} };
    loaded.set(filename, module);
    const load = (name: string): unknown => packages[name] ?? loadFrom(dirname(filename), name);
    const around = ["require", "module", "exports", "__dirname"];
    new Function(...around, code)(load, module, module.exports, dirname(filename));
    return module.exports;
  }

  function loadFrom(from: string, name: string): unknown {
    const own = name.startsWith(".") ? [join(from, `${name}.ts`), join(from, name, "index.ts")] : [];
    const found = own.find((file) => existsSync(file));
    return found === undefined ? require(name.startsWith(".") ? join(from, name) : name) : run(found);
  }

  return run(join(folder, "index.ts"));
}
