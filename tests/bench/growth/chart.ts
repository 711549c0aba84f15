import { type BenchStep, steps } from "../peers/contestants";
import type { Measured } from "../peers/processes";

const size = { width: 640, height: 360, left: 70, right: 120, top: 20, bottom: 50 };
const colours = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#9c6b4e"];

/** Time per resource of each step by the number of resources, both in powers of ten: what grows linearly is level. */
export function chart(growth: ReadonlyMap<number, Readonly<Record<BenchStep, Measured>>>): string {
  const counts = [...growth.keys()];
  const each = (step: BenchStep): number[] =>
    [...growth].map(([count, measured]) => (1000 * measured[step].seconds) / count);
  const all = steps.flatMap(each);
  const from = Math.floor(Math.log10(Math.min(...all)));
  const to = Math.ceil(Math.log10(Math.max(...all)));
  const [first, last] = [Math.log10(counts[0]!), Math.log10(counts.at(-1)!)];
  const along = size.width - size.left - size.right;
  const up = size.height - size.top - size.bottom;
  const x = (count: number): number => size.left + ((Math.log10(count) - first) / (last - first || 1)) * along;
  const y = (ms: number): number => size.top + up - ((Math.log10(ms) - from) / (to - from || 1)) * up;
  const text = (at: [number, number], content: string, more = ""): string =>
    `<text x="${at[0].toFixed(0)}" y="${at[1].toFixed(0)}"${more}>${content}</text>`;
  const rules = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)).flatMap((ms) => [
    `<path d="M${size.left} ${y(ms).toFixed(1)}H${size.width - size.right}" stroke="#8884"/>`,
    text([size.left - 8, y(ms) + 4], `${ms} ms`, ' text-anchor="end"'),
  ]);
  const marks = counts.map((count) =>
    text([x(count), size.height - size.bottom + 20], count.toLocaleString("en"), ' text-anchor="middle"'),
  );
  const lines = steps.flatMap((step, index) => {
    const points = each(step).map((ms, at) => `${x(counts[at]!).toFixed(1)} ${y(ms).toFixed(1)}`);
    const label = size.top + 16 * (index + 1);
    return [
      `<path d="M${points.join("L")}" fill="none" stroke="${colours[index]}" stroke-width="2"/>`,
      text([size.width - size.right + 12, label], step, ` fill="${colours[index]}"`),
    ];
  });
  const title = text([size.left, size.height - 10], "resources in one stack; time per resource", ' fill="#888"');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="#888">`,
    "<title>Time per resource of each step, by the number of resources</title>",
    ...rules,
    ...marks,
    ...lines,
    title,
    "</svg>\n",
  ].join("\n");
}
