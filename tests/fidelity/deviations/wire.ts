import type { Asked, Deviations, Sent } from "../deviation";
import { listedKinds, type Row, right } from "./row";

const bytes = (change: (bytes: Buffer) => Buffer, headers: Record<string, string> = {}): Deviations => ({
  sends: (sent) => ({ ...sent, bytes: change(sent.bytes), headers: { ...sent.headers, ...headers } }),
});

const headed = (headers: Record<string, string>): Deviations => bytes((same) => same, headers);

/** The first of every few requests is answered in another way, and does nothing. */
const atFirst = (is: (asked: Asked) => boolean, answer: Sent): Deviations => {
  const met = new Set<string>();
  return {
    sends(sent, asked) {
      const place = `${asked.method} ${asked.path}`;
      if (!is(asked) || met.has(place)) return sent;
      met.add(place);
      return answer;
    },
  };
};

const answer = (status: number, body: string, headers: Record<string, string> = {}): Sent => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  bytes: Buffer.from(body),
});

const isRead = ({ method }: Asked): boolean => method === "GET";

/** What is between the service and its words. */
export const wireRows: readonly Row[] = [
  ...right(["Deployment", "User", "Secret", "PolicySettings"], {
    "answers begin with a byte order mark": bytes((json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json])),
  }),
  ...right(["Deployment", "User", "Secret", "PolicySettings"], {
    "answers end with blank lines": bytes((json) => Buffer.concat([json, Buffer.from("\r\n\r\n")])),
    "answers are indented": bytes((json) =>
      json.length === 0 ? json : Buffer.from(JSON.stringify(JSON.parse(json.toString()), null, 4)),
    ),
    "answers have another content type": headed({ "content-type": "text/json; charset=utf-8" }),
    "answers have no content type": headed({ "content-type": "" }),
    "answers are declared as text": headed({ "content-type": "text/plain" }),
    "answers set cookies and caching": headed({ "set-cookie": "a=b", "cache-control": "max-age=3600", etag: '"1"' }),
    "the `Date` of answers is hours off": headed({ date: "Thu, 01 Jan 2026 09:00:00 GMT" }),
    "answers have the encoding `identity`": headed({ encoding: "identity", "content-encoding": "identity" }),
    "reads are refused once with 429": atFirst(isRead, answer(429, '{"code":8,"message":"slow down"}')),
    "reads are refused once with 429 and `Retry-After`": atFirst(isRead, answer(429, "", { "retry-after": "2" })),
    "reads are refused once with 503": atFirst(isRead, answer(503, '{"code":14,"message":"later"}')),
    "reads are refused once with 502 and an HTML page": atFirst(
      isRead,
      answer(502, "<html>bad gateway</html>", { "content-type": "text/html" }),
    ),
    "reads are refused once with 408": atFirst(isRead, answer(408, "")),
    "reads end once with 504": atFirst(isRead, answer(504, "")),
  }),
  {
    name: "answers are HTML pages",
    kinds: listedKinds,
    deviation: bytes(() => Buffer.from("<!doctype html><p>Sign in</p>"), { "content-type": "text/html" }),
    outcome: "refused",
    message: /HTML/,
  },
  {
    name: "answers redirect elsewhere",
    kinds: listedKinds,
    deviation: { sends: () => answer(301, "", { location: "https://elsewhere.test/v1" }) },
    outcome: "refused",
    message: /301/,
  },
  {
    name: "refusals answer 200",
    kinds: listedKinds,
    deviation: { sends: () => answer(200, '{"error":{"code":16,"message":"sign in"}}') },
    outcome: "refused",
    message: /answered 200 with the error 401 UNAUTHENTICATED/,
  },
];
