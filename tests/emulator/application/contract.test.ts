import type { Settings } from "../../../emulator/index";
import { badInputs, goodInputs } from "../../contract/reference/bad-input";
import { listedOperations } from "../../contract/reference/operations";
import { reference, settableKinds } from "../../contract/reference/tables";
import type { Body, SettableKind } from "../../contract/reference/types";
import { valid } from "../../contract/reference/valid";
import { type Answer, type ApplicationClient, client, demo } from "./client";

type Send = (service: ApplicationClient, body: Body, query: string) => Answer;

const policyMask = "default_permissions,rules,residency,zero_data_retention";

/** How each kind of body is sent when it is new. Ids are made up where the request must have one. */
const send: Readonly<Record<SettableKind, Send>> = {
  Deployment: (service, body, query) => service.post(`${demo}/deployments?deploymentId=new&${query}`, body),
  DeployedModel: (service, body) => service.post(`${demo}/deployedModels`, body),
  Model: (service, body) => service.post(`${demo}/models`, { modelId: "new", model: body }),
  PolicySettings: (service, body) => service.patch(`${demo}/policySettings?updateMask=${policyMask}`, body),
  RlorTrainerJob: (service, body) => service.post(`${demo}/rlorTrainerJobs`, body),
  Secret: (service, body) => service.post(`${demo}/secrets`, { name: "accounts/demo/secrets/new", ...body }),
  SupervisedFineTuningJob: (service, body) => service.post(`${demo}/supervisedFineTuningJobs`, body),
  User: (service, body) => service.post(`${demo}/users`, body),
};

const queryOf = (query: Body | undefined): string =>
  new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

const base = "accounts/platform/models/m1";
const shape = "accounts/platform/deploymentShapes/s1";

/** The tables speak of a base model and a shape for it; here they are. */
function prepared(settings: Partial<Settings> = {}): ApplicationClient {
  const service = client(settings);
  service.world.put({
    kind: "Model",
    name: base,
    fields: { name: base, state: "READY", public: true, calibrated: true },
  });
  const name = `${shape}/versions/1`;
  service.world.put({
    kind: "DeploymentShapeVersion",
    name,
    fields: { name, snapshot: { name: shape, baseModel: base }, validated: true, latestValidated: true, public: true },
  });
  return service;
}

const annotationRule = "annotation-prefix";

function fieldsNamedBy({ body }: Answer): string[] {
  const [detail] = body["details"] as { fieldViolations?: { field: string }[] }[];
  return (detail?.fieldViolations ?? []).map(({ field }) => field);
}

describe("inputs of the contract tables, sent as they are", () => {
  test.each(settableKinds)("every good %s is accepted", (kind) => {
    const inputs = goodInputs.filter(({ resource }) => resource === kind);
    const refused = inputs.flatMap(({ resource, description, body, query }) => {
      // Some of them have values that are newer than the description.
      const answer = send[resource](prepared({ enums: "open" }), body, queryOf(query));
      return answer.status === 200 ? [] : [{ description, answer }];
    });
    expect(refused).toEqual([]);
  });

  test.each(settableKinds)("every bad %s is refused with 400, code 3 and the name of the field", (kind) => {
    const inputs = badInputs.filter(({ resource, rule }) => resource === kind && rule !== annotationRule);
    const wrong = inputs.flatMap(({ resource, description, body, query, path, orPath }) => {
      const answer = send[resource](prepared(), body, queryOf(query));
      const refused = answer.status === 400 && answer.body["code"] === 3;
      return refused && fieldsNamedBy(answer).some((field) => field === path || field === orPath)
        ? []
        : [{ description, path, answer }];
    });
    expect(wrong).toEqual([]);
  });

  test("a bare annotation key is refused with 403 and code 7", () => {
    const inputs = badInputs.filter(({ rule }) => rule === annotationRule);
    const answers = inputs.map(({ resource, body }) => send[resource](prepared(), body, ""));
    expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual(inputs.map(() => [403, 7]));
  });
});

/**
 * What each update must carry, by the resources' tables and by the bodies of listed operations. The name may be left
 * out, because the path has it (A004).
 */
const neededByUpdates: [kind: SettableKind, needed: readonly string[]][] = settableKinds.flatMap((kind) => {
  const byTable = reference[kind].fields.flatMap(({ path, requiredOnUpdate }) => (requiredOnUpdate ? [path] : []));
  const byOperation = listedOperations.find(({ name }) => name === `update${kind}`)?.requiredBody ?? [];
  const needed = [...new Set([...byTable, ...byOperation])].filter((member) => member !== "name");
  return needed.length > 0 ? [[kind, needed] as [SettableKind, string[]]] : [];
});

test("the tables know of updates that cannot do without something", () => {
  expect(neededByUpdates).toEqual([
    ["User", ["role"]],
    ["Secret", ["keyName"]],
  ]);
});

test.each(neededByUpdates)("an update of a %s without %p is refused and says so", (kind, needed) => {
  const service = prepared();
  const { minimal } = valid[kind];
  const made = send[kind](service, minimal, "");
  expect(made.status).toBe(200);
  service.wait(600);
  const target = `/v1/${String(made.body["name"])}`;
  const whole = Object.fromEntries(needed.map((name) => [name, made.body[name] ?? minimal[name]]));
  expect(service.patch(target, whole).status).toBe(200);
  service.wait(600);
  for (const name of needed)
    for (const without of [undefined, null, ""]) {
      const answer = service.patch(target, { ...whole, [name]: without });
      expect([answer.status, fieldsNamedBy(answer)]).toEqual([400, [name]]);
    }
});
