import { text } from "../../../io/text/html";
import type { HistoryDay } from "../../history/index";
import { severities } from "../../scan/finding-schema";

/** Style of the timeline, beside that of pages. */
export const timelineStyle = /* css */ `
.timeline { padding: 12px 12px 8px; }
.timeline svg { display: block; width: 100%; height: 120px; }
.timeline .error { fill: var(--bar-error); }
.timeline .warning { fill: var(--bar-warning); }
.timeline .note { fill: var(--bar-note); }
.timeline .gap { fill: var(--line); }
.timeline g:hover rect { opacity: 0.7; }
.timeline p { display: flex; justify-content: space-between; gap: 12px; margin: 4px 0 0; color: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums; }
.key { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 8px 0 0; color: var(--faint); font-size: 12px; }
.key svg { width: 10px; height: 10px; margin-right: 5px; vertical-align: -1px; }
.key .error { fill: var(--bar-error); }
.key .warning { fill: var(--bar-warning); }
.key .note { fill: var(--bar-note); }
:root { --bar-error: #a8201a; --bar-warning: #d39a1e; --bar-note: #9aa6b2; }
@media screen and (prefers-color-scheme: dark) { :root { --bar-error: #d9584f; --bar-warning: #c4922f; --bar-note: #5d6b79; } }
@media print { .timeline rect { print-color-adjust: exact; } }
`;

/** Open findings day by day, as bars with the severe ones at the bottom. Needs no script; each day says its numbers. */
export function timeline(days: readonly HistoryDay[]): string {
  if (days.length === 0) return "";
  const most = Math.max(1, ...days.map(sum));
  const bars = days.map((day, index) => bar(day, index, most));
  const [first, last] = [days[0]!, days.at(-1)!];
  const label = `Open findings from ${first.day} to ${last.day}: ${sum(first)} at first, ${sum(last)} at last, ${most} at most`;
  const keys = severities.map(
    (severity) =>
      `<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${severity}" width="10" height="10"/></svg>${severity}</span>`,
  );
  return `<h2 id="timeline">Open findings over time</h2>
<div class="panel timeline" role="region" aria-labelledby="timeline">
<svg viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="${text(label)}">${bars.join("")}</svg>
<p><span>${text(first.day)}</span><span>at most ${most} open</span><span>${text(last.day)}</span></p>
</div>
<p class="key">${keys.join("")}</p>`;
}

function bar(day: HistoryDay, index: number, most: number): string {
  let top = 100;
  const parts = severities.flatMap((severity) => {
    const height = (day.open[severity] / most) * 100;
    if (height === 0) return [];
    top -= height;
    return `<rect class="${severity}" x="${index * 10 + 1}" y="${top.toFixed(2)}" width="8" height="${height.toFixed(2)}"/>`;
  });
  const base = parts.length > 0 ? parts : [`<rect class="gap" x="${index * 10 + 1}" y="99" width="8" height="1"/>`];
  return `<g><title>${text(dayText(day))}</title>${base.join("")}</g>`;
}

export const sum = ({ open }: Pick<HistoryDay, "open">): number => open.error + open.warning + open.note;

/** `2026-03-01: 12 open (3 error, 9 warning), 2 found, 1 gone` */
function dayText(day: HistoryDay): string {
  const parts = severities.filter((severity) => day.open[severity] > 0).map((each) => `${day.open[each]} ${each}`);
  const open = parts.length === 0 ? "nothing open" : `${sum(day)} open (${parts.join(", ")})`;
  return `${day.day}: ${open}, ${day.found} found, ${day.gone} gone`;
}
