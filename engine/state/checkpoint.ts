import { gunzipSync, gzipSync } from "node:zlib";
import { Decompress } from "fzstd";
import { ceilings } from "../../io/files/read";
import { canonicalJson } from "../../io/text/canonical-json";
import { emptySnapshot, type Purpose, readDeployment, unknownVersion, writeDeployment } from "./deployment";
import { isObject, type JsonObject, type Snapshot } from "./resource-state";
import { DamagedStateError } from "./shapes";

/** The document of `pulumi stack export`. */
export interface DeploymentDocument {
  version: 3 | 4;
  features?: string[];
  deployment: JsonObject;
}

/**
 * Reads a state file of version 3 or 4, plain, gzip or zstd. Secrets stay as they are in the file. Throws, naming the
 * Pulumi CLI, for another version, and for an unsupported feature unless the state is only inspected.
 */
export function readCheckpoint(bytes: Uint8Array, purpose?: Purpose): Snapshot {
  return checkpointIn(parse(bytes), purpose);
}

/** Reads a parsed state file. */
export function checkpointIn(file: JsonObject, purpose?: Purpose): Snapshot {
  const checkpoint = file["checkpoint"];
  if (!isObject(checkpoint)) throw damagedStateError("it has no `checkpoint`");
  const latest = checkpoint["latest"];
  const { version, features } = file;
  if (isObject(latest)) return readDeployment(version, features, latest, purpose);
  if (latest !== undefined && latest !== null) throw damagedStateError("its `latest` is not an object");
  // A stack that never had an update may have no deployment, in any older version of the format. A later version may
  // keep it elsewhere: treated as empty, it would be overwritten.
  if (Number(version) > 4) throw unknownVersion(version);
  return emptySnapshot(new Date(0));
}

/**
 * `stack` is the full name, `organization/<project>/<stack>`. Throws for a secret that is not ciphertext. Freezes the
 * resources: see `StackFiles.save`. The result uses `room`, or a larger buffer.
 */
export function writeCheckpoint(snapshot: Snapshot, stack: string, room: Buffer = Buffer.alloc(0)): Buffer {
  const { version, features, json, isOpen } = writeDeployment(snapshot);
  if (isOpen)
    throw new Error("The state holds a secret in the clear, and was not written. It must be encrypted first.");
  const needed = features.length > 0 ? `"features":${canonicalJson(features)},` : "";
  return joinBuffers(
    [
      Buffer.from(`{"version":${version},${needed}"checkpoint":{"stack":${JSON.stringify(stack)},"latest":`),
      ...json,
      Buffer.from("}}"),
    ],
    room,
  );
}

/** A new buffer leaves room for the following states, which are usually larger. */
function joinBuffers(pieces: readonly Buffer[], room: Buffer): Buffer {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const into = room.length >= size ? room : Buffer.allocUnsafeSlow(Math.ceil(size * 1.5));
  let at = 0;
  for (const piece of pieces) {
    into.set(piece, at);
    at += piece.length;
  }
  return into.subarray(0, size);
}

/** Secrets stay as they are: seal or show them first. Freezes the resources. */
export function exportDeployment(snapshot: Snapshot): DeploymentDocument {
  const { version, features, json } = writeDeployment(snapshot);
  const deployment = JSON.parse(Buffer.concat(json).toString("utf8"));
  return features.length > 0 ? { version, features, deployment } : { version, deployment };
}

/** Takes the parsed document; its secrets may be ciphertext or plain text. */
export function importDeployment(document: unknown, purpose?: Purpose): Snapshot {
  const deployment = isObject(document) ? document["deployment"] : undefined;
  if (!isObject(document) || !isObject(deployment)) {
    throw new Error(
      "This is not a stack export: it needs `version` and `deployment`, as `pulumi stack export` writes them.",
    );
  }
  return readDeployment(document["version"], document["features"], deployment, purpose);
}

function parse(bytes: Uint8Array): JsonObject {
  let file: unknown;
  try {
    file = parsePacked(bytes);
  } catch (error) {
    throw damagedStateError(error instanceof Error ? error.message : String(error), error);
  }
  if (!isObject(file)) throw damagedStateError("it is not a JSON object");
  return file;
}

function damagedStateError(why: string, cause?: unknown): DamagedStateError {
  return new DamagedStateError(why, undefined, undefined, { cause });
}

export type Compression = "" | ".gz" | ".zst";
const gzipStart = [0x1f, 0x8b];
const zstdStart = [0x28, 0xb5, 0x2f, 0xfd];

/** States compress to at most a thirtieth; a ratio above forty means a decompression bomb. */
const maxRatio = 40;
const alwaysFits = 32 * 1024 * 1024;

/** Unpacks by content, not by name, as Pulumi does. Throws for a decompression bomb. */
export function unpack(bytes: Uint8Array): Uint8Array {
  const ceiling = Math.min(ceilings.state, Math.max(alwaysFits, bytes.length * maxRatio));
  if (startsWith(bytes, gzipStart)) return gunzip(bytes, ceiling);
  if (startsWith(bytes, zstdStart)) return decompress(bytes, ceiling);
  return bytes;
}

const tooLargeError = (ceiling: number): Error =>
  new Error(`unpacked it is larger than ${Math.floor(ceiling / 1024 / 1024)} MB, which no state of its size is`);

function gunzip(bytes: Uint8Array, ceiling: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: ceiling });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLargeError(ceiling) : error;
  }
}

function decompress(bytes: Uint8Array, ceiling: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((piece) => {
    size += piece.length;
    if (size > ceiling) throw tooLargeError(ceiling);
    pieces.push(Uint8Array.from(piece));
  });
  stream.push(bytes, true);
  return Buffer.concat(pieces);
}

const comma = 0x2c;
const brace = 0x7b;
const bracket = 0x5b;
const maxSmallMembers = 1_000_000;

/** Bytes per member: a state has more than ten. */
const minBytesPerMember = 5;

/**
 * Parses a packed or plain JSON file. Throws if it has so many small members that they would take many times its size.
 */
export function parsePacked(bytes: Uint8Array): unknown {
  const plain = unpack(bytes);
  const members = plain.length > maxSmallMembers ? membersIn(plain) : 0;
  if (members > maxSmallMembers && plain.length / members < minBytesPerMember)
    throw new Error(`it has ${members} members in ${plain.length} bytes, which no state has`);
  try {
    return JSON.parse(new TextDecoder().decode(plain));
  } catch {
    // The parser's own words quote the file, which may be a link to somebody's keys.
    throw new Error("it is not JSON");
  }
}

/** By index: the iterator of so many bytes takes longer than to parse them. */
function membersIn(plain: Uint8Array): number {
  let members = 0;
  for (let at = 0; at < plain.length; at++) {
    const byte = plain[at];
    if (byte === comma || byte === brace || byte === bracket) members++;
  }
  return members;
}

/** Node 20 writes no zstd: such a file becomes a plain one, which Pulumi reads as well. */
export function pack(bytes: Uint8Array, compression: Compression): { bytes: Uint8Array; compression: Compression } {
  return compression === ".gz" ? { bytes: gzipSync(bytes), compression: ".gz" } : { bytes, compression: "" };
}

function startsWith(bytes: Uint8Array, start: number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
