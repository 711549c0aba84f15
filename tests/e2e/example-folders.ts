import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./engines";

/** Folders that are no example to be run here, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "policy-pack": "is no program: tests/e2e/policy-pack runs it",
  first: "it is the program of README.md: tests/docs/played follows it",
  quickstart: "`npm start` runs it, with drift and healing between up and destroy",
  "python-quickstart": "it is written in Python: tests/e2e/languages runs it with the Pulumi CLI",
  ci: "it is a pipeline, not a program",
  scale: "it holds manifests of a cluster: tests/scale runs their commands",
  cost: "it is a price file: tests/cost/price-file reads it",
  "drift-metrics": "it holds a dashboard and alerts: tests/drift/report/openmetrics knows their metrics",
  "drift-history": "it holds queries: tests/drift/history/duckdb runs them",
};

const folders = readdirSync(join(repository, "examples"), { withFileTypes: true });

/** The examples that are programs in TypeScript with a stack of their own. */
export const examples = folders
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !(entry.name in leftOut))
  .map(({ name }) => name);

const readmeOf = (example: string): string => readFileSync(join(repository, "examples", example, "README.md"), "utf8");

/** Accounts that a README opens in the emulator, with their keys. */
export const accountsOf = (example: string): [account: string, key: string][] =>
  [...readmeOf(example).matchAll(/--account (\S+)=(\S+)/g)].map(([, account, key]) => [account!, key!]);

/** What a README exports. */
export const exportsOf = (example: string): [name: string, value: string][] =>
  [...readmeOf(example).matchAll(/^export (.*)$/gm)].flatMap(([, line]) =>
    [...line!.matchAll(/(\w+)=(?:'([^']*)'|(\S+))/g)].map(([, name, quoted, bare]): [string, string] => [
      name!,
      quoted ?? bare!,
    ]),
  );
