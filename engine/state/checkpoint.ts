import { canonicalJson } from "../../io/text/canonical-json";
import { parsePacked } from "./compression";
import { emptySnapshot, type Purpose, readDeployment, unknownVersion, writeDeployment } from "./deployment";
import { isObject, type JsonObject } from "./json-object";
import type { Snapshot } from "./types";

export { emptySnapshot };

/** The document of `pulumi stack export`. */
export interface DeploymentDocument {
  version: 3 | 4;
  features?: string[];
  deployment: JsonObject;
}

/**
 * Reads a state file of version 3 or 4, plain, gzip or zstd. Secrets stay as they are in the file. Throws, naming the
 * Pulumi CLI, for another version or, unless it is only looked at, a feature that cannot be honoured.
 */
export function readCheckpoint(bytes: Uint8Array, purpose?: Purpose): Snapshot {
  return checkpointIn(parse(bytes), purpose);
}

/** The same of a file that has been parsed. */
export function checkpointIn(file: JsonObject, purpose?: Purpose): Snapshot {
  const checkpoint = file["checkpoint"];
  if (!isObject(checkpoint)) throw damaged("it has no `checkpoint`");
  const latest = checkpoint["latest"];
  const { version, features } = file;
  if (isObject(latest)) return readDeployment(version, features, latest, purpose);
  // A stack that never had an update may have no deployment, whatever older version wrote it. A later version may
  // keep it elsewhere: taken for empty, it would be written over.
  if (Number(version) > 4) throw unknownVersion(version);
  return emptySnapshot(new Date(0));
}

/**
 * `stack` is the full name, `organization/<project>/<stack>`. Throws for a secret that is not ciphertext.
 * Freezes the resources: see `StackFiles.save`. The answer is in `room`, or in larger memory of its own.
 */
export function writeCheckpoint(snapshot: Snapshot, stack: string, room: Buffer = Buffer.alloc(0)): Buffer {
  const { version, features, json, isOpen } = writeDeployment(snapshot);
  if (isOpen)
    throw new Error("The state holds a secret in the clear, and was not written. It must be encrypted first.");
  const needed = features.length > 0 ? `"features":${canonicalJson(features)},` : "";
  return joined(
    [
      Buffer.from(`{"version":${version},${needed}"checkpoint":{"stack":${JSON.stringify(stack)},"latest":`),
      ...json,
      Buffer.from("}}"),
    ],
    room,
  );
}

/** In new memory, there is room for the next states, too, which are usually larger. */
function joined(pieces: readonly Buffer[], room: Buffer): Buffer {
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
    throw damaged(error instanceof Error ? error.message : String(error), error);
  }
  if (!isObject(file)) throw damaged("it is not a JSON object");
  return file;
}

/** The file is no state, or not a whole one. */
export class DamagedState extends Error {
  override readonly name = "DamagedState";
  constructor(
    readonly why: string,
    readonly file = "The state file",
    advice = "",
    options?: ErrorOptions,
  ) {
    super(`${file} cannot be read as a state: ${why}.${advice}`, options);
  }
}

function damaged(why: string, cause?: unknown): DamagedState {
  return new DamagedState(why, undefined, undefined, { cause });
}
