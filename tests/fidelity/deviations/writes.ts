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
    "an update answers 202": answering(isUpdate, ({ body }) => ({ status: 202, body })),
  }),
  ...right(listedKinds, {
    "a delete answers nothing": answering(isDelete, () => ({ status: 204 })),
    "a delete answers 202": answering(isDelete, ({ body }) => ({ status: 202, body })),
    "a delete answers null": answering(isDelete, () => ({ status: 200, body: null })),
    "a delete answers plain text": answering(isDelete, () => ({ status: 200, text: "OK" })),
    "a delete answers the deleted object": answering(isDelete, () => ({ status: 200, body: { deleted: true } })),
  }),
  ...right(["Deployment", "User", "DeployedModel", "Model", "SupervisedFineTuningJob"], {
    "writes become visible two reads later": { takesTime: true },
  }),
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
