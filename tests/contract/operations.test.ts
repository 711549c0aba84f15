import { createCatalogue } from "../../provider/api/operations";
import { functions } from "../../provider/resources/functions";
import { allSpecs, specOf } from "../../provider/resources/index";
import { conventionalOperations } from "./reference/conventional-operations";
import { defaultOrders } from "./reference/lists";
import { listedOperations } from "./reference/operations";
import type { OperationFact } from "./reference/types";

const catalogue = createCatalogue(allSpecs).operations;

const facts = [...listedOperations, ...conventionalOperations];

/** Nothing is known of a batch inference job's fields, so that there is nothing that a create could send. */
const undeclared: readonly string[] = ["createBatchInferenceJob"];

const declaredFacts = facts.filter(({ name }) => !undeclared.includes(name));

/** Path parameters may be called otherwise. */
const place = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

const at = (fact: OperationFact) => catalogue.find((operation) => place(operation) === place(fact))!;

const sorted = (values: readonly string[]): string[] => [...values].sort();

test("the catalogue is what is listed and what follows by convention, and no more", () => {
  expect(sorted(catalogue.map(place))).toEqual(sorted(declaredFacts.map(place)));
});

test.each(listedOperations.map((fact) => [fact.name, fact] as const))("%s is listed under that name", (name, fact) => {
  expect(at(fact)).toMatchObject({ name, provenance: "listed" });
});

test("every read that is listed is a function of programs, under its name", () => {
  const reads = listedOperations.filter(({ effect }) => effect === "read").map(({ name }) => name);
  expect(reads.length).toBeGreaterThan(5);
  expect(reads.filter((name) => !(name in functions))).toEqual([]);
});

test.each(declaredFacts.filter(({ by }) => by).map((fact) => [fact.name, fact] as const))(
  "%s is conventional, has that name and cites its convention",
  (name, fact) => {
    expect(at(fact)).toMatchObject({ name, provenance: "conventional", convention: expect.stringMatching(/^A\d{3}$/) });
  },
);

test.each(declaredFacts.map((fact) => [fact.name, fact] as const))(
  "%s takes its query parameters and has its effect (A001)",
  (_, fact) => {
    expect([sorted(at(fact).query), at(fact).effect]).toEqual([
      sorted(fact.query.map(({ name }) => name)),
      fact.effect,
    ]);
  },
);

test("a listed operation whose path or parameters rest on a convention cites it", () => {
  const resting = listedOperations.filter(
    ({ pathBy, query }) => pathBy !== undefined || query.some(({ by }) => by !== undefined),
  );
  expect(resting.filter((fact) => at(fact).convention === undefined).map(({ name }) => name)).toEqual([]);
});

const bodies = declaredFacts.filter(({ name, body }) => body !== undefined && /^(create|update)/.test(name));

test.each(bodies.map((fact) => [fact.name, fact] as const))(
  "the body of %s is the message's own fields, in the form of its convention",
  (name, fact) => {
    const operation = at(fact);
    const message = operation.spec.fields.message.map((field) => field.name);
    if (operation.body?.wrap) expect([operation.body.wrap.id, operation.body.wrap.message]).toEqual(fact.body);
    else if (name.startsWith("create"))
      expect(sorted([...message, ...(operation.body?.name ? ["name"] : [])])).toEqual(sorted(fact.body!));
    else expect(message).toEqual(expect.arrayContaining([...fact.body!]));
  },
);

test.each(bodies.filter(({ name }) => name.startsWith("update")).map((fact) => [fact.name, fact] as const))(
  "what %s cannot do without is sent with every update (A031)",
  (_, fact) => {
    const needed = fact.name === "updateDeployment" ? ["baseModel"] : (fact.requiredBody ?? []);
    const always = at(fact)
      .spec.fields.message.filter(({ markers }) => markers.alwaysSent)
      .map(({ name }) => name);
    expect(always).toEqual(needed);
  },
);

test("names are in bodies of secret creates (A012) and deployed models' updates (A004)", () => {
  expect(sorted(catalogue.filter(({ body }) => body?.name).map(({ name }) => name))).toEqual([
    "createSecret",
    "updateDeployedModel",
  ]);
});

test.each(Object.entries(defaultOrders))("%s is ordered by %s where nothing is asked for", (name, order) => {
  expect(catalogue.find((operation) => operation.name === name)!.spec.listOrder).toBe(order);
});

test("accounts cannot be ordered (A095)", () => {
  expect(
    catalogue.filter(({ verb, query }) => verb === "list" && !query.includes("orderBy")).map(({ name }) => name),
  ).toEqual(["listAccounts"]);
});

test("a list is answered under its collection's name", () => {
  for (const { name, response } of declaredFacts) {
    if (typeof response !== "object" || !("list" in response) || name === "matchDeploymentShapeVersions") continue;
    expect([name, specOf(response.of)!.collection]).toEqual([name, response.list]);
  }
});
