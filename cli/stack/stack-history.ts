import { type Command, InvalidArgumentError } from "commander";
import { clean, formatDuration } from "../../engine/display/text";
import type { UpdateRecord } from "../../engine/state/stack-files";
import type { CliContext } from "../command/context";
import { example, jsonFlag, stackFlag } from "../command/flags";
import { jsonText } from "../command/output";
import { chooseStack, openProjectBackend } from "./stack-choice";

interface Flags {
  stack?: string;
  json?: boolean;
  page: number;
  pageSize: number;
}

export function registerStackHistory(group: Command, context: CliContext): void {
  group
    .command("history")
    .summary("list what was done to a stack")
    .description("Lists the finished operations of a stack, the newest first, of both engines. Config is left out.")
    .option(...stackFlag)
    .option("--page-size <n>", "how many on a page", atLeastOne, 10)
    .option("--page <n>", "which page", atLeastOne, 1)
    .option(...jsonFlag)
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack history", "npx pulumi-modelplatform stack history --page-size 1 --json"),
    )
    .action((flags: Flags) => history(flags, context));
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return Number(text);
}

async function history({ stack: requestedStack, json, page, pageSize }: Flags, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  const all = await session.backend.stack(session.project.name, stack).history();
  const visiblePage = all.slice((page - 1) * pageSize, page * pageSize);
  if (json) return context.stdout.write(jsonText(visiblePage.map(toJson)));
  if (visiblePage.length === 0)
    return context.stdout.write(
      page > 1 ? `The history has no page ${page}.\n` : "Nothing was ever done to this stack.\n",
    );
  context.stdout.write(visiblePage.map(formatRecord).join("\n"));
}

/** As `pulumi stack history --json` has it. */
const toJson = ({ kind, startTime, endTime, message, environment, result, resourceChanges }: UpdateRecord) => ({
  kind,
  startTime: timeText(startTime),
  message,
  environment,
  result,
  endTime: timeText(endTime),
  resourceChanges,
});

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString();

function formatRecord({ kind, startTime, endTime, message, result, resourceChanges }: UpdateRecord): string {
  const counts = Object.entries(resourceChanges ?? {}).map(([step, count]) => `${count} ${step}`);
  const lines = [
    `${timeText(startTime)}  ${kind}  ${result}  ${formatDuration((endTime - startTime) * 1000)}`,
    ...(message ? [`  ${message}`] : []),
    ...(counts.length > 0 ? [`  ${counts.join(", ")}`] : []),
  ];
  return `${lines.map(clean).join("\n")}\n`;
}
