import { Option } from "commander";
import { ceilingIn } from "../../governance/cost/ceiling";
import { formats } from "../../governance/cost/formats/index";
import type { Nanos } from "../../governance/cost/money";
import type { Grouping, Line } from "../../governance/cost/report";
import { usageFailure } from "../command/failure";
import { formatFlag } from "../command/format-flag";
import { grouped, namesStacks, type StackFlags, several, stackFlags } from "../command/recorded-stacks";

export interface CostFlags extends StackFlags {
  previewJson?: string;
  plan?: string;
  live?: true;
  account?: string[];
  by?: Grouping;
  format?: string;
  output?: string;
  failAbove?: Nanos;
  strict?: true;
  json?: true;
}

export const costFlags = (): Option[] => [
  ...grouped("What is costed, one of:", [
    new Option("--preview-json <file>", "what `pulumi preview --json` printed; - is standard input"),
    new Option("--plan <file>", "what `pulumi preview --save-plan` wrote; where it changes something, with its stack"),
    ...stackFlags(),
    new Option("--live", "whatever the accounts hold now, in a stack or not, by its present replicas"),
  ]),
  ...grouped("Accounts:", [
    several("-a, --account <account>", "with --live: only this account (default: all with a key)"),
  ]),
  ...grouped("Report:", [
    new Option("--by <what>", "add up by account, stack, kind or annotation:KEY").argParser(groupingIn),
    formatFlag(formats),
    new Option("--output <file>", "write to this file"),
    new Option("-j, --json", "print JSON, as --format json does"),
  ]),
  ...grouped("Ceiling:", [
    new Option("--fail-above <amount>", "exit with 2 when an hour may cost more, such as 120/h").argParser(ceiling),
    new Option("--strict", "with --fail-above: a cost that is not known is above it, too"),
  ]),
];

const groupings: Readonly<Record<string, (line: Line) => string>> = {
  account: ({ account }) => account || "(not known)",
  stack: ({ stack }) => stack ?? "(none)",
  kind: ({ kind }) => kind,
};

function groupingIn(by: string): Grouping {
  const [, key] = /^annotation:(.+)$/s.exec(by) ?? [];
  if (key !== undefined)
    return { by, keyOf: ({ annotations }) => (Object.hasOwn(annotations, key) ? annotations[key]! : "(none)") };
  const keyOf = Object.hasOwn(groupings, by) ? groupings[by] : undefined;
  if (!keyOf) throw usageFailure(`--by takes account, stack, kind or annotation:KEY, not ${JSON.stringify(by)}.`);
  return { by, keyOf };
}

function ceiling(text: string): Nanos {
  const nanos = ceilingIn(text);
  if (nanos === undefined) throw usageFailure("--fail-above takes an amount per hour, such as 120/h or 99.50/h.");
  return nanos;
}

const sources = (flags: CostFlags): string[] => [
  ...(flags.previewJson === undefined ? [] : ["--preview-json"]),
  ...(flags.plan === undefined ? [] : ["--plan"]),
  ...(namesStacks(flags) ? ["a stack"] : []),
  ...(flags.live ? ["--live"] : []),
];

/** Checked before anything is read. A plan may be given with its stack. */
export function checkCostFlags(flags: CostFlags): void {
  const given = sources(flags);
  const isPlanOfStack = given.length === 2 && given[0] === "--plan" && given[1] === "a stack";
  if (given.length > 1 && !isPlanOfStack)
    throw usageFailure(`${given.join(" and ")} do not go together: give one of them.`);
  if (flags.account && !flags.live) throw usageFailure("--account goes with --live.");
  if (flags.strict && flags.failAbove === undefined) throw usageFailure("--strict goes with --fail-above.");
  if (flags.json && flags.format !== undefined && flags.format !== "json")
    throw usageFailure("--json and --format do not go together.");
}
