import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { identifyOperation, type ResourceSpec } from "../provider/core/declaration/resource";
import * as program from "../provider/index";
import { allSpecs } from "../provider/resources/index";
import { conventionalOperations } from "./contract/reference/conventional-operations";
import { listedOperations } from "./contract/reference/operations";
import { reference } from "./contract/reference/tables";
import { valid } from "./contract/reference/valid";
import { liveWorld } from "./e2e/live-world";
import { subjects } from "./lifecycle/contract/subjects/index";

const root = join(__dirname, "..");
const contains = (file: string, text: string): boolean =>
  existsSync(join(root, file)) && readFileSync(join(root, file), "utf8").includes(text);
const kebab = (kind: string): string => kind.replaceAll(/(?<!^)[A-Z]/g, "-$&").toLowerCase();

interface Step {
  isDone(spec: ResourceSpec): boolean;
  /** What to write, and where. */
  todo(spec: ResourceSpec): string;
}

/** What a kind needs besides its declaration, in the order in which it is easiest to write. */
const steps: readonly Step[] = [
  {
    isDone: (spec) => existsOnce(spec) === (spec.singleton === true),
    todo: (spec) =>
      `Set both or neither of \`decidedBy: "account"\` and \`singleton: true\` in ${declarationOf(spec)}: the account names what exists once in it.`,
  },
  {
    isDone: (spec) => !existsOnce(spec) || uncleared(spec).length === 0,
    todo: (spec) =>
      `Removing \`${spec.kind}\` from a program leaves, restores or clears it, because nothing can delete it. In ${declarationOf(spec)}, ${uncleared(spec).join(", and ")}.`,
  },
  {
    isDone: (spec) => missingVerbs(spec).length === 0,
    todo: (spec) =>
      `Declare a route for ${missingVerbs(spec).join(", ")} among the operations in ${declarationOf(spec)}: the life cycle of \`${spec.kind}\` sends ${missingVerbs(spec).length === 1 ? "it" : "them"}.`,
  },
  {
    isDone: (spec) => strayRoutes(spec).length === 0,
    todo: (spec) =>
      `Make \`name\`, \`collection\` and routes in ${declarationOf(spec)} agree. By its name, an object of \`${spec.kind}\` is at ${objectPath(spec)}; not so ${strayRoutes(spec).join(", ")}.`,
  },
  {
    isDone: ({ kind }) => kind in reference && kind in valid,
    todo: ({ kind }) =>
      `State its fields a second time, from the API's description and not from the declaration, in tests/contract/reference/${kebab(kind)}.ts. Add \`${kind}\` to SettableKind in types.ts beside it; \`npm run build && node tools/check-types.mjs\` then names the tables that lack it. Limits are also listed in limits.ts, secrets in secret-positions.ts.`,
  },
  {
    isDone: ({ kind }) => contains("tests/contract/behaviour.test.ts", `${kind}: { decidedBy: `),
    todo: ({ kind }) =>
      `State in tests/contract/behaviour.test.ts who decides the id of \`${kind}\` and what a delete leaves; and what each of its states means, if it has any.`,
  },
  {
    isDone: ({ collection }) =>
      [...listedOperations, ...conventionalOperations].some(({ path }) => path.split("/").includes(collection)),
    todo: ({ collection }) =>
      `State the operations on \`${collection}\` in tests/contract/reference/conventional-operations.ts, with the conventions they rest on. If the sentence of one names its kinds, as that of A011 does, add yours to it in docs/conventions.md. None of these reads needs a look-up function; add those that programs should call to provider/resources/functions.ts.`,
  },
  {
    isDone: ({ kind }) => contains("tests/emulator/application/contract.test.ts", `\n  ${kind}: (service, body`),
    todo: ({ kind }) =>
      `Say in \`send\` of tests/emulator/application/contract.test.ts with which request a new \`${kind}\` is created: its good and bad inputs are then sent to the emulator.`,
  },
  {
    isDone: ({ kind, identity }) =>
      identity.decidedBy !== "client" || contains("tests/emulator/application/crud.test.ts", `\n  ${kind}: {`),
    todo: ({ kind }) =>
      `Add \`${kind}\` to \`subjects\` of tests/emulator/application/crud.test.ts: the emulator then creates, changes and deletes one.`,
  },
  {
    isDone: (spec) => existsOnce(spec) || contains("tests/fidelity/fields.ts", `\n  ${spec.collection}: {`),
    todo: ({ collection }) =>
      `State the fields of \`${collection}\` in tests/fidelity/fields.ts: a service of other habits answers from there.`,
  },
  {
    isDone: ({ kind }) => subjects.some((subject) => subject.kind === kind),
    todo: ({ kind }) =>
      `Write tests/lifecycle/contract/subjects/${kebab(kind)}.ts and list it in subjects/index.ts: one object of the kind (a subject) with a change of each field. The contract suites put every subject through create, update, replacement, faults and crashes.`,
  },
  {
    isDone: ({ collection }) => Object.keys(liveWorld("acme")).some((name) => name.split("/")[2] === collection),
    todo: ({ kind }) =>
      `Put an object of \`${kind}\` into tests/e2e/live-world.ts: it is listed, imported and codified from there.`,
  },
  {
    isDone: ({ kind, uploads }) => uploads !== undefined || contains("tests/e2e/everything.ts", `kind: "${kind}"`),
    todo: ({ kind }) =>
      `Declare an object of \`${kind}\` in tests/e2e/everything.ts: programs with an object of every kind are run from there.`,
  },
  {
    isDone: ({ kind }) => hasExample(kind),
    todo: ({ kind }) =>
      `Write examples/${kebab(kind)} with a program that declares one (copy examples/secret, and describe it in Pulumi.yaml), then run \`npm install\` to link it.`,
  },
  {
    isDone: ({ kind }) => contains("examples/python-quickstart/__main__.py", `modelplatform.${kind}(`),
    todo: ({ kind }) =>
      `Declare an object of \`${kind}\` in examples/python-quickstart/__main__.py, which promises an object of every kind.`,
  },
  {
    isDone: ({ kind }) => kind in program && contains("schema.json", `"modelplatform:index:${kind}"`),
    todo: ({ kind }) =>
      `Run \`npm run generate\`, which writes the class of \`${kind}\` and its page, and \`npm run api\`; commit what they write.`,
  },
  {
    isDone: ({ kind }) => contains("tests/types/agreement.ts", `  ${kind}: modelplatform.${kind}Args`),
    todo: ({ kind }) =>
      `Add \`${kind}\` to the lists of tests/types/agreement.ts, to the third where it has a look-up function: generated types are compared with inferred ones.`,
  },
];

/** Settings, of which an account has one. */
const existsOnce = ({ identity }: ResourceSpec): boolean => identity.decidedBy === "account";

const declarationOf = ({ kind }: ResourceSpec): string => `provider/resources/${kebab(kind)}.ts`;

/** What the life cycle sends for a kind; an update, where a field can change in place. */
function missingVerbs(spec: ResourceSpec): string[] {
  const { operations, fields } = spec;
  const isChangeable = fields.message.some(
    ({ markers }) => !markers.immutable && !markers.recordedOnly && markers.deprecated === undefined,
  );
  const needed = existsOnce(spec)
    ? ["get", "update"]
    : ["create", "get", "list", "delete", ...(isChangeable ? ["update"] : [])];
  return needed.filter((verb) => operations[verb] === undefined);
}

/** What to change, so that a removal can clear settings. */
const uncleared = ({ fields }: ResourceSpec): string[] => [
  ...fields.message
    .filter(({ required }) => required)
    .map(({ name }) => `make \`${name}\` optional, so that it can be cleared`),
  ...(fields.behaviours.some(({ name }) => name === "onDelete")
    ? []
    : ["declare the option `onDelete`, as policy-settings.ts does"]),
];

const objectPath = ({ name }: ResourceSpec): string => `/v1/${name}`;

/** Routes that are neither at the object's name nor at its collection. */
function strayRoutes(spec: ResourceSpec): string[] {
  const path = objectPath(spec);
  const collection = existsOnce(spec) ? path : path.slice(0, path.lastIndexOf("/"));
  const isOwn = (verb: string, at: string): boolean => at === (/^(create|list)$/.test(verb) ? collection : path);
  const routes = ["create", "get", "list", "update", "delete"].flatMap((verb) => {
    const operation = spec.operations[verb];
    return operation ? [{ verb, route: operation.route, path: identifyOperation(spec, verb, operation).path }] : [];
  });
  return [
    ...routes.filter(({ verb, path: at }) => !isOwn(verb, at)).map(({ route }) => `\`${route}\``),
    ...(collection.endsWith(`/${spec.collection}`) ? [] : [`\`collection\` ${spec.collection}`]),
  ];
}

const hasExample = (kind: string): boolean => contains(`examples/${kebab(kind)}/index.ts`, `new ${kind}(`);

/** Kinds that a program can set something of, and so declare. */
const settable = allSpecs.filter(({ fields }) => fields.message.length > 0);

test.each(settable.map((spec) => [spec.kind, spec] as const))(
  "%s has everything that a kind needs; what is missing is listed in order",
  (_, spec) => {
    expect(steps.filter(({ isDone }) => !isDone(spec)).map(({ todo }) => todo(spec))).toEqual([]);
  },
);
