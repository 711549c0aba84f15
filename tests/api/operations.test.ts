import { createCatalogue, isLifecycleOperation } from "../../provider/api/operations";
import type { Overrides } from "../../provider/api/types";
import { isConfigurationError, isUnsupportedOperation } from "../../provider/core/errors";
import { allSpecs } from "../../provider/resources/index";
import { conventionalOperations } from "../contract/reference/conventional-operations";
import { listedOperations } from "../contract/reference/operations";

const catalogue = createCatalogue(allSpecs);

/** Names of path parameters are free (A017). */
const shape = (path: string): string => path.replace(/\{\w+\}/g, "{}");

test.each(listedOperations)(
  "$name is in the catalogue as the API lists it",
  ({ name, method, path, query, effect }) => {
    const operation = catalogue.operation(name);
    expect(operation).toMatchObject({ name, method, provenance: "listed", effect });
    expect(shape(operation.path)).toBe(shape(path));
    expect([...operation.query].sort()).toEqual(
      expect.arrayContaining(query.map((parameter) => parameter.name).sort()),
    );
  },
);

test("the listed operations are those seventeen and no other", () => {
  const listed = catalogue.operations
    .filter((operation) => operation.provenance === "listed")
    .map((operation) => operation.name);
  expect(listed.sort()).toEqual(listedOperations.map((operation) => operation.name).sort());
});

test("every conventional operation cites its convention, which gives that operation", () => {
  const known = new Set(conventionalOperations.map(({ method, path }) => `${method} ${shape(path)}`));
  for (const operation of catalogue.operations.filter((candidate) => candidate.provenance === "conventional")) {
    expect(operation.convention).toMatch(/^A0\d\d$/);
    expect(known).toContain(`${operation.method} ${shape(operation.path)}`);
  }
});

test.each([
  "cancelSupervisedFineTuningJob",
  "resumeRlorTrainerJob",
  "undeleteDeployment",
  "listDeploymentShapes",
  "updatePolicySettings",
  "createSecret",
  "getAccount",
])("%s has the name that its verb and kind make", (name) => {
  expect(catalogue.operation(name).name).toBe(name);
});

test("no two operations have the same name", () => {
  const names = catalogue.operations.map((operation) => operation.name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ["createDeployment", true],
  ["setDeploymentTags", true],
  ["validateModelUpload", true],
  ["listAccounts", false],
])("whether a resource's life cycle uses %s: %s", (name, used) =>
  expect(isLifecycleOperation(catalogue.operation(name))).toBe(used),
);

test("an operation is found by kind and verb", () => {
  expect(catalogue.find("Secret", "update")?.name).toBe("updateSecret");
  expect(catalogue.find("PolicySettings", "list")).toBeUndefined();
  expect(catalogue.require("Secret", "update").name).toBe("updateSecret");
  expect(() => catalogue.require("PolicySettings", "list")).toThrow("`listPolicySettings` is not an operation");
});

test("a misspelt name is an error that knows the right one", () => {
  expect(() => catalogue.operation("getDeploymnet")).toThrow(
    "`getDeploymnet` is not an operation. Did you mean `getDeployment`?",
  );
  expect(() => catalogue.operation("frobnicate")).toThrow("`npx pulumi-modelplatform call --list` lists them all.");
});

test("a conventional operation gets another path or id parameter, or is turned off", () => {
  const changed = createCatalogue(allSpecs, {
    overrides: {
      getSecret: { path: "/v1/accounts/{account}/credentials/{secretId}" },
      createRlorTrainerJob: { idParam: "jobId" },
      deleteUser: "off",
    },
  });
  expect(changed.operation("getSecret").path).toBe("/v1/accounts/{account}/credentials/{secretId}");
  expect(changed.operation("createRlorTrainerJob").idParam).toEqual({ ours: "rlorTrainerJobId", theirs: "jobId" });
  expect(changed.find("User", "delete")).toBeUndefined();
  expect(changed.operations.map((operation) => operation.name)).not.toContain("deleteUser");
  const off = refusalOf(() => changed.operation("deleteUser"));
  expect(isUnsupportedOperation(off)).toBe(true);
  expect(off.message).toBe(
    "deleteUser is turned off. If the service does offer it, remove its `off` from the setting `operations`: it follows a convention (A050). See pulumi-modelplatform/docs/errors.md#an-operation-at-another-path",
  );
});

test("the id parameter of a listed create is a convention too (A011)", () => {
  expect(
    createCatalogue(allSpecs, { overrides: { createSupervisedFineTuningJob: { idParam: "jobId" } } }).operation(
      "createSupervisedFineTuningJob",
    ).idParam,
  ).toEqual({ ours: "supervisedFineTuningJobId", theirs: "jobId" });
});

test.each(["getModel", "listDeployedModels", "listAccounts", "getRlorTrainerJob"])(
  "%s, a listed read of what has another, can be turned off (A093)",
  (name) => {
    const { operations } = createCatalogue(allSpecs, { overrides: { [name]: "off" } });
    expect(operations.map((operation) => operation.name)).not.toContain(name);
  },
);

test("a listed operation without a documented path can be moved, not missing (A010)", () => {
  expect(
    createCatalogue(allSpecs, {
      overrides: { createDeployment: { path: "/v1/accounts/{account}/endpoints" } },
    }).operation("createDeployment").path,
  ).toBe("/v1/accounts/{account}/endpoints");
  expect(refusalOf(() => createCatalogue(allSpecs, { overrides: { createDeployment: "off" } })).message).toMatch(
    /cannot be turned off/,
  );
});

test.each([
  [
    { getPolicySettings: "off" as const },
    /`getPolicySettings` is an operation that the API's description lists, so it cannot be turned off/,
  ],
  [{ updateUser: "off" as const }, /`updateUser` .* cannot be turned off/],
  [{ getResponse: "off" as const }, /`getResponse` .* cannot be turned off/],
  [{ getModel: { path: "/v2/accounts/{account}/models/{modelId}" } }, /has a path that cannot be changed/],
  [{ getModels: "off" as const }, /names `getModels`, which is not an operation. Did you mean `getModel`\?/],
  [{ getSecret: { idParam: "id" } }, /is not a create with an id/],
  [{ getSecret: { path: "/v1/accounts/{account}/credentials" } }, /holds `\{account\}`, `\{secretId\}`/],
  [{ getSecret: { path: "v1/{account}/{secretId}" } }, /does not fit/],
  [{ getSecret: { path: "/v1/{account}/../{secretId}" } }, /does not fit/],
  [{ getSecret: { path: "/v1/{account}/{secretId}?x=1" } }, /does not fit/],
  [{ getSecret: { path: "/v1/{account}/{secretId}/{other}" } }, /does not fit/],
  [{ createRlorTrainerJob: { idParam: "a&b" } }, /not a parameter name/],
  [{ createDeployedModel: { idParam: "id" } }, /is not a create with an id/],
  [{ getModel: { method: "POST" as const } }, /has a method that cannot be changed/],
] as [Overrides, RegExp][])("the override %j is refused", (overrides, because) => {
  const refusal = refusalOf(() => createCatalogue(allSpecs, { overrides }));
  expect(isConfigurationError(refusal)).toBe(true);
  expect(refusal.message).toMatch(because);
});

function refusalOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was refused");
}
