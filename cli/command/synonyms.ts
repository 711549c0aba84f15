import { ownCommand, quotedCommand } from "../../io/text/command-line";

const command = (line: string): string =>
  `The command that does it is ${quotedCommand([...ownCommand, ...line.split(" ")])}.`;

/** No advice names the command that deletes a whole stack: users who mean it know its name. */
const toDelete = "To delete an object, remove it from the program and run `npx pulumi-modelplatform up`.";

const toLogIn = "There is nothing to log in to: set PULUMI_BACKEND_URL=file://<folder>, where state is stored.";

/** `words` mean the command line `line`. */
const mapToCommand = (line: string, ...words: string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, command(line)]));

const adviseInstead = (advice: string, ...words: string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, advice]));

type Advice = Readonly<Record<string, string>>;

/** What people type who come from another tool, by the group of commands that they type it in; `""` is none. */
export const commandSynonyms: Readonly<Record<string, Advice>> = {
  "": {
    ...mapToCommand("up", "deploy", "apply", "update", "run", "provision"),
    ...mapToCommand("preview", "plan", "diff", "dry-run", "validate"),
    ...mapToCommand("review", "summary", "comment"),
    ...mapToCommand("refresh", "sync"),
    ...mapToCommand("drift", "scan", "reconcile", "compare", "detect"),
    ...mapToCommand("doctor", "about", "whoami", "diagnose", "health", "check"),
    ...mapToCommand("--version", "version"),
    ...mapToCommand("stack init", "init"),
    ...mapToCommand("new", "scaffold", "template", "templates"),
    ...mapToCommand("stack", "status", "workspace", "show", "stacks"),
    ...mapToCommand("stack ls", "ls", "list"),
    ...mapToCommand("stack select", "select", "use", "switch"),
    ...mapToCommand("stack export", "export"),
    ...mapToCommand("stack output", "output", "outputs"),
    ...mapToCommand("stack history", "history", "log"),
    ...mapToCommand("config set", "set", "configure"),
    ...mapToCommand("config get", "get"),
    ...mapToCommand("cancel", "unlock", "force-unlock"),
    ...mapToCommand("import", "adopt"),
    ...mapToCommand("codify", "generate"),
    ...mapToCommand("cost", "price", "prices", "costs"),
    ...mapToCommand("audit", "policies"),
    ...mapToCommand("call --list", "operations"),
    ...mapToCommand("emulator", "serve", "server", "mock", "start"),
    ...mapToCommand("state taint", "taint"),
    ...mapToCommand("state move", "mv", "move"),
    ...adviseInstead(toDelete, "delete", "remove", "rm", "down", "teardown", "undeploy"),
    ...adviseInstead(toLogIn, "login", "logout"),
  },
  stack: {
    ...mapToCommand("stack ls", "list"),
    ...mapToCommand("stack init", "create", "new", "add"),
    ...mapToCommand("stack select", "use", "switch"),
    ...mapToCommand("stack rm", "delete", "remove"),
    ...mapToCommand("stack output", "outputs"),
    ...mapToCommand("stack history", "log", "logs"),
    ...mapToCommand("stack rename", "mv"),
  },
  config: {
    ...mapToCommand("config ls", "list", "show"),
    ...mapToCommand("config set", "add", "put"),
    ...mapToCommand("config rm", "unset", "delete", "remove"),
  },
  state: {
    ...mapToCommand("state delete", "rm", "remove"),
    ...mapToCommand("state move", "mv"),
    ...mapToCommand("stack export", "show", "list", "ls", "pull", "export"),
    ...mapToCommand("stack import", "push", "import"),
  },
};

const flags = (flag: string, ...words: string[]): [string, string][] => words.map((word) => [word, flag]);

/** Other tools' names of flags, with ours; a command is advised of what it takes. */
export const flagSynonyms: ReadonlyMap<string, string> = new Map([
  ...flags("--yes", "--auto-approve", "--approve", "--assume-yes", "--force"),
  ...flags("--preview-only", "--dry-run", "--plan-only", "-n"),
  ...flags("--expect-no-changes", "--detailed-exitcode", "--detailed-exit-code"),
  ...flags("--output", "--out", "--out-file", "-o"),
  ...flags("--setting", "--config", "-c"),
  ...flags("--config", "--var", "--set"),
  ...flags("--import", "--mode"),
  ...flags("--for", "--target"),
  ...flags("--baseline-errors", "--allow-error"),
  ...flags("--format markdown --output <file>", "--body"),
  ...flags("--account", "--account-id", "--accounts"),
  ...flags("--stack", "--env", "--environment", "--workspace", "--stack-name"),
  ...flags("--cwd", "--dir", "--directory", "--chdir"),
  ...flags("--target", "--only", "--resource"),
  ...flags("--exclude", "--skip"),
  ...flags("--color never", "--no-color", "--no-colour"),
  ...flags("--parallel", "--parallelism"),
]);

/** Flags that do not exist, with the reason. */
export const noFlag: Advice = {
  ...adviseInstead(command("drift baseline"), "--write-baseline"),
  ...adviseInstead("A schedule scans again, such as cron or a pipeline's; --history says what is new.", "--watch"),
  ...adviseInstead("To look only, run `npx pulumi-modelplatform preview`.", "--dry-run", "--plan-only", "-n"),
  ...adviseInstead(
    "Every process of the machine sees the arguments of a command: set MODELPLATFORM_API_KEY.",
    ...["--api-key", "--key", "--token", "--apikey"],
  ),
  ...adviseInstead(
    "Set MODELPLATFORM_BASE_URL, or the stack's `modelplatform:baseUrl`.",
    ...["--base-url", "--url", "--endpoint", "--host-url"],
  ),
};

/** Commands of the Pulumi CLI, and of its groups, that this one lacks. */
export const pulumiCommands: ReadonlySet<string> = new Set([
  ...["api", "console", "convert", "deployment", "do", "env", "gen-completion", "insights", "install"],
  ...["logs", "neo", "org", "package", "plugin", "policy", "project", "schema", "template", "watch"],
  ...["change-secrets-provider", "graph", "migrate", "schedule", "tag", "unselect", "webhook"],
  ...["copy", "remove-all", "set-all", "repair", "upgrade"],
]);
