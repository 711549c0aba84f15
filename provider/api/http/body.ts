import { promisify } from "node:util";
import { brotliDecompress, type InputType, inflate, unzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { NetworkError } from "./network-faults";

/** Encodings of a body that are undone, in the order of preference. */
export const acceptedEncodings = "gzip, deflate, br";

type Unpack = (packed: InputType, options: { maxOutputLength: number }) => Promise<Buffer>;

const unpacks: Readonly<Record<string, Unpack>> = {
  gzip: promisify(unzip) as Unpack,
  "x-gzip": promisify(unzip) as Unpack,
  deflate: promisify(inflate) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
};

interface Limit {
  /** Bytes, packed and unpacked. */
  ceiling: number;
  received: NetworkError["response"];
}

/** Reads a body up to a limit: packed as its header says, and without the mark of its byte order. */
export async function textOf(
  body: Dispatcher.ResponseData["body"],
  encoding: string | undefined,
  limit: Limit,
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit.ceiling) throw tooLargeError(limit);
    pieces.push(piece);
  }
  const packed = Buffer.concat(pieces);
  const bytes = encoding === undefined || size === 0 ? packed : await decompress(packed, encoding, limit);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

async function decompress(packed: Buffer, encoding: string, limit: Limit): Promise<Buffer> {
  let bytes = packed;
  const names = encoding.split(",").map((name) => name.trim().toLowerCase());
  for (const name of names.reverse().filter((each) => each !== "identity" && each !== "")) {
    const unpack = unpacks[name];
    if (!unpack) throw new NetworkError("packed", `answered in the encoding ${JSON.stringify(name)}`, limit.received);
    try {
      bytes = await unpack(bytes, { maxOutputLength: limit.ceiling });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLargeError(limit);
      throw new NetworkError("packed", `answered what is not ${name}, as its header says`, limit.received, {
        cause: error,
      });
    }
  }
  return bytes;
}

const tooLargeError = ({ ceiling, received }: Limit): NetworkError =>
  new NetworkError("oversize", `answered more than ${Math.floor(ceiling / 1024 / 1024)} MB`, received);

/** Whether an answer is a page for a browser. */
export const isHtml = (text: string, contentType: string): boolean =>
  /\bx?html\b/i.test(contentType) || /^\s*(<\?xml[^>]*>\s*)?<(!doctype\s+html|html|head|body)\b/i.test(text);

/** Whether an answer is XML that is no page for a browser. */
export const isXml = (text: string, contentType: string): boolean =>
  !isHtml(text, contentType) && /^\s*<(\?xml|[A-Za-z_][\w.:-]*[\s>/])/.test(text);

/** Deepest nesting of an answer; the API's own messages stay below ten. */
const deepest = 64;

/**
 * Most members and elements of an answer: a page of 200 objects stays below a hundred
 * thousand. Small ones take many times their text.
 */
const most = 500_000;

/**
 * Parses JSON from outside: members named `__proto__` are dropped, nesting and number have a limit. Throws a
 * `SyntaxError` that shows nothing of the text, because it may hold secrets.
 */
export function parseJson(text: string): unknown {
  const { depth, members } = shapeOf(text);
  if (depth > deepest) throw new SyntaxError(`the JSON is nested deeper than ${deepest} levels`);
  if (members > most) throw new SyntaxError(`the JSON has more than ${most} members`);
  const withPrototype = text.includes("_proto_") || /\\u005f/i.test(text);
  try {
    return JSON.parse(
      text,
      withPrototype ? (key, value: unknown) => (key === "__proto__" ? undefined : value) : undefined,
    );
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
}

function shapeOf(text: string): { depth: number; members: number } {
  let level = 0;
  let depth = 0;
  let members = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    if (letter === quote) quoted = !quoted;
    else if (quoted && letter === backslash) index++;
    else if (!quoted && (letter === brace || letter === bracket)) {
      depth = Math.max(depth, ++level);
      members++;
    } else if (!quoted && letter === comma) members++;
    else if (!quoted && (letter === brace + 2 || letter === bracket + 2)) level--;
  }
  return { depth, members };
}

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;
