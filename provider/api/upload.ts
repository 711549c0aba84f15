import {
  AbortedError,
  answerText,
  ConfigurationError,
  DeadlineError,
  isModelPlatformError,
  ModelPlatformError,
} from "../core/errors";
import { faultAdvice, NetworkFault, transientFaults } from "./http/network-faults";
import { FailedTry, pauseBefore, type RequestFailure, retry, retryTable, triesFor } from "./http/retry";
import { waitAdvice } from "./http/retry-after";
import type { HttpAnswer, HttpRequest, Send } from "./http/transport";
import { parseBaseUrl } from "./settings/base-url";
import type { Time } from "./time";
import type { Upload } from "./types";

interface Around {
  send: Send;
  time: Time;
  /** Whether the service of the account is on this machine, so that its addresses may be here as well. */
  mayStayLocal: (account: string | undefined) => boolean;
}

/** What one try leaves for the next. */
interface Progress {
  address?: string;
  refused?: string;
  /** The address has been sent to. */
  begun: boolean;
}

/** Milliseconds that a storage may take to answer after the last byte. */
const answerWithin = 5 * 60_000;

/**
 * Sends files to signed addresses, piece by piece, with retries, and to another address if one is refused. Errors show
 * an address's origin only.
 */
export function createUpload(around: Around): (upload: Upload) => Promise<void> {
  return async (upload) => {
    const progress: Progress = { begun: false };
    const { deadline, signal, name } = upload;
    try {
      await retry((number) => attempt(around, upload, progress, number), { time: around.time, deadline, signal });
    } catch (error) {
      if (signal.aborted && !isModelPlatformError(error))
        throw new AbortedError(`sending \`${name}\` was cancelled by the caller`, { cause: signal.reason });
      throw error;
    }
  };
}

async function attempt(around: Around, upload: Upload, progress: Progress, number: number): Promise<void> {
  const address = (progress.address ??= await upload.address(progress.refused));
  const target = targetOf(address, upload.name, around.mayStayLocal(upload.as));
  const source: { failure?: unknown } = {};
  try {
    const from = progress.begun && upload.resumable ? await askArrived(around, upload, target) : 0;
    if (from === "all") return upload.onProgress(upload.size);
    progress.begun = true;
    const answer = await around.send(request(around, upload, target, from, source));
    if (answer.status < 200 || answer.status >= 300) throw new Refused(answer);
    upload.onProgress(upload.size);
  } catch (error) {
    if (source.failure !== undefined) throw source.failure;
    if (!(error instanceof Refused || error instanceof NetworkFault)) throw error;
    throw failed(around, upload, progress, target, error, number);
  }
}

class Refused extends Error {
  constructor(readonly answer: HttpAnswer) {
    super(`answered ${answerText(answer.status)}${storageCode(answer.text)}`);
  }
}

/** Storages describe errors in XML. */
const storageCode = (text: string): string =>
  /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1]?.replace(/^/, ": ") ?? "";

/** The rest of the file. The signature covers what it covers: no header is sent that is not needed. */
function request(
  { time }: Around,
  upload: Upload,
  target: Target,
  from: number,
  source: { failure?: unknown },
): HttpRequest {
  const length = upload.size - from;
  const range =
    upload.resumable && length > 0 ? { "content-range": `bytes ${from}-${upload.size - 1}/${upload.size}` } : {};
  return {
    ...target,
    method: "PUT",
    headers: { "content-length": String(length), ...range },
    body: length === 0 ? "" : pieces(upload, from, time, source),
    signal: upload.signal,
    headersTimeout: answerWithin,
  };
}

/** Separates failures of the file from failures of the connection. */
async function* pieces(
  upload: Upload,
  from: number,
  time: Time,
  source: { failure?: unknown },
): AsyncGenerator<Uint8Array> {
  let sent = from;
  try {
    for await (const piece of upload.open(from)) {
      if (time.now() > upload.deadline)
        throw new DeadlineError(
          `sending \`${upload.name}\` stopped after ${sent} of ${upload.size} bytes: the deadline passed`,
          { advice: "Allow more time with `timeouts`, and run `up` again." },
        );
      sent += piece.length;
      upload.onProgress(sent);
      yield piece;
    }
  } catch (error) {
    source.failure = error;
    throw error;
  }
}

/** How many bytes of the file the storage has, asked as upload sessions are asked; `all` once it is complete. */
async function askArrived({ send }: Around, upload: Upload, target: Target): Promise<number | "all"> {
  const answer = await send({
    ...target,
    method: "PUT",
    headers: { "content-length": "0", "content-range": `bytes */${upload.size}` },
    body: "",
    signal: upload.signal,
  });
  if (answer.status >= 200 && answer.status < 300) return "all";
  if (answer.status !== 308) throw new Refused(answer);
  const last = /^bytes=0-(\d+)$/.exec(answer.headers["range"] ?? "")?.[1];
  return last === undefined ? 0 : Math.min(Number(last) + 1, upload.size);
}

interface Target {
  origin: string;
  path: string;
}

/**
 * A file goes where a key would go: over https, or to this machine itself where the service is here. A service
 * elsewhere MUST NOT have files sent to whoever listens on this machine.
 */
function targetOf(address: string, name: string, mayStayLocal: boolean): Target {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const advice = "Check that the base URL points to the API; if it does, tell the service's operators.";
  if (url?.username !== "" || url.password !== "")
    throw new ModelPlatformError(
      `the address that the service gave for \`${name}\` is not a URL that a file can be uploaded to`,
      { advice },
    );
  try {
    const { origin, loopback } = parseBaseUrl(url.origin, "an upload address");
    if (loopback && !mayStayLocal) throw new ConfigurationError("it is on this machine, and the service is not");
    return { origin, path: url.pathname + url.search };
  } catch (cause) {
    throw new ModelPlatformError(
      `the address that the service gave for \`${name}\` is at ${url.origin}, and no file is sent there`,
      { advice: "Files go to https addresses only, and to this machine where the base URL leads here, too.", cause },
    );
  }
}

/** The error of an attempt, and whether to retry; with another address if this one was refused. */
function failed(
  { time }: Around,
  upload: Upload,
  progress: Progress,
  target: Target,
  reason: Refused | NetworkFault,
  number: number,
): FailedTry {
  const setback: RequestFailure =
    reason instanceof Refused
      ? { status: reason.answer.status, advice: waitAdvice(reason.answer.headers, time.now()) }
      : { fault: reason.kind };
  const refusedAddress = (retryTable.addresses as readonly (number | undefined)[]).includes(setback.status);
  if (refusedAddress && progress.address !== undefined) {
    progress.refused = progress.address;
    delete progress.address;
    progress.begun = false;
  }
  const error = new ModelPlatformError(
    `sending \`${upload.name}\` (${upload.size} bytes) to ${target.origin}: ${reason.message}`,
    {
      attempts: number,
      advice:
        reason instanceof NetworkFault
          ? faultAdvice[reason.kind]
          : "Run `up` again: what has arrived is not sent again.",
      ...(setback.status !== undefined && { status: setback.status }),
    },
  );
  const incomplete = setback.status === 308;
  const tries = refusedAddress
    ? retryTable.tries.address
    : incomplete
      ? retryTable.tries.default
      : triesFor(setback, true, transientFaults);
  return new FailedTry(error, number >= tries ? undefined : pauseBefore(number, setback, time.random));
}
