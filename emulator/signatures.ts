import { createHash } from "node:crypto";

/** How long a signed address holds, in milliseconds of the emulator's clock. */
const validFor = 60 * 60_000;

/** What an address is signed for. */
interface Signed {
  store: "uploads" | "downloads";
  /** Resource name of the model. */
  model: string;
  file: string;
}

/** A signature that is another one each time (A097). It keeps nothing, and holds out nobody who reads this file. */
export const signatureFor = (signed: Signed, now: number, nonce: string): string =>
  `${now + validFor}.${nonce}.${seal(signed, now + validFor, nonce)}`;

/** Whether the signature is for this and still holds. */
export function isSignatureFor(signed: Signed, signature: string, now: number): boolean {
  const [until = "", nonce = "", sealed] = signature.split(".");
  return Number(until) >= now && sealed === seal(signed, Number(until), nonce);
}

const seal = (signed: Signed, until: number, nonce: string): string =>
  createHash("sha256")
    .update(JSON.stringify([signed.store, signed.model, signed.file, until, nonce]))
    .digest("hex")
    .slice(0, 32);
