import type { ErrorCode } from "../../provider/core/error-codes";
import { isModelPlatformError, type ModelPlatformError } from "../../provider/core/errors";
import {
  answersTo,
  type CreateVerdict,
  decideCreate,
  type Relation,
} from "../../provider/lifecycle/ownership/verdicts";
import type { Values } from "../../provider/lifecycle/types";
import { createHarness, type Harness, hiddenOf, type Process } from "./harness";

/** Creates that meet an object, row by row of the table, with a service. */

let at: Harness;

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const marked = { ownershipMarker: "true" };

interface Place {
  kind: string;
  inputs: Values;
}

const places = {
  automatic: { kind: "Deployment", inputs: served },
  chosen: { kind: "Deployment", inputs: { ...served, deploymentId: "chat" } },
  key: { kind: "User", inputs: { email: "ada@example.com", role: "user" } },
} satisfies Record<string, Place>;

const about = ({ kind, inputs }: Place) => ({
  /** Its create was answered, and no state has held it. */
  begin: async (name: string, config = {}): Promise<string> => (await at.process(config).create(kind, name, inputs)).id,
  hold: async (name: string, more: Values = {}): Promise<string> => {
    const { id, outputs } = await at.process().create(kind, name, { ...inputs, ...more });
    await at.process().diff(kind, name, outputs, { ...inputs, ...more });
    return id;
  },
});

/** Puts the object there, and the process that meets it. Resolves to its name. */
type Scene = (place: Place, process: Process) => Promise<string>;

/** Somebody else's, of the same inputs, where this declaration's create goes. */
const theirs = async ({ kind, inputs }: Place): Promise<string> => (await at.elsewhere().create(kind, "it", inputs)).id;

const loseAnswer = async ({ kind, inputs }: Place, name: string): Promise<void> => {
  await at.fault({ match: { operation: `create${kind}` }, fault: { kind: "resetAfterCommit" }, times: 1 });
  at.wire.push({ method: "GET", path: /./, at: "request", code: "ECONNRESET", skip: 1, times: 1000, hits: 0 });
  at.wire.push({ method: "POST", path: /./, at: "request", code: "ECONNRESET", skip: 1, times: 1000, hits: 0 });
  await at
    .process({ preflight: "false" })
    .create(kind, name, inputs)
    .catch(() => undefined);
  await at.clearFaults();
};

const nameIn = ({ kind }: Place): string => String(at.names(kind === "User" ? "users" : "deployments")[0]);

const scenes: Partial<Record<Relation, Scene>> = {
  async gone({ kind, inputs }) {
    const { id, outputs } = await at.elsewhere().create(kind, "it", { ...inputs, deletionMode: "soft" });
    await at.elsewhere().delete(kind, "it", outputs);
    return id;
  },
  theirs: async ({ kind, inputs }) => {
    const { id } = await at.elsewhere().create(kind, "it", inputs);
    await at.change(id, {
      annotations: { "custom/pulumi-stack": "organization/shop/other", "custom/pulumi-urn": "x" },
    });
    return id;
  },
  async siblingNow(place, process) {
    const name = await theirs(place);
    process.world.run.resource(hiddenOf(place.kind, "other").urn).create().recordObject(name, {});
    return name;
  },
  async recorded({ kind, inputs }, process) {
    const { id, outputs } = await at.process().create(kind, "it", inputs);
    await process.diff(kind, "it", outputs, inputs);
    return id;
  },
  async answered(place) {
    await at.fault({ match: { operation: `create${place.kind}` }, fault: { kind: "resetAfterCommit" }, times: 1 });
    return "";
  },
  begun: (place) => about(place).begin("it"),
  // What was held last is looked for before; this one was held before that.
  async former(place) {
    const name = await about(place).hold("it");
    if (place === places.chosen) await about(place).hold("it", { deploymentId: "other" });
    return name;
  },
  siblingHeld: (place) => about(place).hold("other"),
  siblingBegun: (place) => about(place).begin("other"),
  async siblingAdopted(place) {
    await theirs(place);
    return about(place).hold("other", { adopt: "ifEqual" });
  },
  async likely(place) {
    await loseAnswer(place, "it");
    return nameIn(place);
  },
  async possible(place) {
    await loseAnswer(place, "it");
    const name = nameIn(place);
    await at.change(name, { displayName: "Theirs" });
    return name;
  },
  async marked({ kind, inputs }) {
    return (await at.elsewhere(marked).create(kind, "it", inputs)).id;
  },
  strange: theirs,
};

type Outcome = Exclude<CreateVerdict, "keep" | "retake"> | "own";

/** What changes only by a request. */
function visible(name: string): Values {
  const { state: _, updateTime: _time, ...object } = at.object(name) ?? {};
  return object;
}

/** A refusal names each answer with which the table decides otherwise, and no other one. */
function expectAnswers([id, relation, adopt, recover]: MetRow, { message, answers: given }: ModelPlatformError): void {
  // At an automatic id, the id itself is evidence.
  const met = id === "automatic" && relation === "strange" ? "possible" : relation;
  const answers = answersTo(met, { id, adopt, recover });
  expect({ recover: given.recover, adopt: given.adopt }).toEqual({ recover: answers.recover, adopt: answers.adopt });
  const named = (words: RegExp): boolean => words.test(message);
  expect({
    take: named(/RECOVER=take|recover take/),
    new: named(/RECOVER=new|recover new/),
    adopt: named(/`adopt: "ifEqual"`.*`adopt: "overwrite"`/),
    otherId: id === "automatic" || named(/another id/),
  }).toEqual({
    take: answers.recover?.includes("take") === true,
    new: answers.recover?.includes("new") === true,
    adopt: answers.adopt !== undefined,
    otherId: true,
  });
}

/** The code of each refusal, and of the questions, by the relation of what is met. */
const refusedWith: Partial<Record<Relation, ErrorCode>> = {
  ...{ theirs: "another-stacks", siblingNow: "held-by-another", gone: "soft-deleted" },
  ...{ recorded: "already-created", former: "already-created", begun: "left-at-its-id", likely: "left-at-its-id" },
  ...{ siblingHeld: "created-as-another", siblingBegun: "created-as-another" },
  ...{ siblingAdopted: "already-exists", strange: "already-exists", possible: "already-exists" },
};
const askedWith = {
  automatic: "automatic-id-exists",
  chosen: "created-meanwhile",
  key: "created-meanwhile",
} satisfies {
  [Id in MetRow[0]]: ErrorCode;
};

/** What a run says of it, and what it records. */
async function outcome(row: MetRow, process: Process, name: string): Promise<Outcome> {
  const { kind, inputs } = places[row[0]];
  const more = row[2] === "never" ? {} : { adopt: row[2] };
  const before = visible(name);
  try {
    const { id, outputs } = await process.create(kind, "it", { ...inputs, ...more });
    const said = process.messages.join("\n");
    if (name !== "" && id !== name) {
      expect(visible(name)).toEqual(before);
      return said.includes(name) ? "nameAndNext" : "next";
    }
    if (said.includes("was left by an interrupted run and is taken over")) return "takeOver";
    if (/is so again|is this resource now/.test(said)) return "takeBack";
    return outputs["adopted"] ? "adopt" : "own";
  } catch (error) {
    if (name !== "") expect(visible(name)).toEqual(before);
    if (!isModelPlatformError(error)) throw error;
    const { code, message } = error;
    if (code === undefined) throw error;
    expect(message).toContain(name);
    const asks = code === askedWith[row[0]];
    if (!asks) expect(code).toBe(refusedWith[row[1]]);
    if (code === "soft-deleted") return "revive";
    expectAnswers(row, error);
    return asks ? "ask" : "refuse";
  }
}

export type MetRow = [
  id: keyof typeof places,
  relation: Relation,
  adopt: "never" | "ifEqual" | "overwrite",
  recover: "ask" | "take" | "new",
  verdict: Outcome,
];

/** The rows, each with what a run says and records. */
export const metRows: readonly MetRow[] = [
  ["automatic", "answered", "never", "ask", "own"],
  ["automatic", "answered", "never", "new", "own"],
  ["automatic", "gone", "never", "ask", "next"],
  ["automatic", "theirs", "never", "take", "next"],
  ["automatic", "siblingNow", "never", "take", "next"],
  ["automatic", "recorded", "never", "take", "next"],
  ["automatic", "former", "never", "ask", "nameAndNext"],
  ["automatic", "begun", "never", "ask", "takeOver"],
  ["automatic", "begun", "never", "take", "takeOver"],
  ["automatic", "begun", "never", "new", "nameAndNext"],
  ["automatic", "likely", "never", "ask", "takeOver"],
  ["automatic", "likely", "never", "new", "nameAndNext"],
  ["automatic", "strange", "never", "ask", "ask"],
  ["automatic", "strange", "never", "take", "takeOver"],
  ["automatic", "strange", "never", "new", "nameAndNext"],
  ["automatic", "marked", "never", "ask", "takeOver"],
  ["automatic", "marked", "never", "new", "nameAndNext"],
  ["chosen", "answered", "never", "ask", "own"],
  ["chosen", "answered", "never", "new", "own"],
  ["chosen", "gone", "never", "ask", "revive"],
  ["chosen", "gone", "overwrite", "take", "revive"],
  ["chosen", "theirs", "never", "take", "refuse"],
  ["chosen", "siblingNow", "never", "take", "refuse"],
  ["chosen", "siblingNow", "ifEqual", "ask", "refuse"],
  ["chosen", "theirs", "overwrite", "ask", "refuse"],
  ["chosen", "begun", "never", "ask", "takeOver"],
  ["chosen", "begun", "overwrite", "take", "takeOver"],
  ["chosen", "begun", "never", "new", "refuse"],
  ["chosen", "begun", "overwrite", "new", "refuse"],
  ["chosen", "likely", "never", "ask", "takeOver"],
  ["chosen", "likely", "overwrite", "new", "refuse"],
  ["chosen", "recorded", "never", "take", "refuse"],
  ["chosen", "recorded", "ifEqual", "ask", "own"],
  ["chosen", "recorded", "overwrite", "ask", "own"],
  ["chosen", "former", "never", "ask", "refuse"],
  ["chosen", "former", "never", "new", "refuse"],
  ["chosen", "former", "never", "take", "takeBack"],
  ["chosen", "former", "ifEqual", "ask", "own"],
  ["chosen", "former", "overwrite", "take", "own"],
  ["chosen", "siblingHeld", "never", "ask", "refuse"],
  ["chosen", "siblingHeld", "never", "take", "takeBack"],
  ["chosen", "siblingHeld", "overwrite", "ask", "refuse"],
  ["chosen", "siblingHeld", "overwrite", "new", "refuse"],
  ["chosen", "siblingHeld", "ifEqual", "take", "takeBack"],
  ["chosen", "siblingBegun", "never", "take", "refuse"],
  ["chosen", "siblingBegun", "ifEqual", "ask", "own"],
  ["chosen", "siblingBegun", "overwrite", "ask", "own"],
  ["chosen", "siblingAdopted", "never", "ask", "refuse"],
  ["chosen", "siblingAdopted", "ifEqual", "ask", "adopt"],
  ["chosen", "possible", "never", "ask", "ask"],
  ["chosen", "possible", "never", "take", "takeOver"],
  ["chosen", "possible", "never", "new", "refuse"],
  ["chosen", "possible", "overwrite", "ask", "adopt"],
  ["chosen", "possible", "overwrite", "new", "adopt"],
  ["chosen", "possible", "overwrite", "take", "takeOver"],
  ["chosen", "strange", "never", "take", "refuse"],
  ["chosen", "strange", "ifEqual", "ask", "adopt"],
  ["chosen", "strange", "overwrite", "new", "adopt"],
  ["key", "answered", "never", "new", "own"],
  ["key", "siblingNow", "overwrite", "take", "refuse"],
  ["key", "begun", "never", "ask", "takeOver"],
  ["key", "begun", "never", "new", "refuse"],
  ["key", "likely", "ifEqual", "take", "takeOver"],
  ["key", "recorded", "never", "ask", "refuse"],
  ["key", "recorded", "overwrite", "ask", "own"],
  ["key", "former", "never", "ask", "refuse"],
  ["key", "former", "never", "take", "takeBack"],
  ["key", "former", "ifEqual", "ask", "own"],
  ["key", "siblingHeld", "ifEqual", "ask", "refuse"],
  ["key", "siblingHeld", "never", "take", "takeBack"],
  ["key", "siblingBegun", "never", "ask", "refuse"],
  ["key", "siblingBegun", "ifEqual", "ask", "own"],
  ["key", "siblingAdopted", "overwrite", "ask", "adopt"],
  ["key", "possible", "never", "ask", "ask"],
  ["key", "possible", "never", "take", "takeOver"],
  ["key", "possible", "ifEqual", "new", "adopt"],
  ["key", "possible", "overwrite", "new", "adopt"],
  ["key", "strange", "never", "new", "refuse"],
  ["key", "strange", "overwrite", "ask", "adopt"],
];

/** Every row in which a create with a place of its own refuses or asks. Marks prove nothing there; users carry none. */
export const refusingRows: readonly MetRow[] = (["chosen", "key"] as const).flatMap((id) =>
  (Object.keys(scenes) as Relation[])
    .filter((relation) => relation !== "marked" && (id === "chosen" || relation !== "theirs"))
    .flatMap((relation) =>
      (["never", "ifEqual", "overwrite"] as const).flatMap((adopt) =>
        (["ask", "take", "new"] as const).flatMap((recover): MetRow[] => {
          const verdict = decideCreate(relation, { id, adopt, recover });
          return verdict === "ask" || verdict === "refuse" ? [[id, relation, adopt, recover, verdict]] : [];
        }),
      ),
    ),
);

/** What becomes of it. */
export async function played(row: MetRow): Promise<Outcome> {
  const [id, relation, , recover] = row;
  at = await createHarness();
  try {
    const process = at.process({ recover });
    const name = await scenes[relation]!(places[id], process);
    return await outcome(row, process, name);
  } finally {
    await at.close();
  }
}
