import type { Values } from "../../values";
import { allKinds, type Kind, type Row, replacing, right, showing } from "./row";

const stateful: readonly Kind[] = ["Deployment", "User", "DeployedModel", "Model"];
const jobs: readonly Kind[] = ["SupervisedFineTuningJob", "RlorTrainerJob"];

const isTime = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);

const pascalCase = (text: string): string =>
  text.toLowerCase().replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());

const onText = (change: (text: string) => unknown) => (value: unknown) =>
  typeof value === "string" ? change(value) : value;

/** By their numbers. */
const roles = ["", "admin", "user", "contributor"];

/** Values of declared fields in other letters and other types of JSON. */
export const spellingRows: readonly Row[] = [
  ...right([...stateful, ...jobs], {
    "states are in lower case": replacing({ state: onText((state) => state.toLowerCase()) }),
    "states are capitalized": replacing({ state: onText(pascalCase) }),
  }),
  ...right(["Deployment", "User"], {
    "states are prefixed with the name of the field": replacing({ state: onText((state) => `STATE_${state}`) }),
  }),
  ...right(["Deployment"], {
    "states are prefixed with kind and field": replacing({ state: onText((state) => `DEPLOYMENT_STATE_${state}`) }),
    "a state has a dash": replacing({ state: onText((state) => state.replace("_", "-")) }),
    "a duration is an object": {
      shows: (object) => ({ ...object, autoscalingPolicy: { scaleUpWindow: { seconds: "30", nanos: 0 } } }),
    },
    "annotations are a list of entries": replacing({
      annotations: (value) => Object.entries(value as Values).map(([key, text]) => ({ key, value: text })),
    }),
    "a placement is JSON in a text": replacing({ placement: (value) => JSON.stringify(value) }),
    "a placement has the prefix of its enum": replacing({ placement: () => ({ multiRegion: "MULTI_REGION_EUROPE" }) }),
    "a placement is in lower case": replacing({ placement: () => ({ multiRegion: "europe" }) }),
  }),
  ...right(jobs, {
    "states of jobs have no prefix": replacing({ state: onText((state) => state.replace("JOB_STATE_", "")) }),
    "states of jobs have no prefix, and are capitalized": replacing({
      state: onText((state) => pascalCase(state.replace("JOB_STATE_", ""))),
    }),
    "jobs have no state, and a time of their end": {
      shows: ({ state: _, ...object }) => ({ ...object, completedTime: object["updateTime"] }),
    },
    "jobs have no state, a time of their end and a status as a number": {
      shows: ({ state: _, ...object }) => ({ ...object, completedTime: object["updateTime"], status: { code: 0 } }),
    },
  }),
  ...right(["User"], {
    "roles are capitalized": replacing({ role: onText(pascalCase) }),
    "roles are in capitals": replacing({ role: onText((role) => role.toUpperCase()) }),
    "roles have the prefix of their field": replacing({ role: onText((role) => `ROLE_${role.toUpperCase()}`) }),
    "roles have the prefix of kind and field": replacing({
      role: onText((role) => `USER_ROLE_${role.toUpperCase()}`),
    }),
  }),
  ...right(["Model"], {
    "kinds are capitalized": replacing({ kind: onText(pascalCase) }),
    "kinds have a prefix": replacing({ kind: onText((kind) => `KIND_${kind}`) }),
  }),
  ...right(["PolicySettings"], {
    "a residency has the prefix of its enum": replacing({ residency: onText((place) => `MULTI_REGION_${place}`) }),
    "a residency is in lower case": replacing({ residency: onText((place) => place.toLowerCase()) }),
    "booleans are digits in a text": showing((value) => (typeof value === "boolean" ? String(Number(value)) : value)),
  }),
  ...right(["DeployedModel"], {
    "a status has a number for OK": { shows: (object) => ({ ...object, status: { code: 0 } }) },
  }),
  ...right(
    allKinds.filter((kind) => kind !== "Secret"),
    {
      "times are objects of seconds": showing((value) =>
        isTime(value) ? { seconds: String(seconds(value)), nanos: 0 } : value,
      ),
      "times are seconds": showing((value) => (isTime(value) ? seconds(value) : value)),
      "times are milliseconds in a text": showing((value) => (isTime(value) ? String(Date.parse(value)) : value)),
      "times are as in headers of HTTP": showing((value) => (isTime(value) ? new Date(value).toUTCString() : value)),
    },
  ),
  {
    name: "roles are numbers",
    kinds: ["User"],
    deviation: replacing({ role: (role) => roles.indexOf(String(role)) }),
    outcome: "refused at once",
    message: /2 at `role`.*`modelplatform:dialect`/,
  },
  {
    name: "states are numbers",
    kinds: ["Deployment", "User"],
    deviation: replacing({ state: () => 2 }),
    outcome: "refused at once",
    message: /2 at `state`.*`modelplatform:dialect`/,
  },
  {
    name: "roles are numbers, both ways",
    kinds: ["User"],
    deviation: {
      takes: (asked) => {
        const named = roles[Number(asked.body["role"])];
        return named === undefined ? asked : { ...asked, body: { ...asked.body, role: named } };
      },
      ...replacing({ role: (role) => roles.indexOf(String(role)) }),
    },
    outcome: "setting",
    message: /modelplatform:dialect/,
    settings: { dialect: '{"values":{"admin":"1","user":"2","contributor":"3"}}' },
  },
];
