import { figuresOf } from "../../drift/history/index";
import { figuresFormats } from "../../drift/report/timeline/index";
import { thisTool } from "../../drift/scan/result";
import { wantsColour } from "../../engine/display/palette";
import type { CliContext } from "../command/context";
import { usageFailure } from "../command/failure";
import { columnsTo, writeOutput } from "../command/output-file";
import type { DriftFlags } from "./flags";
import { openNamedHistory } from "./scan-history";

/** `drift history`: the figures of a history in one format. */
export function showHistory({ history, format: given, json, output }: DriftFlags, context: CliContext): void {
  const { env, stdout, colour, time } = context;
  if (history === undefined) throw usageFailure("drift history needs the folder of the history: give --history.");
  const [name = json ? "json" : "text", ...others] = given ?? [];
  const format = figuresFormats[name];
  if (!format || others.length > 0)
    throw usageFailure(`drift history takes one --format of ${Object.keys(figuresFormats).join(", ")}.`);
  const figures = figuresOf(openNamedHistory(history, undefined, context).read());
  const color = output === undefined && (colour ?? wantsColour(env, stdout.isTTY));
  const text = format.render(figures, {
    columns: columnsTo(output, context),
    color,
    tool: thisTool(),
    now: time.now(),
  });
  if (output === undefined) stdout.write(text);
  else writeOutput(output, text, context);
}
