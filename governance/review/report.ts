import { omitUndefined } from "../../provider/core/values/values";
import { type Preview, type PreviewMessage, readPreview } from "../cost/preview";
import { CostReport } from "../cost/report";
import { type Message, messagesOf } from "./messages";
import { type ChangeRow, countOf, isRisky, type RowOp, rowOps } from "./row";
import { rowsOf } from "./rows";

/** What a reviewer sees of one stack. */
export interface StackReview {
  stack: string;
  failed: boolean;
  /** Nothing changes, and the preview is known to have succeeded. */
  quiet: boolean;
  exitCode?: number | undefined;
  errors: Message[];
  warnings: Message[];
  /** Why there is nothing to read, as a sentence. */
  unreadable?: string | undefined;
  changes: Record<RowOp | "same", number>;
  rows: ChangeRow[];
  cost?: CostReport | undefined;
}

interface ReviewOptions {
  /** For a file that does not name its stack. */
  name: string;
  exitCode?: number | undefined;
  cost?: CostReport | undefined;
}

/** Exit codes of a preview that has done what it was asked for: 7 is that of `--expect-no-changes`. */
const successes: readonly number[] = [0, 7];

const nothing: Preview = { steps: [], messages: [], failed: true, ended: false };

/** What a text says as a preview; an empty one is a failed one. Throws `UnreadableDocumentError`. */
export function previewIn(text: string): Preview {
  if (text.trim() === "") return nothing;
  const preview = readPreview(text);
  return preview.ended ? preview : { ...preview, messages: [...preview.messages, cutOff] };
}

/** A stream without its last line has been cut off. */
const cutOff: PreviewMessage = { severity: "error", text: "What the preview wrote ends in the middle." };

/** What a preview says of its stack. Throws `UnreadableDocumentError` for a step that this version does not know. */
export function reviewOf(preview: Preview, { name, exitCode, cost }: ReviewOptions): StackReview {
  const failed = preview.failed || !preview.ended || (exitCode !== undefined && !successes.includes(exitCode));
  const own = cost ?? CostReport.safeParse(preview.cost).data;
  const rows = rowsOf(preview.steps, failed ? [] : (own?.resources ?? []));
  const changes = Object.fromEntries(rowOps.map((op) => [op, countOf(rows.filter((row) => row.op === op))]));
  const places = new Map(
    preview.steps.flatMap(({ urn, old, new: fresh }) => {
      const place = fresh?.place ?? old?.place;
      return place === undefined ? [] : [[urn, place] as const];
    }),
  );
  return {
    stack: preview.stack ?? name,
    failed,
    quiet: !failed && rows.length === 0,
    exitCode,
    errors: messagesOf(preview.messages, "error", places),
    warnings: messagesOf(preview.messages, "warning", places),
    changes: { ...(changes as Record<RowOp, number>), same: preview.same ?? 0 },
    rows,
    cost: failed ? undefined : own,
  };
}

/** A file that cannot be read as a preview. */
export const unreadableReview = (stack: string, sentence: string, exitCode?: number): StackReview => ({
  ...{ stack, failed: true, quiet: false, exitCode, errors: [], warnings: [], rows: [], unreadable: sentence },
  changes: { ...Object.fromEntries(rowOps.map((op) => [op, 0])), same: 0 } as StackReview["changes"],
});

export const riskyRows = ({ rows }: StackReview): ChangeRow[] => rows.filter(isRisky);

/** Failed ones first, then by the number of risks, then by name. */
export function inOrder(reviews: readonly StackReview[]): StackReview[] {
  const byName = (one: StackReview, other: StackReview): number =>
    one.stack < other.stack ? -1 : Number(one.stack > other.stack);
  return [...reviews].sort(
    (one, other) =>
      Number(other.failed) - Number(one.failed) ||
      riskyRows(other).length - riskyRows(one).length ||
      byName(one, other),
  );
}

/** For gates of one's own. */
export const reviewDocument = (reviews: readonly StackReview[]) => ({
  schemaVersion: 1,
  stacks: inOrder(reviews).map(({ stack, failed, exitCode, errors, warnings, unreadable, changes, rows }) =>
    omitUndefined({
      stack,
      failed,
      exitCode,
      errors: unreadable === undefined ? errors : [{ reason: unreadable }],
      warnings,
      changes,
      rows: rows.map(({ cost, spec: _, id: __, inputs: ___, ...row }) =>
        omitUndefined({ ...row, hourly: cost?.hourly }),
      ),
    }),
  ),
});
