import { choiceOf } from "../cli/checkout/settings";
import {
  type ChoiceSource,
  type CommandName,
  callsServiceWithSettings,
  type TrustPolicy,
  trustPolicies,
} from "../cli/checkout/takes";
import { settingFields, settingKey } from "../provider/core/settings";
import { groupBy } from "../provider/core/values/group-by";

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

/** Commands that are told settings by the states that they read. */
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
    `- ${listed(names.filter(readsService))} take it from \`--config modelplatform:<setting>=<value>\`, then the environment; a secret from the environment alone.`,
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
  const byRule = isSecret(name) ? "environment" : "`--config`, environment";
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
    ...(isSecret(name) || !takesFrom("flags") ? [] : ["`--config`"]),
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
