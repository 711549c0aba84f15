import { messagesOf } from "../../governance/review/messages";
import { csvText, escapeProse } from "../../io/text/markup";
import { yamlValue } from "../../io/text/parse-problem";
import { sanitizeOutput } from "../../io/text/printable";
import { readErrorBody } from "../../provider/api/error-body";
import { normalizeText } from "../../provider/core/fields/equality";
import { createRedactor } from "../../provider/core/redact";

const mb = 1024 * 1024;

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

/** What reads a text, by the most letters of it that are read. */
const readers: Readonly<Record<string, { most: number; units: readonly string[]; read(text: string): unknown }>> = {
  "a YAML file": { most: 4 * mb, units: ofYaml, read: (text) => refused(() => yamlValue(`x: 1\ny: ${text}`, "it")) },
  "a YAML list": {
    most: 4 * mb,
    units: [",", "]", "a,", "a: b,"],
    read: (text) => refused(() => yamlValue(`[${text}]`, "it")),
  },
  "a refusal in XML": {
    most: 10 * mb,
    units: ofXml,
    read: (text) => readErrorBody(`<?xml?><error>${text}`, "text/xml"),
  },
  "a refusal in words": { most: 10 * mb, units: runs, read: (text) => readErrorBody(`${text}x`) },
  "a preview's message": {
    most: 4 * mb,
    units: [...runs, ...ofPreviews],
    read: (text) =>
      messagesOf([{ severity: "error", text: `x resource '${text}x`, urn: undefined }], "error", new Map()),
  },
  "a line of output": { most: 4 * mb, units: runs, read: (text) => sanitizeOutput(`\u001b${text}x`) },
  "a cell of a report": {
    most: 4 * mb,
    units: runs,
    read: (text) => [csvText({ it: () => text }, [0]), escapeProse(text)],
  },
  "a text of an object": { most: 4 * mb, units: runs, read: (text) => normalizeText(`${text}x`) },
  "a text that is masked": {
    most: 2 * mb,
    units: [...runs, "Bearer ", "sk-live-"],
    read: (text) => redact.text(`${text}x`),
  },
};

/** Processor time in milliseconds; the shorter of two. */
function timeOf(read: () => unknown): number {
  const once = (): number => {
    const start = process.cpuUsage();
    read();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  return Math.min(once(), once());
}

// The square would be 16 times a quarter; what is shorter than a hundredth of a second is not measured.
test.each(Object.entries(readers))("%s costs in proportion to its length", (_, { most, units, read }) => {
  const whole = most / 64;
  const slow = units.flatMap((unit) => {
    const [quarter, all] = [whole / 4, whole].map((letters) => {
      const text = unit.repeat(letters / unit.length);
      return timeOf(() => read(text));
    }) as [number, number];
    const ratio = all / Math.max(quarter, 10);
    return ratio < 10 ? [] : [{ unit, quarter, all }];
  });
  expect(slow).toEqual([]);
});
