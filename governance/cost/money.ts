/**
 * Amounts of money and shares as whole billionths, as the API's own money has them in `units` and `nanos`. A binary
 * fraction such as 0.1 is not exact, so no amount is ever a JavaScript number.
 */
export type Nanos = bigint;

export const whole: Nanos = 1_000_000_000n;

/** Hours that a month is reckoned to have. */
export const monthHours = 730n;

/** `3.50`: digits with at most nine of them after the point. Undefined for other text. */
export function nanosIn(text: string): Nanos | undefined {
  const [, sign, units, decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (units === undefined) return undefined;
  const nanos = BigInt(units) * whole + BigInt(decimals.padEnd(9, "0"));
  return sign === "-" ? -nanos : nanos;
}

/** The shortest decimal text of an amount: `3.5`. */
export function toDecimal(nanos: Nanos): string {
  const size = nanos < 0n ? -nanos : nanos;
  const decimals = String(size % whole)
    .padStart(9, "0")
    .replace(/0{1,9}$/, "");
  return `${nanos < 0n ? "-" : ""}${size / whole}${decimals === "" ? "" : `.${decimals}`}`;
}

/** `1,234,567`. */
export const thousands = (count: number | bigint): string => count.toLocaleString("en-US");

/** The same for people: thousands apart, and at least two decimals. */
export function formatAmount(nanos: Nanos): string {
  const [units = "", decimals = ""] = toDecimal(nanos < 0n ? -nanos : nanos).split(".");
  return `${nanos < 0n ? "-" : ""}${thousands(BigInt(units))}.${decimals.padEnd(2, "0")}`;
}

/**
 * A fraction to the nearest whole; a half goes away from zero, as on invoices. Each line of a report is rounded once,
 * here, so that a total is exactly the sum of its lines.
 */
export function roundDivision(amount: bigint, denominator: bigint): Nanos {
  const size = amount < 0n ? -amount : amount;
  const nearest = (2n * size + denominator) / (2n * denominator);
  return amount < 0n ? -nearest : nearest;
}

/** An amount, or why there is none: nothing is computed on a guess. */
export type Figure = { nanos: Nanos; unknown?: never } | { nanos?: never; unknown: string };

export const knownFigure = (nanos: Nanos): Figure => ({ nanos });
export const unknownFigure = (reason: string): Figure => ({ unknown: reason });
