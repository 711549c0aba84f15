/** How a terminal shows text, in colors that can be read on its dark ground. */
const colors: Readonly<Record<number, string>> = {
  30: "#6e7681",
  31: "#ff7b72",
  32: "#3fb950",
  33: "#d29922",
  34: "#58a6ff",
  35: "#bc8cff",
  36: "#39c5cf",
  37: "#c9d1d9",
  90: "#6e7681",
};

const plain = "#c9d1d9";
const [width, height, margin] = [8.4, 19, 16];

interface Style {
  fill: string;
  isBold: boolean;
  isDim: boolean;
}

const unstyled: Style = { fill: plain, isBold: false, isDim: false };

const changes: Readonly<Record<number, Partial<Style>>> = {
  0: unstyled,
  1: { isBold: true },
  2: { isDim: true },
  22: { isBold: false, isDim: false },
  39: { fill: plain },
};

const styled = (style: Style, codes: readonly number[]): Style =>
  Object.assign({}, style, ...codes.map((code) => changes[code] ?? (colors[code] ? { fill: colors[code] } : {})));

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** One line of a screen, with what colors it, as SVG. */
function lineOf(line: string, row: number): string {
  let [style, column] = [unstyled, 0];
  const parts = line.split(/(\x1b\[[\d;]*m)/).map((part) => {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) style = styled(style, codes.split(";").map(Number));
    if (codes !== undefined || part.trim() === "") {
      column += codes === undefined ? part.length : 0;
      return "";
    }
    const weight = style.isBold ? ' font-weight="bold"' : "";
    const opacity = style.isDim ? ' opacity="0.65"' : "";
    const at = `x="${(margin + column * width).toFixed(1)}" textLength="${(part.length * width).toFixed(1)}"`;
    column += part.length;
    return `<tspan ${at} fill="${style.fill}"${weight}${opacity}>${escaped(part)}</tspan>`;
  });
  return `<text xml:space="preserve" y="${margin + 14 + row * height}">${parts.join("")}</text>`;
}

/** A screen as a picture; `title` says what it shows to who does not see it. */
export function pictureOf(lines: readonly string[], columns: number, title: string): string {
  const [w, h] = [Math.ceil(columns * width + 2 * margin), lines.length * height + 2 * margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${w}" height="${h}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...lines.map(lineOf),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}
