import { costAboveLimit } from "../../provider/core/declaration/billing";

const limit = { input: "maxEstimatedCost", output: "estimatedCost" };
const usd = (units: string, nanos?: number) => ({ currencyCode: "USD", units, ...(nanos !== undefined && { nanos }) });

test.each([
  ["below", usd("4"), usd("3", 999_999_999), undefined],
  ["equal", usd("4", 500_000_000), usd("4", 500_000_000), undefined],
  [
    "above by a billionth",
    usd("4"),
    usd("4", 1),
    "`estimatedCost` is 4.000000001 USD, and `maxEstimatedCost` is 4 USD",
  ],
  [
    "above beyond what a double holds",
    usd("9007199254740992"),
    usd("9007199254740993"),
    "`estimatedCost` is 9007199254740993 USD, and `maxEstimatedCost` is 9007199254740992 USD",
  ],
  ["nothing, whatever the currency", usd("0"), { currencyCode: "EUR", units: "0" }, undefined],
  [
    "no amount at all",
    usd("4"),
    usd("cheap"),
    '`estimatedCost` is {"currencyCode":"USD","units":"cheap"}, which is not an amount of money',
  ],
  [
    "in another currency",
    usd("4"),
    { currencyCode: "EUR", units: "1" },
    "`estimatedCost` is 1 EUR, and `maxEstimatedCost` is 4 USD, which cannot be compared",
  ],
  [
    "in the limit's currency where none is answered",
    usd("4"),
    { units: "5" },
    "`estimatedCost` is 5, and `maxEstimatedCost` is 4 USD",
  ],
  ["not answered", usd("4"), undefined, undefined],
  ["without a limit", undefined, usd("4"), undefined],
  [
    "with a limit that is not known yet",
    { ...usd("4"), units: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" },
    usd("5"),
    undefined,
  ],
])("an estimate that is %s", (_, most, cost, expected) => {
  expect(costAboveLimit(limit, { maxEstimatedCost: most }, { estimatedCost: cost })).toBe(expected);
});
