import { createHmac } from "node:crypto";
import { defined } from "../../provider/core/values/defined";

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
export const webhookHeaders = (message: SignedMessage, secret: string | undefined): Record<string, string> =>
  defined({
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": secret === undefined ? undefined : `v1,${signatureOf(message, secret)}`,
  });

const signatureOf = ({ id, timestamp, body }: SignedMessage, secret: string): string =>
  createHmac("sha256", keyIn(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");

/** A secret of Standard Webhooks is base64 behind a prefix; any other text is the key itself. */
const keyIn = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret, "utf8");
