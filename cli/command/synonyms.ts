const command = (line: string): string => `The command that does it is \`npx pulumi-modelplatform ${line}\`.`;

/** No advice names the command that deletes a whole stack: whoever means that one knows its name. */
const toDelete = "To delete an object, remove it from the program and run `npx pulumi-modelplatform up`.";

const toLogIn = "There is nothing to log in to: set PULUMI_BACKEND_URL=file://<folder>, where state is stored.";

/** `words` mean the command line `line`. */
const meaning = (line: string, ...words: string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, command(line)]));

const instead = (advice: string, ...words: string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, advice]));

type Advice = Readonly<Record<string, string>>;

/** What people type who come from another tool, by the group of commands that they type it in; `""` is none. */
export const commandSynonyms: Readonly<Record<string, Advice>> = {
  "": {
    ...meaning("up", "deploy", "apply", "update", "run", "provision"),
    ...meaning("preview", "plan", "diff", "dry-run", "validate"),
    ...meaning("review", "summary", "comment"),
    ...meaning("refresh", "sync"),
    ...meaning("drift", "scan", "reconcile", "compare", "detect"),
    ...meaning("doctor", "about", "whoami", "diagnose", "health", "check"),
    ...meaning("--version", "version"),
    ...meaning("stack init", "init"),
    ...meaning("new", "scaffold", "template", "templates"),
    ...meaning("stack", "status", "workspace", "show", "stacks"),
    ...meaning("stack ls", "ls", "list"),
    ...meaning("stack select", "select", "use", "switch"),
    ...meaning("stack export", "export"),
    ...meaning("stack output", "output", "outputs"),
    ...meaning("stack history", "history", "log"),
    ...meaning("config set", "set", "configure"),
    ...meaning("config get", "get"),
    ...meaning("cancel", "unlock", "force-unlock"),
    ...meaning("import", "adopt"),
    ...meaning("codify", "generate"),
    ...meaning("cost", "price", "prices", "costs"),
    ...meaning("audit", "policies"),
    ...meaning("emulator", "serve", "server", "mock", "start"),
    ...meaning("state taint", "taint"),
    ...meaning("state move", "mv", "move"),
    ...instead(toDelete, "delete", "remove", "rm", "down", "teardown", "undeploy"),
    ...instead(toLogIn, "login", "logout"),
  },
  stack: {
    ...meaning("stack ls", "list"),
    ...meaning("stack init", "create", "new", "add"),
    ...meaning("stack select", "use", "switch"),
    ...meaning("stack rm", "delete", "remove"),
    ...meaning("stack output", "outputs"),
    ...meaning("stack history", "log", "logs"),
    ...meaning("stack rename", "mv"),
  },
  config: {
    ...meaning("config ls", "list", "show"),
    ...meaning("config set", "add", "put"),
    ...meaning("config rm", "unset", "delete", "remove"),
  },
  state: {
    ...meaning("state delete", "rm", "remove"),
    ...meaning("state move", "mv"),
    ...meaning("stack export", "show", "list", "ls", "pull", "export"),
    ...meaning("stack import", "push", "import"),
  },
};

const flags = (flag: string, ...words: string[]): [string, string][] => words.map((word) => [word, flag]);

/** Other tools' names of flags, with ours; a command is advised of what it takes. */
export const flagSynonyms: ReadonlyMap<string, string> = new Map([
  ...flags("--yes", "--auto-approve", "--approve", "--assume-yes", "--force"),
  ...flags("--preview-only", "--dry-run", "--plan-only", "-n"),
  ...flags("--expect-no-changes", "--detailed-exitcode", "--detailed-exit-code"),
  ...flags("--output", "--out", "--out-file", "-o"),
  ...flags("--config", "--var", "--set"),
  ...flags("--account", "--account-id", "--accounts"),
  ...flags("--stack", "--env", "--environment", "--workspace", "--stack-name"),
  ...flags("--cwd", "--dir", "--directory", "--chdir"),
  ...flags("--target", "--only", "--resource"),
  ...flags("--exclude", "--skip"),
  ...flags("--color never", "--no-color", "--no-colour"),
  ...flags("--parallel", "--parallelism"),
]);

/** What is no flag of any command, for a reason. */
export const noFlag: Advice = {
  ...instead("To look only, run `npx pulumi-modelplatform preview`.", "--dry-run", "--plan-only", "-n"),
  ...instead(
    "Every process of the machine sees the arguments of a command: set MODELPLATFORM_API_KEY.",
    ...["--api-key", "--key", "--token", "--apikey"],
  ),
  ...instead(
    "Set MODELPLATFORM_BASE_URL, or the stack's `modelplatform:baseUrl`.",
    ...["--base-url", "--url", "--endpoint", "--host-url"],
  ),
};

/** Flags of the Pulumi CLI's commands for stacks that these have no counterpart of. */
const pulumiFlags = [
  ...["--attach-debugger", "--config-file", "--config-path", "--copy-config-from", "--debug"],
  ...["--disable-integrity-checking", "--emoji", "--full-dates", "--fully-qualify-stack-names", "--ignore-protect"],
  ...["--import-file", "--import-pending-creates", "--logflow", "--logtostderr", "--memprofilerate", "--neo", "--open"],
  ...[
    "--organization",
    "--otel-traces",
    "--override-env",
    "--policy-pack",
    "--policy-pack-config",
    "--profiling",
    "--raw",
  ],
  ...["--remove", "--remove-backups", "--secrets-provider", "--shell", "--show-config", "--show-full-output"],
  ...["--show-policy-remediations", "--show-reads", "--show-replacement-steps", "--show-sames"],
  ...["--skip-config-validation", "--skip-pending-creates", "--skip-plugin-pre-install", "--strict"],
  ...["--suppress-permalink", "--suppress-progress", "--tag", "--teams", "--tracing", "--type", "--urns", "--verbose"],
];

const pulumiCommands = [
  ...["api", "console", "convert", "deployment", "do", "env", "gen-completion", "insights", "install"],
  ...["logs", "neo", "new", "org", "package", "plugin", "policy", "project", "schema", "template", "watch"],
  ...["change-secrets-provider", "graph", "migrate", "schedule", "tag", "unselect", "webhook"],
  ...["copy", "remove-all", "set-all", "repair", "upgrade"],
];

export const pulumiOnly: ReadonlySet<string> = new Set([...pulumiFlags, ...pulumiCommands]);
