/** Flags of the Pulumi CLI's commands for stacks that these have no counterpart of. */
const flags = [
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

const commands = [
  ...["api", "console", "convert", "deployment", "do", "env", "gen-completion", "insights", "install"],
  ...["logs", "neo", "new", "org", "package", "plugin", "policy", "project", "schema", "template", "watch"],
  ...["change-secrets-provider", "graph", "migrate", "schedule", "tag", "unselect", "webhook"],
  ...["copy", "remove-all", "set-all", "repair", "upgrade"],
];

export const pulumiOnly: ReadonlySet<string> = new Set([...flags, ...commands]);
