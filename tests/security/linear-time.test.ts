import { messagesOf } from "../../governance/review/messages";
import { csvText, escapeProse } from "../../io/text/markup";
import { yamlValue } from "../../io/text/parse-problem";
import { sanitizeOutput } from "../../io/text/printable";
import { readErrorBody } from "../../provider/api/error-body";
import { normalizeText } from "../../provider/core/fields/equality";
import { createRedactor } from "../../provider/core/redact";
import { preview, reviewed, userStep, written } from "../review/recorded";

const kb = 1024;

/** Letters that cost the square somewhere, in runs. */
const runs = [
  " ",
  "\t",
  "\n",
  "\r",
  "0",
  "-",
  "=",
  "<",
  "{",
  "[",
  "'",
  '"',
  "::",
  "https://a@",
  "a.b@",
  "&amp",
  "](",
  "|",
];
const ofYaml = [
  "!!str ",
  "&a ",
  "- ",
  "? ",
  "[",
  "],",
  ",",
  "a: ",
  "'a' ",
  "\n",
  "# a\n",
  "k: 1\n",
  "%A b\n",
  "<<: 1\n",
];
const ofXml = ["<", "<message ", "<message>", "<a>", "&amp;", "<a:", "</message", "<?xml ", "status "];
const ofPreviews = [": property a value {} ", "' has a problem: ", "': property ", "Running program '", " \n"];

const refused = (read: () => unknown): void => {
  try {
    read();
  } catch (error) {
    // The reason is another test's.
    expect(error).toBeInstanceOf(Error);
  }
};
const redact = createRedactor(["sk-live-0123456789-abcdef"]);

/** What reads a text, by the letters of it that are tried: a 64th of what is read at most, and of YAML a 128th. */
const readers: Readonly<Record<string, { letters: number; units: readonly string[]; read(text: string): unknown }>> = {
  "a YAML file": {
    letters: 32 * kb,
    units: ofYaml,
    read: (text) => refused(() => yamlValue(`x: 1\ny: ${text}`, "it")),
  },
  "a map of many keys in YAML": {
    letters: 192 * kb,
    units: ["k"],
    read: ({ length }) => yamlValue(listOf(length / 8, (index) => `k${index}: 1`).join("\n"), "it"),
  },
  "a YAML list": {
    letters: 32 * kb,
    units: [",", "]", "a,", "a: b,"],
    read: (text) => refused(() => yamlValue(`[${text}]`, "it")),
  },
  "a refusal in XML": {
    letters: 160 * kb,
    units: ofXml,
    read: (text) => readErrorBody(`<?xml?><error>${text}`, "text/xml"),
  },
  "a refusal in words": { letters: 160 * kb, units: runs, read: (text) => readErrorBody(`${text}x`) },
  "a preview's message": {
    letters: 64 * kb,
    units: [...runs, ...ofPreviews],
    read: (text) =>
      messagesOf([{ severity: "error", text: `x resource '${text}x`, urn: undefined }], "error", new Map()),
  },
  "a line of output": { letters: 64 * kb, units: runs, read: (text) => sanitizeOutput(`\u001b${text}x`) },
  "a cell of a report": {
    letters: 64 * kb,
    units: runs,
    read: (text) => [csvText({ it: () => text }, [0]), escapeProse(text)],
  },
  "a text of an object": { letters: 64 * kb, units: runs, read: (text) => normalizeText(`${text}x`) },
  "a text that is masked": {
    letters: 32 * kb,
    units: [...runs, "Bearer ", "sk-live-"],
    read: (text) => redact.text(`${text}x`),
  },
};

const nested = (depth: number, leaf: unknown): unknown => (depth === 0 ? leaf : { a: nested(depth - 1, leaf) });
const listOf = (count: number, of: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(index));
const updateOf = (old: object, fresh: object, more: object = {}): object => ({
  ...userStep({ op: "update", old, new: fresh }),
  ...more,
});
const labelled = (count: number, value: string) => ({
  labels: Object.fromEntries(listOf(count, (index) => `k${index}`).map((name) => [name, value])),
});

/** A step that would cost the square, by the number of what is many in it. */
const steps: Readonly<Record<string, { most: number; step(count: number): object }>> = {
  "many differences that the engine names as well": {
    most: 8000,
    step: (count) => {
      const paths = [...listOf(count, (index) => `labels.k${index}`), ...listOf(count, (index) => `other.k${index}`)];
      const detailedDiff = Object.fromEntries(paths.map((path) => [path, { kind: "update" }]));
      const values = (value: string) => ({ ...labelled(count, value).labels, ...labelled(count, value) });
      return updateOf(values("a"), values("b"), { detailedDiff, replaceReasons: paths });
    },
  },
  "a long text far down": {
    most: 240,
    step: (count) => {
      const value = (end: string) => ({ x: nested(count, `${"q".repeat(count * 3000)}${end}`) });
      return updateOf(value("a"), value("b"));
    },
  },
  "a long list far down": {
    most: 1200,
    step: (count) => {
      const value = (end: string) => ({
        x: nested(
          count,
          listOf(count * 4, (index) => `${index}${end}`),
        ),
      });
      return updateOf(value("a"), value("b"));
    },
  },
  "a path in many spellings": {
    most: 3000,
    step: (count) => {
      const value = labelled(count, "a");
      const paths = listOf(count, (index) => `${"]".repeat(index % 60)}labels${"]".repeat(index / 60)}`);
      const detailedDiff = Object.fromEntries(paths.map((path) => [path, { kind: "update" }]));
      return updateOf(value, value, { detailedDiff });
    },
  },
};

/** Processor time in milliseconds. */
function timeOf(read: () => unknown): number {
  const start = process.cpuUsage();
  read();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * The square would be 16 times a quarter; what is shorter than a hundredth of a second is not measured. What is too
 * slow is measured again: something else may have had its turn.
 */
function isSlow(readPart: (part: number) => () => unknown): boolean {
  const [readQuarter, readAll] = [readPart(1 / 4), readPart(1)];
  const isBelow = (all: number): boolean => all < 100 || all < 8 * Math.max(10, timeOf(readQuarter));
  return !isBelow(timeOf(readAll)) && !isBelow(timeOf(readAll));
}

test.each(Object.entries(readers))("%s costs in proportion to its length", (_, { letters, units, read }) => {
  const slow = units.filter((unit) =>
    isSlow((part) => {
      const text = unit.repeat((letters * part) / unit.length);
      return () => read(text);
    }),
  );
  expect(slow).toEqual([]);
});

test.each(Object.entries(steps))("a preview with %s costs in proportion to its length", (_, { most, step }) => {
  const readPart = (part: number) => {
    const text = preview([step(most * part)]);
    return () => written([reviewed(text)]);
  };
  readPart(1 / 4)();
  expect(isSlow(readPart)).toBe(false);
});
