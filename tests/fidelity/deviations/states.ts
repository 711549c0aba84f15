import { counter, type Kind, type Row, replacing, right } from "./row";

const stateful: readonly Kind[] = ["Deployment", "User", "Model", "DeployedModel"];
const reads = counter();

/** States that the description does not have, or not so. */
export const stateRows: readonly Row[] = [
  ...right(["User", "Model"], {
    "there is no state": replacing({ state: () => undefined }),
    "a state is never specified": replacing({ state: () => "STATE_UNSPECIFIED" }),
    "a state is empty": replacing({ state: () => "" }),
  }),
  ...right(stateful, {
    "a state is missing at times": replacing({ state: (state) => (reads() % 2 === 0 ? state : undefined) }),
    "the status has an old failure": {
      shows: (object) => ({ ...object, status: { code: "OK", message: "recovered from INTERNAL" } }),
    },
  }),
  {
    name: "the ready state is `ACTIVE`",
    kinds: stateful.filter((kind) => kind !== "Model"),
    deviation: replacing({ state: () => "ACTIVE" }),
    outcome: "refused at once",
    message: /ACTIVE/,
  },
];
