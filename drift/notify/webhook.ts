import { createHmac } from "node:crypto";
import type { Environment } from "../../io/files/user-folders";
import { createDispatcher } from "../../provider/api/http/dispatcher";
import { NetworkError, transientErrors } from "../../provider/api/http/network-faults";
import { FailedTry, parseRetryHeaders, pauseBefore, retry } from "../../provider/api/http/retry";
import { createSend, defaultLimits, type HttpResponse, type Send } from "../../provider/api/http/transport";
import { parseAddress } from "../../provider/api/settings/endpoint";
import { abortingAt, type Time } from "../../provider/api/time";
import { omitUndefined } from "../../provider/core/values/values";

/** Where messages go. Path and query of such an address are secret and never displayed. */
export interface Webhook {
  url: URL;
  /** The part that may be displayed. */
  displayUrl: string;
}

/** Reads the address of a webhook; `refuse` gets the reason if it is malformed. */
export function parseWebhook(text: string, refuse: (reason: string) => never): Webhook {
  const { url } = parseAddress(text, refuse);
  if (url.hash !== "") refuse("has a fragment");
  return { url, displayUrl: `${url.origin}/…` };
}

interface WebhookMessage {
  id: string;
  contentType: string;
  body: string;
}

interface DeliveryContext {
  env: Environment;
  time: Time;
  signal: AbortSignal;
}

/** What became of a request that no receiver took: `answered 500 (after 4 attempts)`. The address is not in it. */
export class UndeliveredError extends Error {
  override readonly name = "UndeliveredError";
}

/** Tries of one message, milliseconds that one may take, and all of them together. */
export const delivery = { tries: 4, tryMs: 10_000, allMs: 60_000 } as const;

/** Statuses that may be over the next time. */
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Sends a message until the receiver takes it. Rejects with `UndeliveredError`, or with the signal's reason. */
export async function deliver(
  { url }: Webhook,
  message: WebhookMessage,
  secret: string | undefined,
  around: DeliveryContext,
): Promise<void> {
  const { env, time, signal } = around;
  const limits = { ...defaultLimits, connect: delivery.tryMs, headers: delivery.tryMs, body: delivery.tryMs };
  const dispatcher = createDispatcher(env, limits);
  const send = createSend(() => dispatcher, { limits });
  try {
    await retry((attempt) => tryOnce({ url, message, secret, send, attempt }, around), {
      time,
      signal,
      deadline: time.now() + delivery.allMs,
    });
  } finally {
    await dispatcher.close();
  }
}

interface DeliveryAttempt {
  url: URL;
  message: WebhookMessage;
  secret: string | undefined;
  send: Send;
  attempt: number;
}

async function tryOnce(
  { url, message, secret, send, attempt }: DeliveryAttempt,
  { time, signal }: DeliveryContext,
): Promise<void> {
  const ended = new AbortController();
  const expired = abortingAt(time.now() + delivery.tryMs, time, ended.signal);
  const timestamp = Math.floor(time.now() / 1000);
  const tried = attempt === 1 ? "" : ` (after ${attempt} attempts)`;
  const failedAttempt = (why: string, passes: boolean, advice = {}): FailedTry => {
    const again = passes && attempt < delivery.tries;
    return new FailedTry(
      new UndeliveredError(`${why}${again ? "" : tried}`),
      again ? pauseBefore(attempt, { advice }, time.random) : undefined,
      why,
    );
  };
  let answer: HttpResponse;
  try {
    answer = await send({
      origin: url.origin,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: {
        "content-type": message.contentType,
        ...webhookHeaders({ id: message.id, timestamp, body: message.body }, secret),
      },
      body: message.body,
      signal: AbortSignal.any([signal, expired]),
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (expired.aborted) throw failedAttempt(`did not answer within ${delivery.tryMs / 1000} s`, true);
    if (!(error instanceof NetworkError)) throw error;
    throw failedAttempt(error.message, transientErrors.has(error.kind));
  } finally {
    ended.abort();
  }
  if (answer.status >= 200 && answer.status < 300) return;
  throw failedAttempt(
    `answered ${answer.status}`,
    passing.has(answer.status),
    parseRetryHeaders(answer.headers, time.now()),
  );
}

interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * Headers of a message by Standard Webhooks: its id, the time of the try, and, with a secret, an HMAC over both and the
 * body, so that nobody else can send one or send one again later.
 */
const webhookHeaders = (message: SignedMessage, secret: string | undefined): Record<string, string> =>
  omitUndefined({
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": secret === undefined ? undefined : `v1,${signatureOf(message, secret)}`,
  });

const signatureOf = ({ id, timestamp, body }: SignedMessage, secret: string): string =>
  createHmac("sha256", keyIn(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");

/** A secret of Standard Webhooks is base64 behind a prefix; any other text is the key itself. */
const keyIn = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret, "utf8");
