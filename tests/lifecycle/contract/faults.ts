import type { Harness } from "../harness";
import type { WireFault } from "../wire-faults";

interface EmulatorFault {
  kind: string;
  [member: string]: unknown;
}

/** The faults of services and networks, by what strikes a request. */
export interface FaultCase {
  title: string;
  /** As the emulator's control plane takes it, or what happens below HTTP. */
  fault: EmulatorFault | Pick<WireFault, "at" | "code">;
  /** What the error has to tell where the fault stays. */
  tells?: string;
}

const status = (title: string, code: number, more: Record<string, unknown> = {}): FaultCase => ({
  title,
  fault: { kind: "status", status: code, ...more },
  tells: String(code),
});

const exhausted = { code: 8, message: "too many requests", details: [] };

/** Numbered as in the list of faults; a number may stand twice, for the two sides of the commit. */
export const faultCases: readonly FaultCase[] = [
  status("1 429 with seconds", 429, { headers: { "retry-after": "2" }, body: exhausted }),
  status("2 429 with a date", 429, {
    headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT", "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" },
    body: exhausted,
  }),
  status("3 429 with milliseconds", 429, { headers: { "retry-after-ms": "700" }, body: exhausted }),
  status("4 429 bare", 429),
  status("5 500", 500, { body: { code: 13, message: "internal error", details: [] } }),
  {
    title: "5 500 after the commit",
    fault: { kind: "commitThenStatus", status: 500, body: { code: 2, message: "unknown error", details: [] } },
    tells: "500",
  },
  status("6 502 with a page", 502, { body: "<html><body>Bad Gateway</body></html>" }),
  status("7 503 with seconds", 503, { headers: { "retry-after": "1" } }),
  { title: "8 504 after the commit", fault: { kind: "commitThenStatus", status: 504 }, tells: "504" },
  status("9 408", 408),
  status("10 409", 409, { body: { code: 10, message: "another operation is in progress", details: [] } }),
  { title: "11 connection refused", fault: { at: "request", code: "ECONNREFUSED" }, tells: "ECONNREFUSED" },
  {
    title: "12 reset before anything was applied",
    fault: { at: "request", code: "ECONNRESET" },
    tells: "lost the connection",
  },
  { title: "13 reset after the commit", fault: { at: "answer", code: "UND_ERR_SOCKET" }, tells: "lost the connection" },
  { title: "14 headers that never come", fault: { at: "request", code: "UND_ERR_HEADERS_TIMEOUT" }, tells: "in time" },
  {
    title: "14 headers that never come after the commit",
    fault: { at: "answer", code: "UND_ERR_HEADERS_TIMEOUT" },
    tells: "in time",
  },
  { title: "15 a body that stalls", fault: { at: "body", code: "UND_ERR_BODY_TIMEOUT" }, tells: "in time" },
  { title: "16 a truncated body", fault: { kind: "truncate" }, tells: "lost the connection" },
  { title: "17 malformed JSON", fault: { kind: "garbage" }, tells: "JSON" },
  { title: "18 a page instead of JSON", fault: { kind: "html", commit: true }, tells: "page" },
  { title: "19 an oversized body", fault: { kind: "oversize", bytes: 10_600_000 }, tells: "MB" },
  status("20 401", 401, { body: { code: 16, message: "the API key is not known", details: [] } }),
  status("21 403", 403, { body: { code: 7, message: "permission denied", details: [] } }),
  { title: "22 a stale answer", fault: { kind: "stale" } },
  { title: "22 a 404 after the create", fault: { kind: "notYetVisible", reads: 3 } },
  {
    title: "23 a redirect to another origin",
    fault: { kind: "redirect", location: "https://elsewhere.example.com/v1" },
    tells: "redirect",
  },
  { title: "24 TLS", fault: { at: "request", code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, tells: "trusted" },
  { title: "24 proxy", fault: { at: "request", code: "UND_ERR_PRX_TLS" }, tells: "proxy" },
];

const representative: readonly string[] = [
  "1 429 with seconds",
  "5 500 after the commit",
  "10 409",
  "12 reset before anything was applied",
  "13 reset after the commit",
  "14 headers that never come after the commit",
  "17 malformed JSON",
  "20 401",
  "22 a stale answer",
  "22 a 404 after the create",
];

/** One for each way in which a fault is taken. */
export const fewFaults: readonly FaultCase[] = faultCases.filter(({ title }) => representative.includes(title));

/** Which requests of an operation are struck. */
export interface Position {
  title: string;
  skip: number;
  times: number;
}

export const positions: readonly Position[] = [
  { title: "the first", skip: 0, times: 1 },
  { title: "the second", skip: 1, times: 1 },
  { title: "every", skip: 0, times: Number.POSITIVE_INFINITY },
];

const methods: Readonly<Record<string, string>> = {
  create: "POST",
  get: "GET",
  list: "GET",
  update: "PATCH",
  delete: "DELETE",
};

/** Strikes one operation of a kind from now on. */
export async function strike(
  at: Pick<Harness, "fault" | "wire">,
  { kind, collection, verb }: { kind: string; collection: string; verb: string },
  { fault }: FaultCase,
  { skip, times }: Position,
): Promise<void> {
  if (!isOnTheWire(fault))
    return at.fault({
      match: { operation: operationOf(kind, collection, verb) },
      fault,
      skip,
      times: Number.isFinite(times) ? times : null,
    });
  const single = `/${collection}(?:/[^/?:]+)?(?:[?].*)?$`;
  const path =
    verb === "create" || verb === "list"
      ? `/${collection}(?:[?].*)?$`
      : verb === "get" && collection !== "policySettings"
        ? `/${collection}/[^/?:]+(?:[?].*)?$`
        : single;
  at.wire.push({ method: methods[verb]!, path: new RegExp(path), skip, times, hits: 0, ...fault });
}

const isOnTheWire = (fault: FaultCase["fault"]): fault is Pick<WireFault, "at" | "code"> => !("kind" in fault);

/** An operation's name in the emulator's faults. */
export const operationOf = (kind: string, collection: string, verb: string): string =>
  verb === "list" ? `list${collection[0]!.toUpperCase()}${collection.slice(1)}` : `${verb}${kind}`;
