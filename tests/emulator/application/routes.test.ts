import { findOperation, operations } from "../../../emulator/routes";
import { serviceOf } from "../../../emulator/services/table";
import { conventionalOperations } from "../../contract/reference/conventional-operations";
import { listedOperations } from "../../contract/reference/operations";

const ordinary = ["create", "get", "list", "update", "delete"];

/** A path with made-up ids. */
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, "some-id");

test.each(listedOperations.map(({ name, method, path, effect }) => ({ name, method, path, effect })))(
  "the listed operation $name is served",
  ({ name, method, path, effect }) => {
    expect(findOperation(method, filled(path))).toMatchObject({
      operation: { name, effect, declared: { provenance: "listed" } },
    });
  },
);

/** Operations that are left out, each with its reason. */
const leftOut: Readonly<Record<string, string>> = {
  createBatchInferenceJob: "no field is shown that a batch job could be made of",
};

test.each(
  conventionalOperations
    .filter(({ name }) => leftOut[name] === undefined)
    .map(({ name, method, path, effect }) => ({ name, method, path, effect })),
)("the conventional operation $name is served", ({ method, path, effect }) => {
  expect(findOperation(method, filled(path))).toMatchObject({
    operation: { effect, declared: { provenance: "conventional" } },
  });
});

test("every operation of the specs has something that answers it", () => {
  const silent = operations.filter(({ verb, spec }) => {
    const service = serviceOf(spec.kind);
    return (
      !ordinary.includes(verb) && service.verbs?.[verb] === undefined && service.collectionVerbs?.[verb] === undefined
    );
  });
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test("every operation has a name of its own", () => {
  const names = operations.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("what a path names is read out of it, whole", () => {
  expect(findOperation("GET", "/v1/accounts/acme/deploymentShapes/s/versions/v")).toMatchObject({
    parameters: { account: "acme", deploymentShapeId: "s", versionId: "v" },
  });
  expect(findOperation("POST", "/v1/accounts/acme/models/a:b:getUploadEndpoint")).toMatchObject({
    parameters: { account: "acme", modelId: "a:b" },
  });
  expect(findOperation("GET", "/v1/accounts/acme/models/a:b")).toMatchObject({
    operation: { verb: "get" },
    parameters: { modelId: "a:b" },
  });
});

test.each(["", "/", "/v1/accounts/", "/v1/accounts//users", "/v1/accounts/acme/users/", "//v1/accounts"])(
  "the path `%s` leads nowhere",
  (path) => {
    expect(findOperation("GET", path)).toBe("unknown path");
  },
);
