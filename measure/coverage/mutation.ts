import { readFileSync } from "node:fs";
import Module from "node:module";
import { join, resolve } from "node:path";
import { transformSync } from "@swc/core";
import { expect } from "expect";
import * as circus from "jest-circus";
import { rooms, root } from "../../tests/rooms";
import { type Claim, mutable, titleOf } from "./claims";
import type { Mutant } from "./mutants";
import { mutated } from "./sources";

/**
 * Switches one rule off at a time and runs the tests that claim it, in this process: a test that passes anyway
 * does not show the rule. Sources are changed as they are loaded, so that nothing in them knows of it.
 */

const tests = resolve(__dirname, "../../tests");

export interface MutationOutcome {
  claim: Claim;
  /** Mutants that no claiming test noticed. */
  survivors: readonly Mutant[];
  /** Claiming tests that noticed no mutant, by file and title. */
  idle: readonly string[];
  /** Why the claim could not be tried. */
  broken?: string;
}

let current: Mutant | undefined;
const compiled = new Map<string, string>();

const swc = { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } } as const;

function load(module: { _compile(code: string, filename: string): void }, filename: string): void {
  const isMutant = current !== undefined && filename === join(root, current.file);
  const source = readFileSync(filename, "utf8");
  if (isMutant) return module._compile(transformSync(mutated(current!, source), { filename, ...swc }).code, filename);
  if (!compiled.has(filename)) compiled.set(filename, transformSync(source, { filename, ...swc }).code);
  module._compile(compiled.get(filename)!, filename);
}

const own = (file: string): boolean =>
  [...rooms, "tests"].some((folder) => file.startsWith(join(root, folder, "/"))) && !file.startsWith(`${__dirname}/`);

/** Everything is loaded again, so that what has been derived from a declaration is derived again. */
function forget(): void {
  for (const file of Object.keys(require.cache)) if (own(file)) delete require.cache[file];
  const { z } = require("zod") as typeof import("zod");
  z.globalRegistry.clear();
}

/** A pattern for the tests that a title with placeholders stands for. */
const patternOf = (title: string): string =>
  `${title
    .split(/%[sijp#]|\$\w+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*")}$`;

/** Titles of the claimed tests of a file that fail; an error where the file cannot be loaded or has no such test. */
async function failuresIn(file: string, titles: readonly string[]): Promise<string[]> {
  forget();
  circus.resetState();
  const state = circus.getState();
  state.testTimeout = 20_000;
  state.testNamePattern = new RegExp(titles.map((title) => `(?:${patternOf(title)})`).join("|"));
  const { describe, test, it, beforeAll, beforeEach, afterAll, afterEach } = circus;
  Object.assign(globalThis, { describe, test, it, beforeAll, beforeEach, afterAll, afterEach, expect });
  require(join(tests, file));
  const { testResults } = await circus.run();
  const ran = testResults.filter(({ status }) => status === "done");
  return titles.filter((title) => {
    const pattern = new RegExp(patternOf(title));
    const instances = ran.filter(({ testPath }) => pattern.test(testPath.join(" ")));
    if (instances.length === 0) throw new Error(`${file} has no test "${title}"`);
    return instances.some(({ errors }) => errors.length > 0);
  });
}

async function failing(claim: Claim, mutant: Mutant | undefined): Promise<string[]> {
  current = mutant;
  const files = [...new Set(claim.tests.map(([file]) => file))];
  const failed: string[] = [];
  for (const file of files) {
    const titles = claim.tests.flatMap((test) => (test[0] === file ? [titleOf(test)] : []));
    for (const title of await failuresIn(file, titles)) failed.push(`${file}: ${title}`);
  }
  return failed;
}

export async function tryOut(claim: Claim): Promise<MutationOutcome> {
  const named = claim.tests.map((test) => `${test[0]}: ${titleOf(test)}`);
  try {
    const before = await failing(claim, undefined);
    if (before.length > 0) return { claim, survivors: [], idle: [], broken: `fails as it is: ${before.join("; ")}` };
    const survivors: Mutant[] = [];
    const noticed = new Set<string>();
    for (const mutant of claim.off?.mutants ?? []) {
      const failed = await failing(claim, mutant);
      if (failed.length === 0) survivors.push(mutant);
      for (const each of failed) noticed.add(each);
    }
    return { claim, survivors, idle: survivors.length > 0 ? [] : named.filter((each) => !noticed.has(each)) };
  } catch (error) {
    return { claim, survivors: [], idle: [], broken: error instanceof Error ? error.message : String(error) };
  }
}

export async function tryAll(): Promise<MutationOutcome[]> {
  const extensions = (Module as unknown as { _extensions: Record<string, unknown> })._extensions;
  const before = extensions[".ts"];
  extensions[".ts"] = load;
  try {
    const outcomes: MutationOutcome[] = [];
    for (const claim of mutable) outcomes.push(await tryOut(claim));
    return outcomes;
  } finally {
    extensions[".ts"] = before;
  }
}
