import { type Asked, type Deviations, Refusal } from "../deviation";
import { allKinds, changingKinds, type Kind, listedKinds, type Row, right } from "./row";

const isList = ({ method, path }: Asked): boolean => method === "GET" && path.split("/").length === 5;
const isGet = ({ method, path }: Asked): boolean => method === "GET" && path.split("/").length === 6;
const isCreate = ({ method }: Asked): boolean => method === "POST";
const isAccount = ({ method, path }: Asked): boolean =>
  method === "GET" && path.split("/").length <= 4 && !/policy/.test(path);

const without = (is: (asked: Asked) => boolean, status: number, code: number): Deviations => ({
  takes: (asked) => {
    if (is(asked)) throw new Refusal(status, code, "Not Found");
    return asked;
  },
});

/** The setting that turns operations off. */
const off = (...names: string[]): Record<string, string> => ({
  operations: JSON.stringify(Object.fromEntries(names.map((name) => [name, "off"]))),
});

const conventionalLists: readonly Kind[] = ["Deployment", "User", "Secret", "Model"];
const conventionalGets: readonly Kind[] = ["User", "Secret", "DeployedModel", "Deployment"];

const perKind = (kinds: readonly Kind[], row: (kind: Kind) => Omit<Row, "kinds">): Row[] =>
  kinds.map((kind) => ({ kinds: [kind], ...row(kind) }));

/** Operations that are not there, or elsewhere. */
export const operationRows: readonly Row[] = [
  ...right(allKinds, {
    "accounts cannot be listed": without((asked) => isAccount(asked) && asked.path === "/v1/accounts", 404, 5),
    "the account cannot be read": without((asked) => isAccount(asked) && asked.path !== "/v1/accounts", 404, 5),
  }),
  ...perKind(conventionalLists, (kind) => ({
    name: `a ${kind} cannot be listed (501)`,
    deviation: without(isList, 501, 12),
    outcome: "setting",
    message: /operations/,
    settings: off(`list${kind}s`),
  })),
  ...perKind(conventionalLists, (kind) => ({
    name: `a ${kind} cannot be listed (405)`,
    deviation: without(isList, 405, 12),
    outcome: "setting",
    message: /operations/,
    settings: off(`list${kind}s`),
  })),
  ...perKind(conventionalGets, (kind) => ({
    name: `a ${kind} cannot be read by its name (501)`,
    deviation: without(isGet, 501, 12),
    outcome: "right",
  })),
  ...perKind(conventionalGets, (kind) => ({
    name: `a ${kind} cannot be read by its name (405)`,
    deviation: without(isGet, 405, 12),
    outcome: "right",
  })),
  {
    name: "secrets are under another path",
    kinds: ["Secret"],
    deviation: { otherPaths: true },
    outcome: "setting",
    message: /operations/,
    settings: {
      operations: JSON.stringify({
        getSecret: { path: "/v1/accounts/{account}/vault/{secretId}" },
        deleteSecret: { path: "/v1/accounts/{account}/vault/{secretId}" },
        listSecrets: { path: "/v1/accounts/{account}/vault" },
        createSecret: { path: "/v1/accounts/{account}/vault" },
      }),
    },
  },
  {
    name: "a secret's id is taken by the query alone",
    kinds: ["Secret"],
    deviation: {
      takes: (asked) => {
        if (!isCreate(asked)) return asked;
        const { secret_id: id, ...query } = Object.fromEntries(asked.query);
        if (id === undefined) throw new Refusal(400, 3, "secret_id is required");
        if (asked.body["name"] !== undefined) throw new Refusal(400, 3, "unknown field name");
        return { ...asked, query: new URLSearchParams({ ...query, secretId: id }) };
      },
    },
    outcome: "setting",
    message: /idParam/,
    settings: { operations: '{"createSecret":{"idParam":"secret_id"}}' },
  },
  {
    name: "a job is created by its id alone, and not within a member",
    kinds: ["SupervisedFineTuningJob", "RlorTrainerJob"],
    deviation: {
      takes: (asked) => {
        if (!isCreate(asked)) return asked;
        const id = asked.query.get("job_id");
        if (id === null) throw new Refusal(400, 3, "job_id is required");
        const [own] = /s$/.exec(asked.path) ? [asked.path.split("/").at(-1)!.replace(/s$/, "Id")] : [];
        return { ...asked, query: new URLSearchParams({ [own!]: id }) };
      },
    },
    outcome: "setting",
    message: /idParam/,
    settings: {
      operations: '{"createSupervisedFineTuningJob":{"idParam":"job_id"},"createRlorTrainerJob":{"idParam":"job_id"}}',
    },
  },
  {
    name: "a secret is deleted by a POST",
    kinds: ["Secret"],
    deviation: {
      takes: (asked) => {
        if (asked.method === "DELETE") throw new Refusal(405, 12, "Method Not Allowed");
        if (!asked.path.endsWith(":delete")) return asked;
        return { ...asked, method: "DELETE", path: asked.path.replace(/:delete$/, "") };
      },
    },
    outcome: "setting",
    message: /operations/,
    settings: {
      operations: '{"deleteSecret":{"path":"/v1/accounts/{account}/secrets/{secretId}:delete","method":"POST"}}',
    },
  },
  {
    name: "a secret is created by a PUT",
    kinds: ["Secret"],
    deviation: {
      takes: (asked) => {
        if (isCreate(asked)) throw new Refusal(405, 12, "Method Not Allowed");
        return asked.method === "PUT" ? { ...asked, method: "POST" } : asked;
      },
    },
    outcome: "setting",
    message: /operations/,
    settings: { operations: '{"createSecret":{"method":"PUT"}}' },
  },
  {
    name: "update masks are in camel case",
    kinds: ["Deployment", "Secret", "Model", "DeployedModel"],
    deviation: { camelMasks: true },
    outcome: "setting",
    message: /`modelplatform:updateMask`/,
    settings: { updateMask: "camel" },
  },
  {
    name: "update masks are refused",
    kinds: changingKinds,
    deviation: {
      takes: (asked) => {
        if (asked.query.has("updateMask")) throw new Refusal(400, 3, "unknown parameter updateMask");
        return asked;
      },
    },
    outcome: "setting",
    message: /`modelplatform:updateMask`/,
    settings: { updateMask: "off" },
  },
  {
    name: "updates replace the object",
    kinds: changingKinds.filter((kind) => kind !== "PolicySettings"),
    deviation: { replaces: true },
    outcome: "right",
  },
  {
    name: "unknown fields and parameters are refused",
    kinds: ["Deployment", "User", "SupervisedFineTuningJob", "RlorTrainerJob"],
    deviation: { strict: true },
    outcome: "right",
  },
  ...right(["Deployment", "SupervisedFineTuningJob", "RlorTrainerJob"], {
    "deleted objects stay as tombstones": { tombstones: true },
  }),
];
void listedKinds;
