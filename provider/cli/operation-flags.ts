import { type Command, InvalidArgumentError } from "commander";
import { stackFlag } from "./help";

/** The flags of `preview`, `up`, `refresh` and `destroy`; Pulumi's own names. */
export interface OperationFlags {
  stack?: string;
  json?: boolean;
  diff?: boolean;
  parallel?: number;
  target?: string[];
  replace?: string[];
  config?: string[];
  refresh?: boolean;
  expectNoChanges?: boolean;
  previewOnly?: boolean;
  skipPreview?: boolean;
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
    .option("-t, --target <urn>", "only this resource; may be given again, and may hold `*` and `**`", collect)
    .option("-p, --parallel <n>", "how many resources at once", positiveInteger)
    .option("--diff", "tell every change field by field")
    .option("-j, --json", "one JSON event per line; the last line is the result");
}

/** What runs the program takes. */
export function addProgramFlags(command: Command): Command {
  return command
    .option("--replace <urn>", "replace this resource; may be given again", collect)
    .option("-c, --config <key=value>", "set this in the stack's config first; may be given again", collect)
    .option("-r, --refresh", "read the live world first");
}

/** What changes something takes. */
export function addApprovalFlags(command: Command): Command {
  return command
    .option("-y, --yes", "do not ask after the preview")
    .option("-f, --skip-preview", "no preview, and do not ask");
}
