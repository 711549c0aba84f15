import type { ClientSettings, Credential } from "../../api/types";
import { RedactedString } from "../../core/redact";
import type { Values } from "../types";

/** What a read has found: an object, objects, nothing, or why it was rejected. */
export type ReadEntry = { value?: Values; values?: readonly Values[]; readError?: string };

/** Reads by account and object or list. */
export type ReadEntries = Map<string, Promise<ReadEntry>>;

/**
 * What the preflights of one command have read, by the settings that they read with: an `up` starts with what its
 * preview has read.
 */
export class KnownReads {
  private readonly bySettings = new Map<string, ReadEntries>();

  of(settings: ClientSettings): ReadEntries {
    const { endpoint, credentials, keyPatterns, operations, dialect } = settings;
    const key = JSON.stringify([endpoint?.origin, credentials.map(plain), keyPatterns, operations, dialect?.value]);
    const known = this.bySettings.get(key) ?? new Map<string, Promise<ReadEntry>>();
    this.bySettings.set(key, known);
    return known;
  }
}

const plain = ({ account, endpoint, key }: Credential): unknown => [
  account,
  endpoint?.origin,
  key instanceof RedactedString ? key.reveal() : key,
];
