import { createHmac, timingSafeEqual } from "node:crypto";
import { Refusal } from "../types";
import type { SortKey } from "./order";

/** What a token is valid for: it MUST include everything that the next call has to repeat (A095). */
export type Bond = readonly string[];

/**
 * A token that leads to what comes after `place`, for calls with the same bond only.
 * Holds no state, so that it outlives a restart.
 */
export function tokenFor(place: SortKey, bond: Bond): string {
  const cursor = Buffer.from(JSON.stringify(place)).toString("base64url");
  return `${cursor}.${seal(cursor, bond).toString("base64url")}`;
}

/**
 * The place a token leads to. Throws a `Refusal` for one that was made up, changed, or
 * given to another caller or for other parameters.
 */
export function placeOf(token: string, bond: Bond): SortKey {
  const [cursor = "", signature = "", ...rest] = token.split(".");
  const given = Buffer.from(signature, "base64url");
  const expected = seal(cursor, bond);
  // The comparison by text refuses other spellings of the same bytes.
  const genuine =
    rest.length === 0 &&
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    given.toString("base64url") === signature;
  if (!genuine)
    throw new Refusal(
      400,
      3,
      "invalid page_token: it was not given to this caller for this list with the same parameters; send the parameters it came with, or start again without it",
    );
  return JSON.parse(Buffer.from(cursor, "base64url").toString()) as SortKey;
}

const seal = (cursor: string, bond: Bond): Buffer =>
  createHmac("sha256", JSON.stringify(bond)).update(cursor).digest().subarray(0, 16);
