import { createHash } from "node:crypto";
import type { CostComparison } from "../../drift/scan/collection-ledger";
import { hourlyDifference } from "../../governance/cost/estimate";
import { openPrices } from "../../governance/cost/read-prices";
import { printable } from "../../io/text/printable";
import { dayOf } from "../../provider/core/values/day";
import { accountOf } from "../../provider/core/values/names";
import type { CliContext } from "../command/context";

/** What differences cost, where the environment has prices. Hardware is what is recorded or live. */
export function costsOfDrift(context: CliContext): CostComparison | undefined {
  const prices = openPrices({ env: context.env }, context);
  if (!prices) return undefined;
  for (const warning of prices.warnings) context.stderr.write(`warning: ${printable(warning)}.\n`);
  const basis = { prices, day: dayOf(context.time.now()) };
  const key = JSON.stringify(basis, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return {
    currency: prices.currency,
    key: createHash("sha256").update(key).digest("hex"),
    changeOf: (spec, name, { recorded, live }) =>
      hourlyDifference(
        { spec, name, account: accountOf(name) ?? "", before: recorded ?? "none", after: live ?? "none" },
        basis,
      ),
  };
}
