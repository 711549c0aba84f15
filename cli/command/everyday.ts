/**
 * The flags that the help of a command shows; `--help all` shows every one. A command that is not here shows its first
 * eight. A subcommand takes of its group's flags those that are here and no others.
 */
export const everyday: Readonly<Record<string, readonly string[]>> = {
  preview: ["stack", "diff", "target", "refresh", "expect-no-changes", "save-plan", "config", "json"],
  up: ["stack", "yes", "skip-preview", "diff", "target", "replace", "refresh", "json"],
  refresh: ["stack", "yes", "skip-preview", "preview-only", "diff", "target", "expect-no-changes", "json"],
  destroy: ["stack", "yes", "skip-preview", "preview-only", "target", "exclude-protected", "continue-on-error", "json"],
  codify: ["kind", "filter", "account", "all-accounts", "stack", "target", "mode", "output"],
  drift: ["stack", "backend", "account", "all-accounts", "unmanaged", "fail-on", "format", "output"],
  audit: ["stack", "backend", "account", "all-accounts", "policy-pack-config", "fail-on", "format", "output"],
  cost: ["stack", "preview-json", "live", "account", "by", "format", "output", "fail-above"],
  accept: ["stack", "backend", "report", "only", "allow", "write", "patch", "interactive"],
  emulator: ["port", "account", "key", "seed", "data", "clock", "speed", "strict"],
  "drift history": ["history", "format", "output", "json"],
  "drift merge": ["format", "output", "json", "history", "notify", "program", "patches"],
  "audit merge": ["format", "output", "json"],
};

/** How many flags a command without an entry shows. */
export const mostEveryday = 8;
