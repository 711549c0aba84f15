import { type Command, InvalidArgumentError } from "commander";
import type { Environment } from "../../io/files/user-folders";

import type { OperationChoices } from "../command/context";
import { usageError } from "../command/failure";
import { stackFlag } from "../command/flags";

/** The flags of `preview`, `up`, `refresh` and `destroy`; Pulumi's own names. */
export interface OperationFlags {
  stack?: string;
  json?: boolean;
  diff?: boolean;
  parallel?: number;
  message?: string;
  target?: string[];
  targetDependents?: boolean;
  targetReplace?: string[];
  exclude?: string[];
  excludeDependents?: boolean;
  excludeProtected?: boolean;
  replace?: string[];
  config?: string[];
  refresh?: boolean;
  runProgram?: boolean;
  continueOnError?: boolean;
  plan?: string;
  savePlan?: string;
  clearPendingCreates?: boolean;
  expectNoChanges?: boolean;
  previewOnly?: boolean;
  skipPreview?: boolean;
  suppressOutputs?: boolean;
  showSecrets?: boolean;
  yes?: boolean;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return Number(text);
}

/** What every operation takes. */
export function addCommonFlags(command: Command): Command {
  return command
    .option(...stackFlag)
    .option("-t, --target <urn>", "only this resource; may be repeated, and may contain `*` and `**`", collect)
    .option("-x, --exclude <urn>", "all but this resource; may be repeated, and may contain `*` and `**`", collect)
    .option("-c, --config <key=value>", "set this in the stack's config first; may be repeated", collect)
    .option("-m, --message <text>", "message for the stack's history")
    .option("-p, --parallel <n>", "how many resources at once", positiveInteger)
    .option("--diff", "show every change field by field")
    .option("-j, --json", "one JSON event per line; the last line is the result")
    .option("--suppress-outputs", "do not show the stack's outputs")
    .option("--run-program", "run the program, which says how providers are configured now");
}

/** For operations that can include dependents; a destroy has no use for the second. */
export const targetDependentsFlag = ["--target-dependents", "with --target: also what depends on it"] as const;
export const excludeDependentsFlag = [
  "--exclude-dependents",
  "with --exclude: also exclude what depends on it",
] as const;
export const refreshFlag = ["-r, --refresh", "refresh the state first"] as const;
export const continueFlag = [
  "--continue-on-error",
  "after a failure, continue with what does not depend on it (or PULUMI_CONTINUE_ON_ERROR)",
] as const;

/** Flags of operations that apply the program. */
export function addProgramFlags(command: Command): Command {
  return command
    .option(...targetDependentsFlag)
    .option(...excludeDependentsFlag)
    .option("--replace <urn>", "replace this resource; may be repeated", collect)
    .option("--target-replace <urn>", "short for --target and --replace", collect)
    .option(...refreshFlag)
    .option("--show-secrets", "show secret outputs of the stack as plain text");
}

/** What changes something takes. */
export function addApprovalFlags(command: Command): Command {
  return command
    .option("-y, --yes", "do not ask after the preview")
    .option("-f, --skip-preview", "no preview, and do not ask");
}

const isTrue = (text: string | undefined): boolean => text === "1" || text?.toLowerCase() === "true";

/** What the flags choose, and Pulumi's variables in their place. */
export function choicesOf(flags: OperationFlags, env: Environment): OperationChoices {
  const { target = [], exclude = [], replace = [], targetReplace = [], excludeProtected } = flags;
  const targets = [...target, ...targetReplace];
  if (targets.length > 0 && exclude.length > 0) throw usageError("--target and --exclude cannot be combined.");
  if (targets.length > 0 && excludeProtected) throw usageError("--target and --exclude-protected cannot be combined.");
  const { targetDependents, excludeDependents, refresh, plan, clearPendingCreates, message, parallel } = flags;
  return {
    ...{ target: targets, exclude, replace: [...replace, ...targetReplace] },
    ...{ targetDependents, excludeDependents, excludeProtected, refresh, plan, clearPendingCreates },
    runProgram: flags.runProgram ?? isTrue(env["PULUMI_RUN_PROGRAM"]),
    continueOnError: flags.continueOnError ?? isTrue(env["PULUMI_CONTINUE_ON_ERROR"]),
    message,
    parallel,
  };
}
