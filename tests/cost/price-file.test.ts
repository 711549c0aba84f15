import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import { parse } from "yaml";
import { toDecimal } from "../../governance/cost/money";
import { readPrices } from "../../governance/cost/read-prices";

const [h100, l4] = ["VENDOR1_H100_80GB", "VENDOR1_L4_24GB"];
const entry = (rest = ""): string => `currency: USD\naccelerators:\n  - { type: ${h100}, hourly: 4${rest} }\n`;

const schema = JSON.parse(
  readFileSync(join(__dirname, "..", "..", "governance", "prices.schema.json"), "utf8"),
) as object;
const fits = new Ajv2020({ formats: { date: /^\d{4}-\d{2}-\d{2}$/ }, strict: false }).compile(schema);

test.each<[string, string, RegExp]>([
  [
    "text for a price",
    entry().replace("4 }", '"4" }'),
    /line 3: `accelerators\[0\]\.hourly` must be a number, not a string; write 4\. /,
  ],
  ["a price with a decimal comma", entry().replace("4 }", "4,20 }"), /line 3/],
  ["a negative price", entry().replace("4 }", "-4 }"), /line 3: `accelerators\[0\]\.hourly` must be at least 0/],
  [
    "a price in scientific notation",
    entry().replace("4 }", "4e0 }"),
    /line 3: `accelerators\[0\]\.hourly` is not written as plain digits/,
  ],
  ["a price with ten decimals", entry().replace("4 }", "4.0000000001 }"), /at most nine digits/],
  ["an infinite price", entry().replace("4 }", ".inf }"), /line 3: `accelerators\[0\]\.hourly`/],
  ["a hexadecimal price", entry().replace("4 }", "0x10 }"), /is not written as plain digits/],
  ["a currency that changes", entry(", currency: EUR"), /`accelerators\[0\]\.currency` is EUR, and the file's is USD/],
  ["no currency", "accelerators: []\n", /`currency` is required/],
  ["a currency that is no code", "currency: dollars\n", /`currency` must be a code of ISO 4217/],
  ["two currencies in one file", "currency: USD\ncurrency: EUR\n", /line 2, column 1: duplicate key/],
  ["two documents", "currency: USD\n---\ncurrency: EUR\n", /holds several documents/],
  ["an unknown key", entry("").replace("hourly", "hourley"), /`accelerators\[0\]\.hour(ley|ly)`/],
  ["a misspelt type", entry().replace(h100, "VENDOR1_H100_80BG"), /Did you mean `VENDOR1_H100_80GB`\?/],
  ["a misspelt region", entry(", region: EU_FRANKFRUT_1"), /Did you mean `EU_FRANKFURT_1`\?/],
  ["an unknown geography", entry(", geography: MARS"), /`accelerators\[0\]\.geography` must be one of `US`/],
  ["region and geography", entry(", region: US_IOWA_1, geography: US"), /cannot be combined with `region`/],
  [
    "two prices for one thing",
    `${entry()}  - { type: ${h100}, hourly: 5 }\n`,
    /line 4: `accelerators\[0\]` and `accelerators\[1\]` both hold for VENDOR1_H100_80GB in every region at the same time/,
  ],
  [
    "two prices that overlap",
    `${entry(", to: 2026-06-30")}  - { type: ${h100}, hourly: 5, from: 2026-06-30 }\n`,
    /both hold/,
  ],
  [
    "a price that ends before it begins",
    entry(", from: 2026-07-01, to: 2026-06-30"),
    /ends on 2026-06-30, before it begins/,
  ],
  ["a day that is none", entry(", from: 2026-02-30"), /`accelerators\[0\]\.from`/],
  [
    "a discount of more than everything",
    "currency: USD\ndiscounts: [{ account: acme, share: 1.5 }]\n",
    /must be at most 1/,
  ],
  [
    "two discounts of one account",
    "currency: USD\ndiscounts: [{ account: acme, share: 0.1 }, { account: acme, share: 0.2 }]\n",
    /both hold for the account acme/,
  ],
  [
    "a training price of nothing",
    "currency: USD\ntraining: [{ perMillionTokens: 1 }]\n",
    /needs either `baseModel` or `parametersUpTo`/,
  ],
  ["a list", "- currency: USD\n", /a price file is a map/],
  ["nothing", "", /is empty/],
  ["what is no YAML", "currency: [USD\n", /is not YAML or JSON/],
  ["an anchor", `currency: &c USD\n`, /has an anchor or an alias/],
  ["a type of no accelerator", entry().replace(h100, "ACCELERATOR_TYPE_UNSPECIFIED"), /a price needs a type/],
])("%s is refused", (_, text, reason) => {
  expect(() => readPrices(text, "prices.yaml")).toThrow(reason);
});

test("a type that this version does not know is named, and priced all the same", () => {
  const { warnings, accelerators } = readPrices(entry().replace(h100, "VENDOR9_NEWEST_512GB"), "prices.yaml");
  expect(warnings).toEqual([
    expect.stringMatching(
      /line 3: `accelerators\[0\]\.type` is "VENDOR9_NEWEST_512GB", which this version does not know/,
    ),
  ]);
  expect(accelerators[0]?.nanos).toBe(4_000_000_000n);
});

test.each([
  ["4", "4"],
  ["4.00", "4"],
  ["0.1", "0.1"],
  ["0.000000001", "0.000000001"],
  ["123456789012.987654321", "123456789012.987654321"],
])("%s is read exactly, in YAML and in JSON", (written, exact) => {
  for (const text of [
    entry().replace("4 }", `${written} }`),
    `{"currency": "USD", "accelerators": [{"type": "${h100}", "hourly": ${written}}]}`,
  ])
    expect(toDecimal(readPrices(text, "prices").accelerators[0]!.nanos)).toBe(exact);
});

test("the example file has every part, and is read", () => {
  const text = readFileSync(join(__dirname, "..", "..", "examples", "cost", "prices.yaml"), "utf8");
  expect(fits(parse(text))).toBe(true);
  expect(Object.keys(parse(text) as object)).toEqual(
    Object.keys((schema as { properties: object }).properties).filter((key) => key !== "$schema"),
  );
  expect(readPrices(text, "prices.yaml").warnings).toEqual([]);
});

test("the published schema takes what is read, and refuses text for a price", () => {
  expect(fits(parse(`${entry(", from: 2026-01-01")}  - { type: ${l4}, hourly: 0.85 }\n`))).toBe(true);
  expect(fits(parse(entry().replace("4 }", '"4" }')))).toBe(false);
  expect(fits({ currency: "USD", prices: [] })).toBe(false);
});
