import type { Values } from "../../values";
import type { Deviations } from "../deviation";
import { allKinds, type Kind, listedKinds, mapped, type Row, replacing, right } from "./row";

const text = (change: (value: string) => string) => (value: unknown) =>
  typeof value === "string" ? change(value) : value;
const named = (change: (name: string) => string): Deviations => replacing({ name: text(change) });
const jobs: readonly Kind[] = ["SupervisedFineTuningJob", "RlorTrainerJob"];
const trained = (change: (name: string) => string): Deviations => ({
  shows: (object) =>
    mapped(object, (value, name) =>
      name === "baseModel" && typeof value === "string" ? change(value) : value,
    ) as Values,
});
const stored = (change: Readonly<Record<string, (value: unknown) => unknown>>): Deviations => ({
  stores: (object) => replacing(change).shows!(object, undefined as never),
});

/** Names, ids and texts in other forms. */
export const nameRows: readonly Row[] = [
  ...right([...jobs, "Deployment"], {
    "a base model is answered with its version": trained((name) => (/@/.test(name) ? name : `${name}@v1`)),
    "a base model is answered by its id": trained((name) => name.split("/").at(-1)!),
    "a base model is answered with the address of the service": trained((name) => `https://service.test/v1/${name}`),
  }),
  ...right(jobs, {
    "a dataset is answered with its version": replacing({ dataset: text((name) => `${name}/versions/1`) }),
    "a number is kept below a limit": {
      stores: (object) =>
        mapped(object, (value, name) => (name === "epochs" ? Math.min(Number(value), 1) : value)) as Values,
    },
    "a default is filled in": { stores: (object) => ({ nodeCount: 1, purpose: "PURPOSE_PILOT", ...object }) },
    "an output model is answered by its full name": {
      stores: (object) => ({
        outputModel: `accounts/acme/models/${String(object["name"]).split("/").at(-1)}`,
        ...object,
      }),
    },
  }),
  ...right(["Deployment"], {
    "a number of replicas is kept below a limit": stored({ maxReplicaCount: (value) => Math.min(Number(value), 9) }),
    "a model of a shape is resolved": stored({
      deploymentTemplate: text((name) => `templates/${name.split("/").at(-1)}`),
    }),
  }),
  ...right(["Deployment", "Model", "User", "DeployedModel"], {
    "a display name is trimmed": stored({ displayName: text((name) => name.trim()) }),
    "a display name is in another normal form": stored({ displayName: text((name) => name.normalize("NFD")) }),
    "text has other line ends": stored({ description: text((words) => words.replaceAll("\n", "\r\n")) }),
  }),
  ...right(["User"], {
    "an email address is in lower case": stored({ email: text((email) => email.toLowerCase()) }),
    "an email address is in capitals": stored({ email: text((email) => email.toUpperCase()) }),
    "a display name is the email address": { stores: (object) => ({ displayName: "ada", ...object }) },
  }),
  ...right(["Secret"], {
    "a secret's value is answered as stars": { shows: (object) => ({ ...object, value: "***" }) },
    "a secret's value is answered": { shows: (object) => ({ ...object, value: "hunter2" }) },
    "a secret's value is answered as unset": { shows: (object) => ({ ...object, value: "" }) },
    "a secret has times": { stores: (object) => ({ createTime: "2026-01-01T00:00:00Z", ...object }) },
  }),
  ...right(["User", "Deployment", "SupervisedFineTuningJob", "RlorTrainerJob"], {
    "objects are named by the service": { ownIds: true },
  }),
  ...right(listedKinds, {
    "objects have an id and no name": {
      shows: ({ name, ...rest }) => ({ id: String(name).split("/").at(-1), ...rest }),
    },
  }),
  {
    name: "names have the id of another account",
    kinds: listedKinds,
    deviation: named((name) => name.replace("accounts/acme/", "accounts/acct-7/")),
    outcome: "refused at once",
    message: /acct-7/,
  },
  {
    name: "names are ids alone",
    kinds: listedKinds,
    deviation: named((name) => name.split("/").at(-1)!),
    outcome: "refused at once",
    message: /name/,
  },
  {
    name: "names are URLs",
    kinds: listedKinds,
    deviation: named((name) => `https://service.test/v1/${name}`),
    outcome: "refused at once",
    message: /name/,
  },
  {
    name: "names begin with a slash",
    kinds: listedKinds,
    deviation: named((name) => `/${name}`),
    outcome: "refused at once",
    message: /name/,
  },
  {
    name: "names are in capitals",
    kinds: ["Deployment", "User", "Model"],
    deviation: named((name) => name.replace(/[^/]+$/, (id) => id.toUpperCase())),
    outcome: "refused",
    message: /ADA|CHAT|SUPPORT/,
  },
  {
    name: "a role is another one than was sent",
    kinds: ["User"],
    deviation: stored({ role: () => "admin" }),
    outcome: "refused at once",
    message: /role/,
  },
  {
    name: "a residency is another one than was sent",
    kinds: ["PolicySettings"],
    deviation: stored({ residency: () => "GLOBAL" }),
    outcome: "refused at once",
    message: /residency/,
  },
];
void allKinds;
