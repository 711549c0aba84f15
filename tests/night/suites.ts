import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsIn, isLocal, resolved } from "../imports";
import { root } from "../rooms";

const { isWholeAtNight } = require("./selection.cjs") as { isWholeAtNight: (path: string) => boolean };

const marks = "tests/nightly";

/** Suites that the night may have a part in, by path: those that it has whole, and all that can mark their tests. */
export function nightSuites(): string[] {
  const imports = new Map<string, string[]>();
  const importsOf = (path: string): string[] => {
    const known = imports.get(path);
    if (known) return known;
    const file = [`${path}.ts`, join(path, "index.ts")].find((each) => existsSync(join(root, each)));
    const targets = file
      ? importsIn(file, readFileSync(join(root, file), "utf8"))
          .filter(isLocal)
          .map(resolved)
          .filter((target) => target.startsWith("tests/"))
      : [];
    imports.set(path, targets);
    return targets;
  };
  const suites = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("tests", file));
  return suites.filter((suite) => isWholeAtNight(suite) || reaches(suite.slice(0, -3), importsOf)).sort();
}

/** Whether a module imports the marks, itself or by others. */
function reaches(start: string, importsOf: (path: string) => string[]): boolean {
  const met = new Set([start]);
  for (const path of met) {
    if (path === marks) return true;
    for (const target of importsOf(path)) met.add(target);
  }
  return false;
}
