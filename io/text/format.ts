/** Writes a report. Pure: a report and where it is shown, in; text, with its last line break, out. */
export type Render<Report, Context> = (report: Report, context: Context) => string;

/** One format of a report. */
export interface Format<Report, Context> {
  /** Of its files: `drift.<extension>`. */
  extension: string;
  /** Whom it serves, as help and the guides say it. */
  purpose: string;
  render: Render<Report, Context>;
}

/** By the name that `--format` takes: help, the check of a command line and of the guides read this. */
export type Formats<Report, Context> = Readonly<Record<string, Format<Report, Context>>>;

/** A row of such a table. Its writer is loaded when it is first asked for: a command loads the one that it writes. */
export const format = <Report, Context>(
  extension: string,
  purpose: string,
  load: () => Render<Report, Context>,
): Format<Report, Context> => ({ extension, purpose, render: (report, context) => load()(report, context) });
