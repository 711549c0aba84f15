import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { underLock } from "../../../io/files/lock";
import { openPrivate } from "../../../io/files/open";
import { FileRefusal } from "../../../io/files/refusal";
import { refusalOf } from "../../../io/text/disk-error";
import { ConfigurationError, isModelPlatformError, messageOf } from "../../core/errors";
import type { TracedRequest } from "./trace";

const creator = { name: "pulumi-modelplatform", version: "1" };
const head = `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[\n`;
const tail = "\n]}}\n";

/** Writes requests to the file that `env` names, if it names one. */
export const traceFileOf = (
  { MODELPLATFORM_TRACE: path = "" }: Readonly<Record<string, string | undefined>>,
  complain: (text: string) => void,
): ((request: TracedRequest) => void) | undefined => (path === "" ? undefined : traceFile(path, complain));

/**
 * Appends entries to an HTTP archive that is complete after each of them, so that it stays readable if the process
 * dies. Several processes may write to one file: a lock guards each entry.
 */
function traceFile(path: string, complain: (text: string) => void): (request: TracedRequest) => void {
  change(path);
  let broken = false;
  return (request) => {
    if (broken) return;
    try {
      change(path, JSON.stringify(archiveEntry(request)));
    } catch (error) {
      // The request has been sent: its answer matters more than its trace.
      broken = true;
      complain(messageOf(error));
    }
  };
}

/** Adds an entry, or, without one, sees to it that entries can be added. */
function change(path: string, entry?: string): void {
  try {
    underLock(path, () => append(path, entry));
  } catch (error) {
    throw isModelPlatformError(error) ? error : unwritable(path, error);
  }
}

function append(path: string, text: string | undefined): void {
  const file = opened(path);
  try {
    const { size } = fstatSync(file);
    if (size === 0) return void writeSync(file, head + (text ?? "") + tail, 0);
    const end = Buffer.alloc(tail.length);
    readSync(file, end, 0, tail.length, Math.max(0, size - tail.length));
    if (end.toString() !== tail)
      throw new ConfigurationError(`${path} already exists and is not a trace of requests`, {
        advice: "Name another file in `MODELPLATFORM_TRACE` or `--trace`, or remove this one.",
      });
    if (text === undefined) return;
    const comma = size === head.length + tail.length ? "" : ",\n";
    ftruncateSync(file, size - tail.length);
    writeSync(file, comma + text + tail, size - tail.length);
  } finally {
    closeSync(file);
  }
}

/** Readable by its owner only: it shows what an account has. */
function opened(path: string): number {
  try {
    return openPrivate(path, "change");
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): ConfigurationError {
  if (error instanceof FileRefusal) return new ConfigurationError(error.message, { cause: error });
  const { reason, remedy } = refusalOf(error);
  const other = "ame a file in a folder that can be written in `MODELPLATFORM_TRACE` or `--trace`.";
  return new ConfigurationError(`the trace of requests cannot be written to ${path}: ${reason}`, {
    advice: remedy === undefined ? `N${other}` : `${remedy}, or n${other}`,
  });
}

/** One request in HTTP Archive format 1.2. */
interface TraceEntry {
  startedDateTime: string;
  time: number;
  request: object;
  response: object;
  cache: object;
  /** Milliseconds; -1 is not known. */
  timings: { blocked: number; dns: number; connect: number; send: number; wait: number; receive: number };
  comment?: string;
}

const general = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };

/** The request as an archive has it. */
function archiveEntry({ method, url, times, answer, ...request }: TracedRequest): TraceEntry {
  const { blocked, connect, wait, receive } = times;
  return {
    startedDateTime: new Date(request.begun - blocked).toISOString(),
    time: blocked + connect + wait + receive,
    request: {
      ...general,
      method,
      url,
      headers: request.headers,
      queryString: URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [],
      bodySize: request.size ?? -1,
    },
    response: {
      ...general,
      status: request.status,
      statusText: "",
      headers: answer?.headers ?? [],
      content: { size: answer?.size ?? 0, mimeType: answer?.type ?? "x-unknown" },
      redirectURL: "",
      bodySize: answer?.size ?? -1,
    },
    cache: {},
    timings: { blocked, dns: -1, connect, send: 0, wait, receive },
    comment: commentOn(request),
  };
}

const commentOn = ({ call, id, fault }: Pick<TracedRequest, "call" | "id" | "fault">): string =>
  [
    ...(call ? [call.operation, `attempt ${call.attempt}`] : ["upload"]),
    ...(id === undefined ? [] : [`request id ${id}`]),
    ...(fault ? [fault.message] : []),
  ].join(", ");
