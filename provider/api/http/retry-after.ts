/** How long a service asks clients to wait, and whether it wants retries at all. */
export interface WaitAdvice {
  /** Milliseconds from now. */
  wait?: number | undefined;
  /** `x-should-retry`. */
  again?: boolean | undefined;
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Reads `x-should-retry`, `retry-after-ms`, and `Retry-After` as seconds or as an HTTP
 * date, in this order; nonsense counts as absent.
 */
export function waitAdvice(headers: Headers, now: number): WaitAdvice {
  const again = /^(true|false)$/i.exec(headers["x-should-retry"]?.trim() ?? "")?.[1]?.toLowerCase();
  const wait =
    number(headers["retry-after-ms"]) ??
    afterSeconds(headers["retry-after"]) ??
    afterDate(headers["retry-after"], headers["date"], now);
  return { wait, again: again === undefined ? undefined : again === "true" };
}

const longestWait = 24 * 60 * 60 * 1000;

function number(text: string | undefined, unit = 1): number | undefined {
  if (text === undefined || !/^\s*\d{1,15}(\.\d+)?\s*$/.test(text)) return undefined;
  return Math.min(Math.ceil(Number(text) * unit), longestWait);
}

const afterSeconds = (text: string | undefined): number | undefined => number(text, 1000);

/**
 * A date is on the service's clock: if the answer carries its `Date`, the difference counts, not this machine's clock.
 */
function afterDate(text: string | undefined, date: string | undefined, now: number): number | undefined {
  const at = httpDate(text);
  if (at === undefined) return undefined;
  return Math.min(Math.max(at - (httpDate(date) ?? now), 0), longestWait);
}

function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(/GMT|UTC|[+-]\d{4}/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
