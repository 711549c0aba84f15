import { counter, type Kind, type Row, replacing, right } from "./row";

const stateful: readonly Kind[] = ["Deployment", "User", "Model", "DeployedModel"];
const jobs: readonly Kind[] = ["SupervisedFineTuningJob", "RlorTrainerJob"];
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
    name: "states are in lower case",
    kinds: [...stateful.filter((kind) => kind !== "Model"), ...jobs],
    deviation: replacing({ state: (state) => String(state).toLowerCase() }),
    outcome: "refused at once",
    message: /dialect/,
  },
  {
    name: "states are prefixed with the kind",
    kinds: ["Deployment", "User"],
    deviation: replacing({ state: (state) => `STATE_${String(state)}` }),
    outcome: "refused at once",
    message: /dialect/,
  },
  {
    name: "the ready state is `ACTIVE`",
    kinds: stateful.filter((kind) => kind !== "Model"),
    deviation: replacing({ state: () => "ACTIVE" }),
    outcome: "refused at once",
    message: /ACTIVE/,
  },
  {
    name: "states of jobs have no prefix",
    kinds: jobs,
    deviation: replacing({ state: (state) => String(state).replace("JOB_STATE_", "") }),
    outcome: "refused at once",
    message: /dialect/,
  },
];
