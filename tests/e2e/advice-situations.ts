import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InlineSite } from "../inline/site";
import type { Values } from "../values";
import type { FragileSite } from "./cut-off";
import { chat, openModel } from "./everything";

/** A situation, the message in it, and what its commands, as they are printed, have made of it. */
export interface Situation {
  situation: string;
  /** Makes it, and resolves to what a command prints in it. */
  make(at: FragileSite): Promise<string>;
  /** Words of the line that has the commands. */
  says: string;
  /** Which of them are pasted. Default: each, in its order. */
  takes?: (commands: readonly string[]) => readonly (string | undefined)[];
  /** What the reader does in between, as the message says. */
  meanwhile?: (at: FragileSite, message: string) => Promise<void> | void;
  /** Code of the last one. */
  code?: number;
  /** `printed`: by the last one. */
  then(at: FragileSite, printed: string): Promise<unknown> | void;
}

const pinned = { kind: "Deployment", deploymentId: "pinned", baseModel: openModel, deploymentShape: "default" };
const user = (more: Values = {}) => ({ kind: "User", userId: "ada", email: "ada@example.com", role: "user", ...more });
const named = (displayName: string) => ({ ...pinned, displayName });
const pinnedName = "accounts/demo/deployments/pinned";

const unchanged = ({ site }: FragileSite) => site.expect(0, "preview --expect-no-changes");
const namesIn = ({ site }: FragileSite, collection: string): unknown[] => site.live(collection).map(({ name }) => name);
const only =
  (word: string) =>
  (commands: readonly string[]): readonly (string | undefined)[] => [commands.find((each) => each.includes(word))];

async function printedBy({ site }: FragileSite, line: string, resources?: Values): Promise<string> {
  if (resources !== undefined) site.declare({ resources });
  return (await site.run(line)).output;
}

/** Runs a line as it is, without what a site adds to a command. */
const plain = (site: InlineSite, ...args: string[]) =>
  site.play(args, { cwd: site.program, env: site.env as Record<string, string> });

/** Somebody deletes the object of a resource, and makes another one of its name. */
async function recreate({ site }: FragileSite, name: string): Promise<void> {
  const id = String(site.resource(name).id);
  const { createTime: _, ...fields } = site.emulator.world.get(id)!.fields;
  await site.tamper(id);
  await site.seed({ [id]: fields });
}

const movedAway = "is not taken: the state of the stack people has it";

/** An object moves to another stack, and its declaration is left behind. */
async function moveAway(at: FragileSite, it: Values & { kind: string }): Promise<string> {
  await at.site.up({ resources: { it } });
  await plain(at.site, "stack", "init", "people", "--no-select");
  const move = ["--source", "dev", "--dest", "people", "--yes"];
  await plain(at.site, "state", "move", at.site.urn("Deployment", "it"), ...move);
  return printedBy(at, "up");
}

/** The state is older than the last replacement of a deployment. */
async function restoreOlder(at: FragileSite): Promise<void> {
  await at.site.up({ resources: { chat } });
  at.keep("backup");
  await at.site.expect(0, `up --replace ${at.site.urn("Deployment", "chat")}`);
  at.putBack("backup", ["state"]);
}

export const situations: readonly Situation[] = [
  {
    situation: "an object has moved to another stack and is wanted back",
    make: (at) => moveAway(at, pinned),
    says: movedAway,
    takes: only("state move"),
    then: unchanged,
  },
  {
    situation: "an object has moved to another stack, which forgets it",
    make: (at) => moveAway(at, { ...pinned, adopt: "ifEqual" }),
    says: movedAway,
    takes: (commands) => commands.slice(-2),
    then: unchanged,
  },
  {
    situation: "an object has moved to another stack, and the first one wants one of its own",
    make: (at) => moveAway(at, chat),
    says: movedAway,
    takes: only("RECOVER=new"),
    then: unchanged,
  },
  {
    situation: "an object is gone that is to be changed",
    make: async (at) => {
      await at.site.up({ resources: { pinned } });
      await at.site.tamper(pinnedName);
      return printedBy(at, "up", { pinned: named("Chat") });
    },
    says: "cannot be updated: it is gone",
    then: async (at) => {
      await at.site.expect(0, "up");
      await unchanged(at);
    },
  },
  {
    situation: "settings were changed by hand that are to be changed",
    make: async (at) => {
      await at.site.up({ resources: { policy: { kind: "PolicySettings", residency: "EUROPE" } } });
      await at.site.tamper("accounts/demo/policySettings", { residency: "US" });
      return printedBy(at, "up", { policy: { kind: "PolicySettings", residency: "APAC", allowLoosening: true } });
    },
    says: "someone else has changed",
    then: unchanged,
  },
  {
    situation: "another object has the name of one that is to be changed",
    make: async (at) => {
      await at.site.up({ resources: { pinned } });
      await recreate(at, "pinned");
      return printedBy(at, "up", { pinned: named("Chat") });
    },
    says: "is not the object that the state recorded",
    takes: (commands) => commands.slice(0, 1),
    meanwhile: ({ site }, message) => {
      const [, acceptDrift] = /acceptDrift: "(\w+)"/.exec(message)!;
      site.declare({ resources: { pinned: { ...named("Chat"), acceptDrift } } });
    },
    then: unchanged,
  },
  {
    situation: "an object is to be adopted and cannot become what is declared",
    make: async (at) => {
      await at.site.seed({ [pinnedName]: { ...pinned, state: "READY" } });
      return printedBy(at, "up", { pinned: { ...pinned, preemptible: true, adopt: "ifEqual" } });
    },
    says: "which cannot change",
    then: unchanged,
  },
  {
    situation: "a delete's answer is lost",
    make: async (at) => {
      await at.site.up({ resources: { ada: user() } });
      await at.site.fault({ operation: "deleteUser" }, { kind: "reset" }, { times: null });
      const printed = await printedBy(at, "destroy");
      await at.site.clearFaults();
      return printed;
    },
    says: "Whether it was deleted is not known",
    then: async ({ site }) => {
      await site.expect(0, "destroy");
      expect(site.resources()).toEqual([]);
    },
  },
  ...["dev", "prod"].map(
    (stack): Situation => ({
      situation: `a protected deployment is to be deleted from the stack that is now ${stack}`,
      make: async (at) => {
        const more = { deletionProtection: true };
        await at.site.up({ resources: { pinned: { ...pinned, ...more }, ada: user() } });
        if (stack !== at.site.stack) await at.site.expect(0, `stack rename ${stack}`);
        at.site.stack = stack;
        return printedBy(at, "destroy");
      },
      says: "is protected by `deletionProtection`",
      meanwhile: ({ site }) =>
        site.declare({ resources: { pinned: { ...pinned, deletionProtection: false }, ada: user() } }),
      then: async (at) => {
        await at.site.expect(0, "destroy");
        expect([namesIn(at, "deployments/"), namesIn(at, "users/")]).toEqual([[], []]);
      },
    }),
  ),
  {
    situation: "a deployment serves what this stack has not loaded",
    make: async (at) => {
      await at.site.up({ resources: { pinned } });
      const tuned = "accounts/demo/models/tuned";
      const loaded = { model: tuned, deployment: pinnedName, state: "DEPLOYED" };
      await at.site.seed({
        [tuned]: { kind: "ADDON_MODEL", baseModel: openModel, state: "READY" },
        "accounts/demo/deployedModels/theirs": loaded,
      });
      return printedBy(at, "destroy");
    },
    says: "which this stack has not loaded",
    then: ({ site }) => site.expect(0, "destroy"),
  },
  {
    situation: "an interrupted create has left a deployment of another id",
    make: async (at) => {
      at.site.declare({ resources: { it: pinned } });
      await at.cutOff("up", { method: "POST" });
      return printedBy(at, "up", { it: { ...pinned, deploymentId: "other" } });
    },
    says: "is not recorded in any state",
    takes: (commands) => commands.slice(0, 1),
    then: (_, printed) => expect(printed).toContain(pinnedName),
  },
  {
    situation: "an interrupted create has left a deployment, which has gone since",
    make: async (at) => {
      at.site.declare({ resources: { it: pinned } });
      await at.cutOff("up", { method: "POST" });
      return printedBy(at, "up", { it: { ...pinned, deploymentId: "other" } });
    },
    says: "is not recorded in any state",
    takes: only(" refresh "),
    meanwhile: ({ site }) => site.tamper(pinnedName),
    then: async (at, printed) => {
      expect(printed).not.toContain("is not recorded in any state");
      await unchanged(at);
    },
  },
  ...["=take ", "=new "].map(
    (answer): Situation => ({
      situation: `an interrupted create of a renamed stack is asked about, ${answer}`,
      make: async (at) => {
        at.site.declare({ resources: { it: chat } });
        await at.cutOff("up", { method: "POST" });
        await at.site.expect(0, "stack rename prod");
        at.site.stack = "prod";
        return printedBy(at, "up");
      },
      says: "was created by an interrupted run of the stack dev",
      takes: only(answer),
      then: async (at) => {
        expect(namesIn(at, "deployments/")).toHaveLength(answer === "=new " ? 2 : 1);
        await unchanged(at);
      },
    }),
  ),
  {
    situation: "a state is older than the last object of a resource, which is wanted back",
    make: async (at) => {
      await restoreOlder(at);
      return printedBy(at, "up");
    },
    says: "was this resource later than",
    then: unchanged,
  },
  {
    situation: "a state is older than the last object of a resource, and all is destroyed",
    make: async (at) => {
      await restoreOlder(at);
      return printedBy(at, "destroy");
    },
    says: "was this resource later and is live",
    then: (at) => expect(namesIn(at, "deployments/")).toEqual([]),
  },
  {
    situation: "two stacks record one object",
    make: async (at) => {
      const { site } = at;
      await site.up({ resources: { ada: user() } });
      const { output } = await site.expect(0, "stack export");
      const file = join(site.program, "state.json");
      writeFileSync(file, output.replaceAll("urn:pulumi:dev:", "urn:pulumi:two:"));
      await plain(site, "stack", "init", "two");
      await plain(site, "stack", "import", "--stack", "two", "--file", file);
      await plain(site, "stack", "select", "dev");
      return printedBy(at, "destroy");
    },
    says: "records this very object",
    takes: (commands) => commands.slice(-1),
    then: async (at) => {
      await at.site.expect(0, "destroy");
      expect(namesIn(at, "users/")).toEqual([]);
    },
  },
  {
    situation: "something was changed by hand, and a scan reports it",
    make: async (at) => {
      await at.site.up({ resources: { ada: user() } });
      await at.site.tamper("accounts/demo/users/ada", { role: "admin" });
      return (await plain(at.site, "drift")).output;
    },
    says: "reverts what the program sets",
    then: async (at) => {
      expect(at.site.only("users/")).toMatchObject({ role: "user" });
      await unchanged(at);
    },
  },
  {
    situation: "a stack is named that is not there",
    make: async ({ site }) => (await plain(site, "up", "--yes", "--stack", "two")).output,
    says: "has no stack two",
    then: async ({ site }) => {
      site.declare({ resources: {} });
      expect(await plain(site, "up", "--yes", "--stack", "two")).toMatchObject({ code: 0 });
    },
  },
  {
    situation: "the project has another name in Pulumi.yaml",
    make: async (at) => {
      await at.site.up({ resources: { pinned, chat } });
      const file = join(at.site.program, "Pulumi.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace(/^name: .*$/m, "name: store"));
      return printedBy(at, "preview");
    },
    says: "under another name",
    takes: only(" rename "),
    then: async (at) => {
      await unchanged(at);
      await at.site.expect(0, "refresh");
      await at.site.expect(0, "up");
      await at.site.expect(0, "destroy");
      expect(namesIn(at, "deployments/")).toEqual([]);
    },
  },
  {
    situation: "a command has another name here",
    make: async ({ site }) => (await plain(site, "whoami")).output,
    says: "The command that does it is",
    then: (_, printed) => expect(printed).toContain("account"),
  },
  {
    situation: "objects are imported where their program is wanted",
    make: async (at) => {
      await at.site.seed({ [pinnedName]: { ...pinned, state: "READY" } });
      return (await plain(at.site, "import", pinnedName)).output;
    },
    says: "For the program of objects",
    then: (_, printed) => expect(printed).toContain('new Deployment("pinned"'),
  },
  {
    situation: "a secret is given for one run, in plain text",
    make: async ({ site }) => (await plain(site, "up", "--yes", "--config", "modelplatform:apiKey=demo-key")).output,
    says: "Set it once with",
    then: async ({ site }) => expect((await plain(site, "config")).output).toContain("[secret]"),
  },
  {
    situation: "the stack's config keeps a key of the environment from being used",
    make: async ({ site }) => {
      await plain(site, "config", "set", "--secret", "modelplatform:apiKey", "other-key");
      return (await plain(site, "doctor")).output;
    },
    says: "config rm",
    then: async ({ site }) => expect((await plain(site, "doctor")).output).not.toContain("config rm"),
  },
  {
    situation: "an id that was asked about is given up for another one",
    make: async (at) => {
      at.site.declare({ resources: { it: chat } });
      await at.cutOff("up", { method: "POST" });
      at.loseJournal();
      return printedBy(at, "up");
    },
    says: "nothing shows that this declaration created it",
    takes: only("=new "),
    then: async (at) => {
      expect(namesIn(at, "deployments/")).toHaveLength(2);
      await unchanged(at);
    },
  },
  {
    situation: "a key is missing",
    make: async ({ site }) => {
      site.declare({ resources: { ada: user() } });
      return (await site.run("up", { env: { MODELPLATFORM_API_KEY: "" } })).output;
    },
    says: "Set it with",
    then: async ({ site }) => {
      const { output } = await site.run("up", { env: { MODELPLATFORM_API_KEY: "" } });
      expect(output).toContain("The service does not accept the API key");
    },
  },
  {
    situation: "a key is in the stack's file as plain text",
    make: async ({ site }) => {
      appendFileSync(join(site.program, "Pulumi.dev.yaml"), "  modelplatform:apiKey: demo-key\n");
      return (await plain(site, "doctor")).output;
    },
    says: "config set --secret",
    then: async ({ site }) => expect((await plain(site, "doctor")).output).not.toContain("config set --secret"),
  },
  {
    situation: "a help is short",
    make: async ({ site }) => (await plain(site, "up", "--help")).output,
    says: "--help all",
    then: (_, printed) => expect(printed).toContain("--target-dependents"),
  },
];

const registry = "asks a registry, which no test does";
const cutBetweenFiles = "needs a command that is cut off between two files: tests/state/undertaking holds its words";

/** Command lines that no situation pastes, and why. */
export const unplayed: Readonly<Record<string, string>> = {
  "cli/command/stack-choice.ts openFoldersProblem: chmod o-w":
    "is no command of ours, and changes rights that a checkout of the tests has not",
  "cli/drift/codify.ts notes: config set --secret":
    "the file of the code has it in a comment; the command is pasted from doctor",
  "cli/drift/codify.ts stepsOfImport: quotedCommand": "tests/e2e/codify imports by what codify writes",
  "cli/platform/doctor/machine.ts packageFinding: npm install": registry,
  "cli/platform/doctor/machine.ts pluginFindings: npm install": registry,
  "cli/platform/doctor/machine.ts sdkFinding: npm install": registry,
  "provider/plugin/settings.ts versionFailures: npm install": registry,
  "cli/platform/doctor/next.ts attemptSteps: refresh --clear-pending-creates":
    "pasted from the warning of `up`, in the same situation",
  "cli/platform/doctor/next.ts describe: drift --unmanaged": "what it looks at has no name yet",
  "cli/platform/doctor/next.ts describe: objectCommand": "pasted from the message of `up` about the same object",
  "cli/platform/doctor/next.ts recreateStackStep: stack init": "pasted from the refusal of a stack that is not there",
  "cli/platform/doctor/orphans.ts attemptText: objectCommand": "pasted from the message of `up` about the same object",
  "cli/platform/doctor/orphans.ts describe: delete": "pasted from the message of `destroy` about a lost object",
  "cli/platform/doctor/orphans.ts leftoversOf: doctor --next": "run after each refusal in tests/cli/left-behind",
  "cli/platform/doctor/orphans.ts warnOf: doctor --leftovers --stack": "comes with more objects than a test makes",
  "cli/platform/probe/probe.ts report: config set": "comes with a service that deviates",
  "cli/stack/stack.ts throwUnselected: stack select": "comes with a folder that cannot be written",
  "cli/drift/accept/outcome.ts nextStep: up --refresh":
    "needs a program under git: tests/e2e/accept runs it after each edit, without targets",
  "drift/report/context.ts line: commandLine": "is on the page of a report: tests/drift/report",
  "drift/scan/stacks.ts fromCli: pulumi stack export --stack": "needs the Pulumi CLI, and names what has failed",
  "engine/state/project.ts there: command": "has a place that the reader fills in",
  "engine/state/stack-config.ts setting: config set value": "has a place that the reader fills in",
  "engine/state/undertaking.ts finishing: --stack": cutBetweenFiles,
  "engine/state/undertaking.ts finishing: --yes": cutBetweenFiles,
  "engine/state/undertaking.ts finishing: --yes --source --dest": cutBetweenFiles,
  "provider/plugin/server.ts misplaced: pulumi plugin rm resource --yes": "needs the Pulumi CLI",
  "provider/lifecycle/changes/acceptance.ts assertNotRecreated: up --refresh":
    "needs two resources in a race: tests/model follows its answers",
  "provider/lifecycle/changes/delete.ts waitUntilDeleted: forgetting": "needs a service that keeps what is deleted",
  "provider/lifecycle/changes/unfinished.ts onFailureAdvice: up": "needs an object that fails within its own change",
  "provider/lifecycle/creation/create.ts nextStep: resume": "needs a job that is paused while its create waits",
  "provider/lifecycle/creation/earlier-runs.ts asItIs: take":
    "pasted as the answer to the same question of another kind",
  "provider/lifecycle/creation/earlier-runs.ts warnOfFormer: up --refresh": "needs an engine that reports no state",
  "provider/lifecycle/creation/orphans.ts orphanText: delete":
    "needs an object that is at rest; the command is pasted from the message of `destroy`",
  "provider/lifecycle/creation/send.ts rejectUnseen: up":
    "needs a service that answers neither a create nor a read: tests/lifecycle/lost-answers",
  "provider/lifecycle/creation/take-over.ts assertNotHeld: up":
    "a check comes first in one program: tests/model follows its answers",
  "provider/lifecycle/creation/take-over.ts orAnother: new": "pasted as the answer to a question of the same words",
  "provider/lifecycle/creation/take-over.ts takeOver: up --refresh":
    "needs a state that is read late: tests/model follows its answers",
  "provider/lifecycle/lifecycle.ts delete: up": "needs a forced replacement of what no state holds",
  "provider/lifecycle/ownership/journal.ts nameHiddenFormers: get": "pasted from other messages about a lost object",
  "provider/lifecycle/ownership/journal.ts nameHiddenFormers: importing":
    "pasted from other messages about a lost object",
  "provider/lifecycle/ownership/other-stacks.ts elsewhereError: forgetting":
    "needs two states that have an object: tests/e2e/two-stacks",
  "provider/lifecycle/ownership/other-stacks.ts warnOfLaterHolder: forgetting": "needs the Pulumi CLI",
  "provider/lifecycle/ownership/owner.ts assertRecordedOnce: forgetting":
    "the built-in engine refuses such a state first: tests/lifecycle/two-records",
  "provider/lifecycle/ownership/owner.ts assertRecordedOnce: up":
    "the built-in engine refuses such a state first: tests/lifecycle/two-records",
  "provider/lifecycle/ownership/owner.ts claimedError: up":
    "a create refuses first in one program: tests/model follows its answers",
  "provider/lifecycle/ownership/owner.ts replacedObjectReason: forgetting":
    "pasted from `refresh` about the same object",
};
