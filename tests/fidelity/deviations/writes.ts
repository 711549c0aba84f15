import { type Answered, type Asked, type Deviations, Refusal } from "../deviation";
import { allKinds, changingKinds, type Kind, listedKinds, type Row, right } from "./row";

const isCreate = ({ method }: Asked): boolean => method === "POST";
const isUpdate = ({ method }: Asked): boolean => method === "PATCH";
const isDelete = ({ method }: Asked): boolean => method === "DELETE";

const answering = (is: (asked: Asked) => boolean, answer: (answered: Answered) => Answered): Deviations => ({
  answers: (answered, asked) => (is(asked) ? answer(answered) : answered),
});

const created: readonly Kind[] = listedKinds.filter((kind) => kind !== "DeployedModel");

/** What writes answer, and what they take. */
export const writeRows: readonly Row[] = [
  ...right(created, {
    "a create answers 201": answering(isCreate, ({ body }) => ({ status: 201, body })),
    "a create answers an empty object": answering(isCreate, () => ({ status: 200, body: {} })),
    "a create answers nothing": answering(isCreate, () => ({ status: 204 })),
    "a create answers the object without its name": answering(isCreate, ({ body, status }) => ({
      status,
      body: Object.fromEntries(Object.entries(body as object).filter(([name]) => name !== "name")),
    })),
    "a create answers a value that cannot be used": answering(isCreate, ({ body, status }) => ({
      status,
      body: { ...(body as object), displayName: ["odd"], keyName: { odd: true }, dataset: ["odd"] },
    })),
    "a create answers an operation under way": answering(isCreate, ({ status }) => ({
      status,
      body: { name: "operations/1", done: false, metadata: {} },
    })),
    "a create answers an operation with its result": answering(isCreate, ({ status, body }) => ({
      status,
      body: { name: "accounts/acme/operations/1", done: true, response: body },
    })),
    "a create answers the object within a member": answering(isCreate, ({ status, body }) => ({
      status,
      body: { result: body, requestId: "r-1" },
    })),
    "a create answers a list of one object": answering(isCreate, ({ status, body }) => ({ status, body: [body] })),
    "a create answers text that is no JSON": answering(isCreate, ({ status }) => ({ status, text: "created" })),
    "a create answers XML": answering(isCreate, ({ status }) => ({ status, text: "<result>ok</result>" })),
    "a create answers the name alone": answering(isCreate, ({ body }) => ({
      status: 200,
      body: { name: (body as { name: string }).name },
    })),
  }),
  ...right(changingKinds, {
    "an update answers an empty object": answering(isUpdate, () => ({ status: 200, body: {} })),
    "an update answers nothing": answering(isUpdate, () => ({ status: 204 })),
    "an update answers an empty text": answering(isUpdate, () => ({ status: 200, text: "" })),
    "an update answers null": answering(isUpdate, () => ({ status: 200, body: null })),
    "an update answers an operation under way": answering(isUpdate, ({ status }) => ({
      status,
      body: { name: "accounts/acme/operations/2", done: false },
    })),
    "an update answers a message": answering(isUpdate, ({ status }) => ({ status, body: { message: "updated" } })),
    "an update answers a code of success": answering(isUpdate, ({ status }) => ({
      status,
      body: { code: 0, message: "done", success: true },
    })),
    "an update answers 202": answering(isUpdate, ({ body }) => ({ status: 202, body })),
  }),
  ...right(listedKinds, {
    "a delete answers nothing": answering(isDelete, () => ({ status: 204 })),
    "a delete answers 202": answering(isDelete, ({ body }) => ({ status: 202, body })),
    "a delete answers null": answering(isDelete, () => ({ status: 200, body: null })),
    "a delete answers a message": answering(isDelete, () => ({
      status: 200,
      body: { message: "The object was deleted" },
    })),
    "a delete answers a code of HTTP": answering(isDelete, () => ({
      status: 200,
      body: { code: 200, status: "success" },
    })),
    "a delete answers an operation under way": answering(isDelete, () => ({
      status: 200,
      body: { name: "operations/3", done: false },
    })),
    "a delete answers plain text": answering(isDelete, () => ({ status: 200, text: "OK" })),
    "a delete answers the deleted object": answering(isDelete, () => ({ status: 200, body: { deleted: true } })),
  }),
  ...right(["Deployment", "User", "DeployedModel", "Model", "SupervisedFineTuningJob"], {
    "writes become visible two reads later": { takesTime: true },
  }),
  {
    name: "masks in snake case are accepted and name nothing",
    kinds: ["Deployment", "Model", "DeployedModel", "Secret"],
    deviation: {
      takes: (asked) =>
        isUpdate(asked) && asked.query.get("updateMask")?.includes("_")
          ? { ...asked, query: new URLSearchParams("updateMask=nothing"), body: {} }
          : asked,
    },
    outcome: "setting",
    message: /accepted the change but did not apply it.*`modelplatform:updateMask` to `camel`/,
    settings: { updateMask: "camel" },
  },
  {
    name: "an update is accepted and not applied",
    kinds: changingKinds.filter((kind) => kind !== "PolicySettings"),
    deviation: {
      takes: (asked) =>
        isUpdate(asked) ? { ...asked, query: new URLSearchParams("updateMask=nothing"), body: {} } : asked,
    },
    outcome: "refused at once",
    message: /accepted the change but did not apply it.*`immutable`/,
  },
  {
    name: "nulls are refused",
    kinds: ["Deployment", "User", "Model", "DeployedModel", "Secret"],
    deviation: {
      takes: (asked) => {
        if (Object.values(asked.body).includes(null)) throw new Refusal(400, 3, "null is not allowed");
        return asked;
      },
    },
    outcome: "right",
  },
  {
    name: "a write of an unchangeable field is refused, whatever the mask",
    kinds: ["Deployment"],
    deviation: {
      takes: (asked) => {
        if (isUpdate(asked) && asked.body["baseModel"] !== undefined)
          throw new Refusal(400, 3, "base_model cannot be changed");
        return asked;
      },
    },
    outcome: "right",
  },
];
void allKinds;
