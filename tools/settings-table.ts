import { choiceOf } from "../cli/checkout/settings";
import { asksService, type ChoiceSource, type CommandName, type Takes, takes } from "../cli/checkout/takes";
import { settingFields, settingKey } from "../provider/core/settings";

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

/** Which setting each command takes from where, by precedence; commands that take the same share a column. */
export function settingsTable(): string {
  const columns = new Map<string, { names: string[]; cells: readonly string[] }>();
  for (const name of Object.keys(takes) as CommandName[]) {
    const cells = settingFields.map((field) => sourcesOf(name, field.name).join(", ") || "–");
    if (cells.every((cell) => cell === "–")) continue;
    const key = JSON.stringify(cells);
    const column = columns.get(key) ?? { names: [], cells };
    column.names.push(`\`${name}\``);
    columns.set(key, column);
  }
  const all = [...columns.values()];
  return [
    `| Setting | ${all.map(({ names }) => names.join(", ")).join(" | ")} |`,
    `| --- |${" --- |".repeat(all.length)}`,
    ...settingFields.map(
      ({ name }, row) => `| \`${settingKey(name)}\` | ${all.map(({ cells }) => cells[row]!).join(" | ")} |`,
    ),
  ].join("\n");
}

function sourcesOf(command: CommandName, name: string): string[] {
  const declared: Takes = takes[command];
  if (declared.address.includes("project")) return ["program", "stack config", "environment"];
  const isUsed = settingsOfReads.includes(name) || ownSettings[command]?.includes(name);
  if (!asksService(declared) || !isUsed) return [];
  const isSecret = settingFields.some((field) => field.name === name && field.markers.secret);
  const choice = choiceOf[name];
  const takesFrom = (source: ChoiceSource): boolean => choice === undefined || declared[choice].includes(source);
  return [
    ...(command === "doctor" ? fromConfig(name, takesFrom) : []),
    ...(isSecret || !takesFrom("flags") ? [] : ["`--config`"]),
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

function fromState(name: string, { address }: Takes): string[] {
  if (name === "operations") return ["state (reads)"];
  return name === "dialect" && address.includes("trusted project") ? ["state with `--trust-project`"] : [];
}
