import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DriftReport } from "../drift/document";
import type { ReportContext } from "../drift/report/format";
import { formats } from "../drift/report/index";
import { wantsColour } from "../engine/display/palette";
import { refused } from "../text/disk-error";
import type { CliContext } from "./context";
import type { OutputFlags } from "./drift-flags";
import { unwritable, usageFailure } from "./failure";

const formatsOf = ({ format, json }: OutputFlags): string[] =>
  format ?? (json || !formats["text"] ? ["json"] : ["text"]);

/** Checked before anything is read: a scan that cannot be written is useless. */
export function checkOutput(flags: OutputFlags): void {
  if (flags.json && flags.format && !flags.format.includes("json"))
    throw usageFailure("--json and --format do not go together; give --format json among the formats.");
  if (formatsOf(flags).length > 1 && flags.output === undefined)
    throw usageFailure("Several formats need a folder to be written to: give --output.");
  if (flags.patches && !formatsOf(flags).includes("html"))
    throw usageFailure("--patches are shown in HTML alone: add --format html.");
}

/** One format on standard output or in a file, several in a folder. */
export async function writeReport(
  report: DriftReport,
  flags: OutputFlags,
  context: CliContext,
  patches?: ReportContext["patches"],
): Promise<void> {
  const names = formatsOf(flags);
  const { env, stdout, cwd, colour } = context;
  const programs = Object.fromEntries(flags.program ?? []);
  for (const name of names) {
    const format = formats[name]!;
    const toTerminal = flags.output === undefined;
    const text = format.render(report, {
      columns: stdout.columns,
      color: toTerminal && (colour ?? wantsColour(env, stdout.isTTY)),
      programs,
      ...(patches && { patches }),
    });
    const summary = env["GITHUB_STEP_SUMMARY"];
    if (name === "markdown" && summary) await appendFile(summary, text).catch(refused(summary, "written"));
    if (flags.output === undefined) stdout.write(text);
    else
      await writeText(
        resolve(cwd, names.length > 1 ? join(flags.output, `drift.${format.extension}`) : flags.output),
        text,
      );
  }
}

export async function writeText(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}
