import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { escapeHtml as escaped } from "../../io/text/markup";

/** One bucket in memory, and of the protocol of S3 what the Pulumi CLI uses: objects whole, lists in pages, copies. */
export interface S3Server {
  url: string;
  close(): Promise<void>;
}

export interface S3Options {
  bucket: string;
  /** Requests that are not signed with this key are refused. The signature itself is not checked. */
  accessKeyId: string;
  /** Requests that do not sign this token are refused. Default: none is needed. */
  sessionToken?: string;
  /** Default: no TLS. */
  tls?: { cert: string; key: string };
  /** Whether writes under a condition are refused where it does not hold. Default: true. */
  obeys?: boolean;
  /** Called for each object that is written or removed. */
  onChange(event: string, key: string): void;
}

interface Stored {
  content: Buffer;
  headers: Record<string, string>;
  etag: string;
  time: Date;
}

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export async function serveS3(options: S3Options): Promise<S3Server> {
  const objects = new Map<string, Stored>();
  const { tls } = options;
  const listener: RequestListener = async (request, response) => {
    const content = await buffer(request);
    const { status = 200, headers = {}, body = "" } = answer(request, content, objects, options);
    const type = typeof body === "string" ? { "content-type": "application/xml" } : {};
    response.writeHead(status, { ...type, ...headers }).end(request.method === "HEAD" ? "" : body);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}`, close: () => closed(server) };
}

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

function answer(request: IncomingMessage, content: Buffer, objects: Map<string, Stored>, options: S3Options): Answer {
  const { pathname, searchParams } = new URL(request.url!, "http://s3");
  const [, bucket, ...rest] = pathname.split("/").map(decodeURIComponent);
  const key = rest.join("/");
  if (!isSigned(request.headers, options)) return error(403, "AccessDenied");
  if (bucket !== options.bucket) return error(404, "NoSuchBucket");
  if (key === "") return request.method === "GET" ? list(objects, searchParams) : {};
  switch (request.method) {
    case "PUT":
      return put(key, request, content, objects, options);
    case "GET":
    case "HEAD":
      return get(key, request, objects);
    case "DELETE":
      if (objects.delete(key)) options.onChange("ObjectRemoved:Delete", key);
      return { status: 204 };
    default:
      return error(405, "MethodNotAllowed");
  }
}

function isSigned(
  { authorization = "", "x-amz-security-token": token }: IncomingMessage["headers"],
  { accessKeyId, sessionToken }: S3Options,
): boolean {
  const isWithToken = token === sessionToken && /SignedHeaders=[^,]*x-amz-security-token/.test(authorization);
  return authorization.includes(`Credential=${accessKeyId}/`) && (sessionToken === undefined || isWithToken);
}

function put(
  key: string,
  { headers }: IncomingMessage,
  content: Buffer,
  objects: Map<string, Stored>,
  { onChange, obeys = true }: S3Options,
): Answer {
  if (obeys && !holds(headers, objects.get(key))) return error(412, "PreconditionFailed");
  const source = headers["x-amz-copy-source"];
  const from = source === undefined ? undefined : sourceKey(String(source));
  const copied = from === undefined ? undefined : objects.get(from);
  if (from !== undefined && copied === undefined) return error(404, "NoSuchKey");
  const whole = copied?.content ?? payloadOf(headers, content);
  const stored = {
    content: whole,
    headers: copied?.headers ?? keptHeaders(headers),
    etag: `"${createHash("md5").update(whole).digest("hex")}"`,
    time: new Date(),
  };
  objects.set(key, stored);
  onChange(copied ? "ObjectCreated:Copy" : "ObjectCreated:Put", key);
  if (copied === undefined) return { headers: { etag: stored.etag } };
  const [etag, time] = [escaped(stored.etag), stored.time.toISOString()];
  return { body: `<CopyObjectResult><ETag>${etag}</ETag><LastModified>${time}</LastModified></CopyObjectResult>` };
}

/** Whether an object may be written over, by the conditions of a write. */
const holds = (headers: IncomingMessage["headers"], found: Stored | undefined): boolean =>
  (headers["if-none-match"] === undefined || found === undefined) &&
  (headers["if-match"] === undefined || headers["if-match"] === found?.etag);

/** The source without its bucket. */
const sourceKey = (source: string): string =>
  decodeURIComponent(source).replace(/^\//, "").split("/").slice(1).join("/");

const keptHeaders = (headers: IncomingMessage["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name === "content-type" || name.startsWith("x-amz-meta-"))
      .map(([name, value]) => [name, String(value)]),
  );

/** What was sent, without the chunks that a client signs one by one: each has its size in front, in hex. */
function payloadOf(headers: IncomingMessage["headers"], content: Buffer): Buffer {
  if (!String(headers["x-amz-content-sha256"] ?? "").startsWith("STREAMING-")) return content;
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = content.indexOf("\r\n", at);
    const size = Number.parseInt(content.toString("latin1", at, end), 16);
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(content.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function get(key: string, { headers }: IncomingMessage, objects: Map<string, Stored>): Answer {
  const found = objects.get(key);
  if (found === undefined) return error(404, "NoSuchKey");
  const { content, etag, time, headers: kept } = found;
  const all = { ...kept, etag, "last-modified": time.toUTCString(), "accept-ranges": "bytes" };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
  if (first === undefined) return { headers: { ...all, "content-length": String(content.length) }, body: content };
  const end = Math.min(last === "" ? content.length - 1 : Number(last), content.length - 1);
  if (Number(first) > end) return error(416, "InvalidRange");
  const part = content.subarray(Number(first), end + 1);
  const range = { "content-range": `bytes ${first}-${end}/${content.length}`, "content-length": String(part.length) };
  return { status: 206, headers: { ...all, ...range }, body: part };
}

/** Names below a prefix, sorted, in pages; what has the delimiter behind the prefix stands together as one prefix. */
function list(objects: Map<string, Stored>, query: URLSearchParams): Answer {
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const most = Math.min(Number(query.get("max-keys") ?? 1000), 1000);
  const nameOf = (key: string): string => {
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    return end < 0 ? key : key.slice(0, end + delimiter.length);
  };
  const isPrefix = (name: string): boolean => delimiter !== "" && name.includes(delimiter, prefix.length);
  const names = [...new Set([...objects.keys()].filter((key) => key.startsWith(prefix)).map(nameOf))]
    .filter((name) => name > after)
    .sort();
  const page = names.slice(0, most);
  const next = names.length > most ? `<NextContinuationToken>${escaped(page.at(-1)!)}</NextContinuationToken>` : "";
  const entries = page.map((name) => {
    const object = isPrefix(name) ? undefined : objects.get(name);
    if (object === undefined) return `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`;
    const { etag, time, content } = object;
    return `<Contents><Key>${escaped(name)}</Key><LastModified>${time.toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${content.length}</Size></Contents>`;
  });
  const about = `<Prefix>${escaped(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><IsTruncated>${next !== ""}</IsTruncated>${next}`;
  return { body: `<ListBucketResult>${about}${entries.join("")}</ListBucketResult>` };
}

const error = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
});
