import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import * as program from "../provider/index";
import { managedSpecs } from "../provider/resources/index";
import { conventionalOperations } from "./contract/reference/conventional-operations";
import { listedOperations } from "./contract/reference/operations";
import { reference } from "./contract/reference/tables";
import { valid } from "./contract/reference/valid";
import { subjects } from "./lifecycle/contract/subjects/index";
import { variants } from "./matrix/kinds";

const root = join(__dirname, "..");
const kebab = (kind: string): string => kind.replaceAll(/(?<!^)[A-Z]/g, "-$&").toLowerCase();

interface Step {
  isDone(spec: ResourceSpec): boolean;
  /** What to write, and where. */
  todo(spec: ResourceSpec): string;
}

/** What a kind needs besides its declaration, in the order in which it is easiest to write. */
const steps: readonly Step[] = [
  {
    isDone: ({ kind }) => kind in reference && kind in valid,
    todo: ({ kind }) =>
      `State its fields a second time, from the API's description and not from the declaration, in tests/contract/reference/${kebab(kind)}.ts. Add \`${kind}\` to SettableKind in types.ts beside it; \`npx tsc -p tests\` then names the tables that lack it. Secrets are also listed in secret-positions.ts, ids and deletion in tests/contract/behaviour.test.ts.`,
  },
  {
    isDone: ({ collection }) =>
      [...listedOperations, ...conventionalOperations].some(({ path }) => path.split("/").includes(collection)),
    todo: ({ collection }) =>
      `State the operations on \`${collection}\` in tests/contract/reference/conventional-operations.ts, with the conventions they rest on.`,
  },
  {
    isDone: ({ kind }) => subjects.some((subject) => subject.kind === kind),
    todo: ({ kind }) =>
      `Write tests/lifecycle/contract/subjects/${kebab(kind)}.ts and list it in subjects/index.ts: the contract suites put every subject through create, update, replacement, faults and crashes.`,
  },
  {
    isDone: ({ kind }) => variants.some((variant) => variant.kind === kind),
    todo: ({ kind }) =>
      `Add a variant of \`${kind}\` to tests/matrix/kinds.ts: the matrix then tries what engine commands do to its objects, and \`npm run matrix\` writes its page.`,
  },
  {
    isDone: ({ kind }) => hasExample(kind),
    todo: ({ kind }) =>
      `Write examples/${kebab(kind)} with a program that declares one (copy examples/secret, and describe it in Pulumi.yaml), then run \`npm install\` to link it.`,
  },
  {
    isDone: ({ kind }) =>
      kind in program && readFileSync(join(root, "schema.json"), "utf8").includes(`"modelplatform:index:${kind}"`),
    todo: ({ kind }) =>
      `Run \`npm run generate\`, which writes the class of \`${kind}\` and its page, and \`npm run coverage\`; commit what they write. \`npx tsc -p tests\` then asks for \`${kind}\` in tests/types/agreement.ts.`,
  },
];

function hasExample(kind: string): boolean {
  const file = join(root, "examples", kebab(kind), "index.ts");
  return existsSync(file) && readFileSync(file, "utf8").includes(`new ${kind}(`);
}

test.each(managedSpecs.map((spec) => [spec.kind, spec] as const))(
  "%s has everything that a kind needs; what is missing is listed in order",
  (_, spec) => {
    expect(steps.filter(({ isDone }) => !isDone(spec)).map(({ todo }) => todo(spec))).toEqual([]);
  },
);
