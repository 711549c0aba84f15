import {
  AbortedError,
  ConfigurationError,
  DeadlineError,
  isModelPlatformError,
  ModelPlatformError,
  statusText,
} from "../core/errors";
import { NetworkError, networkGuidance } from "./http/network-faults";
import {
  FailedTry,
  LongWait,
  parseRetryHeaders,
  pauseBefore,
  type RequestFailure,
  retry,
  retryTable,
  shouldRetry,
} from "./http/retry";
import type { HttpRequest, HttpResponse, Send } from "./http/transport";
import { parseBaseUrl } from "./settings/endpoint";
import { abortingAt, orAborted, type Time } from "./time";
import type { Upload } from "./types";

interface UploadContext {
  send: Send;
  time: Time;
  /** Whether the service of the account is on this machine, so that its addresses may be here as well. */
  mayStayLocal: (account: string | undefined) => boolean;
}

/** Milliseconds that a storage may take to respond after the last byte. */
const responseTimeoutMs = 5 * 60_000;

/**
 * Sends files to signed addresses, piece by piece, with retries, and to another address if one is rejected. Errors
 * contain only the origin of an address.
 */
export const createUpload =
  (context: UploadContext): ((upload: Upload) => Promise<void>) =>
  (upload) =>
    new UploadRun(context, upload).send();

class RejectedUpload extends Error {
  constructor(readonly response: HttpResponse) {
    super(`answered ${statusText(response.status)}${storageCode(response.text)}`);
  }
}

/** Storages describe errors in XML. */
const storageCode = (text: string): string =>
  /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1]?.replace(/^/, ": ") ?? "";

/** One file on its way. The fields are the state that one request leaves for the next. */
class UploadRun {
  private address: string | undefined;
  private rejectedAddress: string | undefined;
  /** A request was sent to the address. */
  private begun = false;
  /** Bytes that have left this machine in the last request. */
  private sent = 0;
  private readonly wait: LongWait;
  private readonly ended = new AbortController();
  private readonly expired: AbortSignal;
  /** The caller's, and the deadline's: a storage that takes nothing more would hold the run for ever. */
  private readonly signal: AbortSignal;

  constructor(
    private readonly context: UploadContext,
    private readonly upload: Upload,
  ) {
    this.wait = new LongWait(context.time.now, upload.onWait);
    this.expired = abortingAt(upload.deadline, context.time, this.ended.signal);
    this.signal = AbortSignal.any([upload.signal, this.expired]);
  }

  /** MUST be called once. */
  async send(): Promise<void> {
    const { context, upload, signal } = this;
    const { time } = context;
    try {
      await orAborted(
        signal,
        retry((number) => this.attempt(number), { time, deadline: upload.deadline, signal, onPause: this.wait.note }),
      );
    } catch (error) {
      if (!signal.aborted || isModelPlatformError(error)) throw error;
      if (!upload.signal.aborted) throw this.deadlineError();
      const { sentence } = this.wait;
      throw new AbortedError(`sending \`${upload.name}\` was interrupted${sentence || " before it was done"}`, {
        cause: signal.reason,
      });
    } finally {
      this.ended.abort();
    }
  }

  private deadlineError(): DeadlineError {
    const { name, size } = this.upload;
    return new DeadlineError(`sending \`${name}\` stopped after ${this.sent} of ${size} bytes: the deadline passed`, {
      advice: "Allow more time with `timeouts`, and run `up` again.",
    });
  }

  private async attempt(number: number): Promise<void> {
    const { context, upload } = this;
    this.address ??= await upload.address(this.rejectedAddress);
    const target = targetOf(this.address, upload.name, context.mayStayLocal(upload.as));
    const source: Source = {};
    try {
      const from = this.begun && upload.resumable ? await this.countReceived(target) : 0;
      if (from === "all") return upload.onProgress(upload.size);
      this.begun = true;
      this.wait.end();
      const response = await context.send(this.request(target, from, source));
      if (response.status < 200 || response.status >= 300) throw new RejectedUpload(response);
      upload.onProgress(upload.size);
    } catch (error) {
      if (source.failure !== undefined) throw source.failure;
      if (!(error instanceof RejectedUpload || error instanceof NetworkError)) throw error;
      throw this.handleFailure(target, error, number);
    }
  }

  /** How many bytes of the file the storage has, by an upload session's status request; `all` once it is complete. */
  private async countReceived(target: Target): Promise<number | "all"> {
    const { upload, signal } = this;
    const { size } = upload;
    const response = await this.context.send({
      ...target,
      method: "PUT",
      headers: { "content-length": "0", "content-range": `bytes */${size}` },
      body: "",
      signal,
    });
    if (response.status >= 200 && response.status < 300) return "all";
    if (response.status !== 308) throw new RejectedUpload(response);
    const last = /^bytes=0-(\d+)$/.exec(response.headers["range"] ?? "")?.[1];
    return last === undefined ? 0 : Math.min(Number(last) + 1, size);
  }

  /** The rest of the file. Sends no header that is not needed, because of the signature. */
  private request(target: Target, from: number, source: Source): HttpRequest {
    const { upload, signal } = this;
    const { size, resumable } = upload;
    const length = size - from;
    const range = resumable && length > 0 ? { "content-range": `bytes ${from}-${size - 1}/${size}` } : {};
    return {
      ...target,
      method: "PUT",
      headers: { "content-length": String(length), ...range },
      body: length === 0 ? "" : this.pieces(from, source),
      signal,
      headersTimeout: responseTimeoutMs,
    };
  }

  /** Separates failures of the file from failures of the connection. */
  private async *pieces(from: number, source: Source): AsyncGenerator<Uint8Array> {
    this.sent = from;
    try {
      for await (const piece of this.upload.open(from)) {
        if (this.context.time.now() > this.upload.deadline) throw this.deadlineError();
        this.sent += piece.length;
        this.upload.onProgress(this.sent);
        yield piece;
      }
    } catch (error) {
      source.failure = error;
      throw error;
    }
  }

  /** The error of an attempt, and whether to retry; with another address if this one was rejected. */
  private handleFailure(target: Target, reason: RejectedUpload | NetworkError, number: number): FailedTry {
    const { time } = this.context;
    const { name, size } = this.upload;
    const failure: RequestFailure =
      reason instanceof RejectedUpload
        ? { status: reason.response.status, advice: parseRetryHeaders(reason.response.headers, time.now()) }
        : { networkError: reason.kind };
    const error = new ModelPlatformError(`sending \`${name}\` (${size} bytes) to ${target.origin}: ${reason.message}`, {
      attempts: number,
      ...(reason instanceof NetworkError
        ? networkGuidance(reason.kind)
        : { advice: "Run `up` again: what has arrived is not sent again." }),
      status: failure.status,
    });
    if (isAddressRejected(failure)) this.dropAddress();
    const pause = mayResend(failure, number) ? pauseBefore(number, failure, time.random) : undefined;
    return new FailedTry(error, pause, `sending \`${name}\` ${reason.message}`);
  }

  private dropAddress(): void {
    this.rejectedAddress = this.address ?? this.rejectedAddress;
    this.address = undefined;
    this.begun = false;
  }
}

/** What went wrong while the file was read. */
interface Source {
  failure?: unknown;
}

const isAddressRejected = ({ status }: RequestFailure): boolean =>
  (retryTable.addresses as readonly (number | undefined)[]).includes(status);

/** Sending a file twice does no more than sending it once. */
function mayResend(failure: RequestFailure, sent: number): boolean {
  if (isAddressRejected(failure)) return sent < retryTable.tries.address;
  // A part has arrived.
  if (failure.status === 308) return sent < retryTable.tries.default;
  return shouldRetry(failure, { sent, repeatable: true });
}

interface Target {
  origin: string;
  path: string;
}

/**
 * A file goes only where a key would go: over https, or to this machine if the service is here. A service elsewhere
 * MUST NOT have files sent to programs on this machine.
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
