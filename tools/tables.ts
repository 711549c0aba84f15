import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { choiceOf } from "../cli/checkout/settings";
import {
  type Choice,
  type ChoiceSource,
  type CommandName,
  callsServiceWithSettings,
  type TrustPolicy,
  trustPolicies,
} from "../cli/checkout/trust-policies";
import type { KeyRules } from "../engine/state/file-keys";
import { guardrails } from "../governance/policies/guardrails";
import type { Guardrail } from "../governance/policies/rule";
import { defaultTimeout, type ResourceSpec } from "../provider/core/declaration/resource";
import { errorCodes } from "../provider/core/error-codes";
import { settingFields, settingKey } from "../provider/core/settings";
import { groupBy } from "../provider/core/values/grouping";
import { z } from "../provider/core/zod";
import {
  createActions,
  createRules,
  formerActions,
  formers,
  inPlaceOfRecorded,
  type Relation,
  relations,
} from "../provider/lifecycle/ownership/verdicts";
import { table } from "./pages/markdown";
import { pagePath } from "./sdk/layout";

/** Codes of errors of the life cycle. */
export const errorTable = (): string =>
  table(
    ["`code`", "what it says"],
    Object.entries(errorCodes).map(([code, text]) => [`\`${code}\``, text]),
  );

/** The tables by which the life cycle decides about ownership, in words. */
export function ownershipTables(): string {
  return [
    "### What an object can be",
    table(["", "meaning"], Object.values(relations)),
    "### A create meets an object",
    table(
      ["id", "the object is", "`adopt`", "`recover`", "what happens"],
      createRules.map(({ id, relation, adopt, recover, verdict }) => [
        idsText(id),
        list(relation?.map((each) => relations[each][0])),
        settings(adopt),
        settings(recover),
        createActions[verdict],
      ]),
    ),
    "### Before a create: the object that the resource had before",
    table(
      ["where it is", "the state lacks it", "`adopt`", "`recover`", "it can become as declared", "what happens"],
      formers.map(({ place, isLost, adopt, recover, fits, verdict }) => [
        list(place?.map((each) => (each === "same" ? "where the create goes" : "elsewhere"))),
        yesOrNo(isLost),
        settings(adopt),
        settings(recover),
        yesOrNo(fits),
        formerActions[verdict],
      ]),
    ),
    "### Another object has the name of the recorded one",
    table(
      ["the other object is", "`refresh`", "`up`"],
      alike(inPlaceOfRecorded).map(([names, { read, change }]) => [list(names), readText[read], changeText[change]]),
    ),
  ].join("\n\n");
}

const readText = {
  accept: "becomes the recorded object",
  drop: "the record is removed: the other resource has one",
  show: "shown as a change; still not this stack's",
};

const changeText = {
  continue: "continues with it",
  replace: "creates another object",
  refuse: "refused until the program accepts it",
};

/** Names of relations that have the same outcome. */
function alike<Outcome>(outcomes: Readonly<Record<Relation, Outcome>>): [names: string[], outcome: Outcome][] {
  const groups = groupBy(Object.keys(relations) as Relation[], (relation) => JSON.stringify(outcomes[relation]));
  return [...groups.values()].map((group) => [group.map((each) => relations[each][0]), outcomes[group[0]!]]);
}

const idsText = (ids: readonly string[] | undefined): string =>
  ids === undefined ? "any" : ids.includes("automatic") ? "automatic" : "chosen, natural key";

const settings = (values: readonly string[] | undefined): string => list(values?.map((value) => `\`${value}\``));

const yesOrNo = (values: readonly boolean[] | undefined): string =>
  list(values?.map((value) => (value ? "yes" : "no")));

const list = (values: readonly string[] | undefined): string => values?.join(", ") ?? "any";

/** Settings of commands that read, or send one request. The others are about changes of resources. */
const settingsOfReads: readonly string[] = [
  "apiKey",
  "accountId",
  "baseUrl",
  "accounts",
  "requestsPerSecond",
  "allowEndpointChange",
  "intents",
  "dialect",
  "operations",
];

const notice = ["retirementDays", "retirementErrorDays"];

/** What a command of its own needs besides. */
const ownSettings: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  cost: ["prices"],
  drift: ["prices", ...notice],
  audit: ["prices", ...notice],
};

/** Commands that take settings from the states that they read. */
const readsStates: readonly CommandName[] = ["codify", "drift", "audit", "accept", "call", "probe"];

const names = Object.keys(trustPolicies) as CommandName[];
const runsProgram = (name: CommandName): boolean => trustPolicies[name].address.includes("project" as never);
const readsService = (name: CommandName): boolean =>
  !runsProgram(name) && callsServiceWithSettings(trustPolicies[name]);

/** Where each command takes settings from: the rule, and each exception from it. */
export function settingsTable(): string {
  const rows = settingFields.flatMap(({ name }) =>
    [...exceptionsOf(name)].map(([sources, some]) => `| \`${settingKey(name)}\` | ${listed(some)} | ${sources} |`),
  );
  const ofChanges = settingFields.map(({ name }) => name).filter((name) => !isRead(name));
  return [
    `- ${listed(names.filter(runsProgram))} take every setting from the program, then the stack's config, then the environment.`,
    `- ${listed(names.filter(readsService))} take it from \`--setting modelplatform:<setting>=<value>\`, then the environment; a secret from the environment alone.`,
    "- `doctor` takes the stack's config before these; its keys and addresses only with `--trust-project`.",
    `- ${listed(ofChanges)} are about changes: commands that read do not take them.`,
    "",
    "Exceptions:",
    "",
    "| Setting | Commands | Taken from |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}

const listed = (some: readonly string[]): string => some.map((each) => `\`${each}\``).join(", ");

const isRead = (name: string): boolean =>
  settingsOfReads.includes(name) || Object.values(ownSettings).some((own) => own.includes(name));

/** Commands that read the service and take a setting from elsewhere than the rule says, by where. */
function exceptionsOf(name: string): Map<string, CommandName[]> {
  if (!isRead(name)) return new Map();
  const byRule = isSecret(name) ? "environment" : "`--setting`, environment";
  const trusted = choiceOf[name] === undefined ? "stack config" : "stack config with `--trust-project`";
  const sourcesFor = (command: CommandName): string =>
    sourcesOf(command, name).join(", ") || "nowhere: it is not needed";
  const ruleFor = (command: CommandName): string => (command === "doctor" ? `${trusted}, ${byRule}` : byRule);
  const some = names.filter((command) => readsService(command) && sourcesFor(command) !== ruleFor(command));
  return groupBy(some, sourcesFor);
}

const isSecret = (name: string): boolean => settingFields.some((field) => field.name === name && field.markers.secret);

function sourcesOf(command: CommandName, name: string): string[] {
  const declared: TrustPolicy = trustPolicies[command];
  const isUsed = settingsOfReads.includes(name) || ownSettings[command]?.includes(name);
  if (!callsServiceWithSettings(declared) || !isUsed) return [];
  const choice = choiceOf[name];
  const takesFrom = (source: ChoiceSource): boolean => choice === undefined || declared[choice].includes(source);
  return [
    ...(command === "doctor" ? fromConfig(name, takesFrom) : []),
    ...(isSecret(name) || !takesFrom("flags") ? [] : ["`--setting`"]),
    ...(takesFrom("environment") ? ["environment"] : []),
    ...(readsStates.includes(command) ? fromState(name, declared) : []),
  ];
}

/** The config of the project that `doctor` examines. */
function fromConfig(name: string, takesFrom: (source: ChoiceSource) => boolean): string[] {
  if (choiceOf[name] === undefined || takesFrom("project")) return ["stack config"];
  if (name === "operations") return ["stack config (reads; others with `--trust-project`)"];
  return takesFrom("trusted project") ? ["stack config with `--trust-project`"] : [];
}

function fromState(name: string, { address }: TrustPolicy): string[] {
  if (name === "operations") return ["state (reads)"];
  return name === "dialect" && address.includes("trusted project") ? ["state with `--trust-project`"] : [];
}

const columns: readonly [choice: Choice, heading: string][] = [
  ["address", "Addresses"],
  ["key", "Keys and key commands"],
  ["program", "Programs that run"],
  ["path", "Files that are written"],
];

const inWords: Readonly<Record<ChoiceSource, string>> = {
  flags: "flags",
  environment: "environment",
  project: "**project**",
  "trusted project": "project with `--trust-project`",
};

/** What each command takes from where; commands that take the same share a row. */
export function checkoutTable(commands: Readonly<Record<string, TrustPolicy>> = trustPolicies): string {
  const rows = new Map<string, string[]>();
  for (const [name, declared] of Object.entries(commands)) {
    const cells = columns.map(([choice]) => declared[choice].map((source) => inWords[source]).join(", ") || "–");
    const row = [...cells, declared.note ?? ""].join(" | ");
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  return [
    `| Command | ${columns.map(([, heading]) => heading).join(" | ")} | |`,
    `| --- | ${columns.map(() => "---").join(" | ")} | --- |`,
    ...[...rows].map(([row, names]) => `| ${names.join(", ")} | ${row} |`),
  ].join("\n");
}

/** What the built-in engine does with each key of a file; keys with the same effect share a row. */
export function keysTable(rules: KeyRules): string {
  const rows = groupBy(Object.keys(rules), (key) => `${effects[rules[key]!.effect]}: ${rules[key]!.note}`);
  return table(
    ["Key", "In the built-in engine"],
    [...rows].map(([effect, keys]) => [keys.map((key) => `\`${key}\``).join(", "), effect]),
  );
}

const effects = { used: "Used", refused: "Refused", none: "Without effect" } as const;

/** Every program below `folder`, with what its `Pulumi.yaml` says of it. */
export function exampleTable(folder: string): string {
  const programs = readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, "Pulumi.yaml")));
  const rows = programs.map((name) => [`[${name}](${name})`, descriptionOf(join(folder, name, "Pulumi.yaml"))]);
  return [["Example", "What it shows"], ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function descriptionOf(projectFile: string): string {
  const { description } = parse(readFileSync(projectFile, "utf8")) as { description?: string };
  if (!description) throw new Error(`${projectFile} has no \`description\`; say in a line what the example shows`);
  return `${description}.`;
}

/** Every rule of `pulumi-modelplatform/policies`, and its options with their defaults. */
export function policyTable(): string {
  const rows = guardrails.map(
    ({ name, description, level, live, remediation, decision }) =>
      `| \`${name}\` | ${description} | ${decision === undefined ? (level ?? "mandatory") : "off until configured"} | ${live ?? "as in a program"} | ${remediation?.description ?? "–"} |`,
  );
  return [
    "| Rule | What it holds | Level | What an audit sees | What `remediate` does |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "| Option | Default | Meaning |",
    "| --- | --- | --- |",
    ...guardrails.flatMap(optionRows),
  ].join("\n");
}

function optionRows({ name, config }: Guardrail): string[] {
  const { properties = {} } = z.toJSONSchema(config as z.ZodObject, { io: "input", target: "draft-7" });
  return Object.entries(properties as Record<string, { default?: unknown; description?: string }>).map(
    ([option, { default: usual, description }]) =>
      `| \`${name}\`: \`${option}\` | ${usual === undefined ? "–" : `\`${JSON.stringify(usual)}\``} | ${(description ?? "").replaceAll("|", "\\|")} |`,
  );
}

/** What a reader of the index wants to know of each resource before the first program. */
export function resourceTable(specs: readonly ResourceSpec[]): string {
  const rows = specs.map((spec) => [
    `[\`${spec.kind}\`](${pagePath(spec.kind).replace("docs/", "")})`,
    spec.summary,
    idOf(spec),
    waits(spec),
  ]);
  return [
    ["Resource", "What it is", "Id", "Waits at most (create, update, delete)"],
    ["---", "---", "---", "---"],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function idOf({ identity, fields }: ResourceSpec): string {
  if (identity.decidedBy === "account") return "one per account";
  if (identity.decidedBy === "service" || !fields.resourceId) return "chosen by the service";
  const chosenId = `\`${fields.resourceId.name}\``;
  if (typeof identity.default === "object") return `${chosenId}, else from \`${identity.default.hyphenOf}\``;
  return identity.default === "service"
    ? `${chosenId}, else chosen by the service`
    : `${chosenId}, else from the Pulumi name`;
}

function waits({ timeouts }: ResourceSpec): string {
  return timeouts ? [timeouts.create, timeouts.update, timeouts.delete].join(", ") : defaultTimeout;
}
