import { InvalidArgumentError } from "commander";
import { collect, type FlagsOf, flag, positiveInteger, stackFlag } from "../command/flags";

/** The value of a flag that is on without one. */
export function truth(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It is true or false.");
  return text === "true";
}

/** What every operation takes. */
const commonFlags = [
  stackFlag,
  flag("-t, --target <urn>", "only this resource; may be repeated, and may contain `*` and `**`", collect),
  flag("-x, --exclude <urn>", "all but this resource; may be repeated, and may contain `*` and `**`", collect),
  flag("-c, --config <key=value>", "set this in the stack's config first; may be repeated", collect),
  flag("-m, --message <text>", "message for the stack's history"),
  flag("-p, --parallel <n>", "how many resources at once", positiveInteger),
  flag("--diff", "show every change field by field"),
  flag("-j, --json", "one JSON event per line; the last line is the result"),
  flag("--suppress-outputs", "do not show the stack's outputs"),
  flag("--run-program", "run the program, which says how providers are configured now"),
];

const targetDependents = flag("--target-dependents", "with --target: also what depends on it");
const excludeDependents = flag("--exclude-dependents", "with --exclude: also exclude what depends on it");
const refresh = flag(
  "-r, --refresh [true|false]",
  "refresh the state first (default: `options.refresh` of Pulumi.yaml)",
  truth,
);
const continueOnError = flag(
  "--continue-on-error",
  "after a failure, continue with what does not depend on it (or PULUMI_CONTINUE_ON_ERROR)",
);

/** Of operations that apply the program. */
const programFlags = [
  targetDependents,
  excludeDependents,
  flag("--replace <urn>", "replace this resource; may be repeated", collect),
  flag("--target-replace <urn>", "short for --target and --replace", collect),
  refresh,
  flag("--show-secrets", "show secret outputs of the stack as plain text"),
];

/** What changes something takes. */
const approvalFlags = [
  flag("-y, --yes", "do not ask after the preview"),
  flag("-f, --skip-preview", "no preview, and do not ask"),
];

/** Pulumi's own names. */
export const operationFlags = {
  preview: [
    flag("--save-plan <path>", "save the steps, for `up --plan`"),
    flag("--expect-no-changes", "exit with 7 when `up` would change something"),
    ...commonFlags,
    ...programFlags,
  ],
  up: [
    continueOnError,
    flag("--plan <path>", "do nothing that exceeds this plan, which `preview --save-plan` writes"),
    flag("--expect-no-changes", "exit with 7 when something was changed"),
    ...commonFlags,
    ...programFlags,
    ...approvalFlags,
  ],
  refresh: [
    targetDependents,
    excludeDependents,
    flag("--clear-pending-creates", "forget interrupted creates: their ids are unknown"),
    flag("--preview-only", "show differences, record nothing"),
    flag("--expect-no-changes", "exit with 7 when something is different"),
    ...commonFlags,
    ...approvalFlags,
  ],
  destroy: [
    flag("--preview-only", "show what would be deleted, delete nothing"),
    targetDependents,
    flag("--exclude-protected", "keep protected resources and everything they depend on"),
    refresh,
    continueOnError,
    ...commonFlags,
    ...approvalFlags,
  ],
};

export type OperationFlags = FlagsOf<(typeof operationFlags)[keyof typeof operationFlags][number][]>;
