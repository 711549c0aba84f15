import { isSignatureFor } from "../access";
import { permissionDenied } from "../refusals";
import { recordUpload } from "../services/models";
import { ApiError, type World } from "../types";
import { type Reply, replyTo } from "./replies";
import { uploadPrefix } from "./requests";

export interface UploadRequest {
  path: string;
  query: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
}

/** How many uploads that may be resumed are remembered; a new one beyond that takes the place of the oldest. */
const maxSessions = 1000;

/**
 * The store that upload addresses lead to. It counts bytes and keeps none. With `content-range` an upload continues
 * where it stopped, and `bytes *\/<size>` asks where that is: 308 with `range` until the file is complete.
 */
export function createUploads(world: World): (request: UploadRequest) => Promise<Reply> {
  const sessions = new Map<string, number>();

  async function receive(request: UploadRequest): Promise<Reply> {
    const { model, file } = targetOf(request.path);
    const signature = request.query.get("signature") ?? "";
    if (!isSignatureFor({ store: "uploads", model, file }, signature, world.clock.now()))
      throw permissionDenied(
        "the address is not signed for this file, or no longer; ask `:getUploadEndpoint` for another one",
      );
    const range = rangeIn(request.headers["content-range"]);
    if (!range) {
      const { size, whole } = await countBytes(request.body);
      return whole ? arrived(model, file, size) : incomplete(0);
    }
    const stored = sessions.get(signature) ?? 0;
    if (range.from === undefined || range.from !== stored)
      return stored === range.size ? complete() : incomplete(stored);
    const total = stored + (await countBytes(request.body)).size;
    sessions.set(signature, total);
    if (sessions.size > maxSessions) sessions.delete([...sessions.keys()][0]!);
    return total < range.size ? incomplete(total) : arrived(model, file, total);
  }

  function arrived(model: string, file: string, size: number): Reply {
    recordUpload(world, model, file, size);
    return complete();
  }

  return async (request) => {
    try {
      return await receive(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return replyTo({
        status: error.status,
        body: { code: error.code, message: error.message, details: error.details },
      });
    }
  };
}

const complete = (): Reply => replyTo({ status: 200, body: {} });

const incomplete = (stored: number): Reply =>
  replyTo({ status: 308, body: undefined, headers: stored > 0 ? { range: `bytes=0-${stored - 1}` } : undefined });

/** Bytes of the body, up to where it breaks off. */
async function countBytes(body: AsyncIterable<Uint8Array>): Promise<{ size: number; whole: boolean }> {
  let size = 0;
  try {
    for await (const piece of body) size += piece.length;
    return { size, whole: true };
  } catch {
    return { size, whole: false };
  }
}

function targetOf(path: string): { model: string; file: string } {
  const rest = path.slice(uploadPrefix.length);
  const slash = rest.lastIndexOf("/");
  try {
    return {
      model: decodeURIComponent(rest.slice(0, Math.max(0, slash))),
      file: decodeURIComponent(rest.slice(slash + 1)),
    };
  } catch {
    throw new ApiError(400, 3, `\`${path}\` is not percent-encoded text`);
  }
}

/** `bytes 0-9/10`, or `bytes *\/10`, which carries nothing and only asks. */
function rangeIn(header: string | undefined): { from?: number | undefined; size: number } | undefined {
  if (header === undefined) return undefined;
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(header);
  if (!match) throw new ApiError(400, 3, "`content-range` must be `bytes <first>-<last>/<size>` or `bytes */<size>`");
  return { size: Number(match[2]), from: match[1] === undefined ? undefined : Number(match[1]) };
}
