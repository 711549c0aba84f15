import { createHash, timingSafeEqual } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canonicalJson } from "../../io/text/canonical-json";
import type { UnchangedTest } from "../core/comparison/diff";
import { optionsIn, type Records, recordsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { AbortedError, ConfigurationError, isConfigurationError } from "../core/errors";
import { differences, isCompared } from "../core/fields/equality";
import type { Field } from "../core/fields/fields";
import { containsUnknown, isUnknown } from "../core/values/values";
import type { Files, LocalFile, LocalMachine } from "./ports";
import type { Values } from "./types";

type ReadFile = (path: string) => Promise<string>;

/**
 * Reads the value of a secret that a program keeps outside itself: an environment variable or a file, read when it is
 * needed (A054). While the source is unknown, so is the value.
 */
export const sourceReader =
  (variables: LocalMachine["env"], readFile: ReadFile): LocalMachine["valuesFrom"] =>
  async (source) => {
    if (source === undefined || source === null || typeof source !== "object") return {};
    const { env, file } = source as { env?: string; file?: string };
    if (isUnknown(env ?? file)) return { value: env ?? file };
    if (env !== undefined) return { value: fromEnvironment(variables, env) };
    if (file !== undefined) return { value: await fromFile(readFile, file) };
    return {};
  };

/** What the program keeps outside itself, as inputs. */
export const valuesFromSources = (machine: LocalMachine, inputs: Values): Promise<Values> =>
  machine.valuesFrom(optionsIn(inputs).valueFrom);

/** The same for a preview: a source that is not available has no value. */
export const availableSecretValues = (machine: LocalMachine, inputs: Values): Promise<Values> =>
  valuesFromSources(machine, inputs).catch((error: unknown) =>
    isConfigurationError(error) ? {} : Promise.reject(error),
  );

/**
 * The same machine, reading each source once: an operation sends and records the same value even if that changes
 * meanwhile.
 */
export function cachingReads(machine: LocalMachine): LocalMachine {
  const known = new Map<string, Promise<Values>>();
  return {
    ...machine,
    valuesFrom(source) {
      const key = JSON.stringify(source ?? null);
      const values = known.get(key) ?? machine.valuesFrom(source);
      known.set(key, values);
      return values;
    },
  };
}

function fromEnvironment(env: LocalMachine["env"], name: string): string {
  const value = env[name];
  // Inherited properties of `process.env` are functions.
  if (typeof value !== "string" || value === "")
    throw new ConfigurationError(`\`valueFrom.env\` names the environment variable \`${name}\`, which is not set`, {
      code: "source-unset",
      advice: "Set it where Pulumi runs, or give another source.",
    });
  return value;
}

async function fromFile(readFile: ReadFile, path: string): Promise<string> {
  try {
    return (await readFile(path)).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigurationError(`\`valueFrom.file\` names \`${path}\`, which cannot be read (${reason})`, {
      code: "source-unreadable",
      advice: "Make it readable where Pulumi runs, or give another source.",
      cause,
    });
  }
}

/** Salted digest of a value that responses never contain: it detects a change, and is a secret itself (A054). */
function digestOf(value: string, salt: string): string {
  return `${salt}:${createHash("sha256").update(salt).update(value).digest("hex")}`;
}

function matches(value: string, digest: string): boolean {
  const [salt = ""] = digest.split(":");
  const [left, right] = [Buffer.from(digestOf(value, salt)), Buffer.from(digest)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Digests to record, one per field that the service accepts and never returns. */
export function digestsOf(
  spec: ResourceSpec,
  values: Values,
  randomHex: (bytes: number) => string,
): Record<string, string> {
  const fields = spec.fields.message.filter(
    (field) => field.markers.inputOnly && typeof values[field.name] === "string",
  );
  return Object.fromEntries(fields.map((field) => [field.name, digestOf(String(values[field.name]), randomHex(16))]));
}

/** Secrets that responses contain, masked or not. */
const returnedSecrets = ({ fields }: ResourceSpec): readonly Field[] =>
  fields.message.filter(({ markers }) => markers.secret && !markers.inputOnly && !markers.volatile);

/**
 * Digests of secrets as the response to an own write had them, if that is not how they were sent: a masked key
 * represents the one that was sent until it changes (A033).
 */
export function digestsOfResponse(
  spec: ResourceSpec,
  { inputs, answer }: { inputs: Values; answer: Values },
  randomHex: (bytes: number) => string,
): Record<string, string> {
  const unlike = returnedSecrets(spec).filter(
    (field) =>
      isCompared(field) &&
      inputs[field.name] !== undefined &&
      differences(field, inputs[field.name], answer[field.name]).length > 0,
  );
  return Object.fromEntries(
    unlike.map(({ name }) => [name, digestOf(canonicalJson(answer[name] ?? null), randomHex(16))]),
  );
}

/** The recorded digests of returned secrets, which apply until another response. */
export function digestsOfSecrets(spec: ResourceSpec, { digests = {} }: Partial<Records>): Record<string, string> {
  const names = returnedSecrets(spec).map(({ name }) => name);
  return Object.fromEntries(Object.entries(digests).filter(([name]) => names.includes(name)));
}

/** Outputs without the digests of values that responses never contain: the next diff writes them again. */
export function withoutUnanswered<T extends Values>(spec: ResourceSpec, outputs: T): T {
  const { digests } = recordsIn(outputs);
  return digests === undefined ? outputs : { ...outputs, digests: digestsOfSecrets(spec, { digests }) };
}

/** The object with secrets as they were sent, if it still has what the service returned then. */
export function restoreSentSecrets<T extends Values>(spec: ResourceSpec, live: T, recorded: Values): T {
  const { digests = {} } = recordsIn(recorded);
  const masked = returnedSecrets(spec).filter(
    ({ name }) => digests[name] !== undefined && matches(canonicalJson(live[name] ?? null), digests[name]),
  );
  if (masked.length === 0) return live;
  return { ...live, ...Object.fromEntries(masked.map(({ name }) => [name, recorded[name]])) };
}

/**
 * Compares fields that responses never contain by their digests; `values` has the current values of the program's own
 * sources.
 */
export const unchangedBy =
  (values: Values): UnchangedTest =>
  (field, inputs, digest) => {
    const value = values[field.name] ?? inputs[field.name];
    if (value === undefined || value === null) return true;
    if (isUnknown(value) || digest === undefined) return false;
    return matches(String(value), digest);
  };

/** Reads what an object is made from on this machine. Throws for the first source that is missing. */
export async function requireSources(machine: LocalMachine, spec: ResourceSpec, inputs: Values): Promise<void> {
  await valuesFromSources(machine, inputs);
  await localFiles(machine.files, spec, inputs);
}

/** Why the value or the files of an object cannot be read on this machine. Ignores sources that are not known yet. */
export async function absentSources(machine: LocalMachine, spec: ResourceSpec, inputs: Values): Promise<string[]> {
  const from = [optionsIn(inputs).valueFrom, spec.uploads && inputs[spec.uploads.from]];
  if (containsUnknown(from)) return [];
  try {
    await requireSources(machine, spec, inputs);
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return [error.message];
  }
}

export interface Source {
  folder?: string;
  files?: Readonly<Record<string, string>>;
  enableResumableUpload?: boolean;
}

/** A file of the program's, by its name at the service. */
export interface NamedFile extends LocalFile {
  name: string;
}

export const sourceOf = ({ uploads }: ResourceSpec, inputs: Values): Source | undefined =>
  (uploads && (inputs[uploads.from] as Source | undefined)) ?? undefined;

/** The files that a program sends, or none. A missing file is an error, so that nothing is created for it. */
export async function localFiles(files: Files, spec: ResourceSpec, inputs: Values): Promise<readonly NamedFile[]> {
  const source = sourceOf(spec, inputs);
  if (!source) return [];
  const { folder } = source;
  const paths: [string, string][] =
    folder === undefined
      ? Object.entries(source.files ?? {})
      : (await files.below(folder)).map((name) => [name, `${folder}/${name}`]);
  if (paths.length === 0)
    throw new ConfigurationError(
      `\`${spec.uploads!.from}\` names no file${folder === undefined ? "" : `: \`${folder}\` holds none`}`,
      { code: "no-files", advice: "Give at least one file; those whose name starts with a dot count only in `files`." },
    );
  return Promise.all(paths.map(async ([name, path]) => ({ name, ...(await files.stat(path)) })));
}

/** The same for a preview: files that are not on this machine count as sent. */
export const availableFiles = (files: Files, spec: ResourceSpec, inputs: Values): Promise<readonly NamedFile[]> =>
  localFiles(files, spec, inputs).catch((error: unknown) => (isConfigurationError(error) ? [] : Promise.reject(error)));

/** Bytes per read. */
const pieceBytes = 256 * 1024;

/**
 * The files of this machine; relative paths begin at `base`. A file that was read for its digest is not read again
 * unless it changes.
 */
export function machineFiles(base = "."): Files {
  const digests = new Map<string, string>();

  async function fileAt(path: string): Promise<LocalFile> {
    const stats = await stat(resolve(base, path)).catch((cause: unknown) => throwUnreadable(path, cause));
    if (!stats.isFile())
      throw new ConfigurationError(`\`${path}\` is not a file`, {
        code: "not-a-file",
        advice: "Name files only, or their folder.",
      });
    return { path, size: stats.size, touched: stats.ctimeMs };
  }

  return {
    stat: fileAt,

    async below(folder) {
      const names: string[] = [];
      const visit = async (inside: string): Promise<void> => {
        const entries = await readdir(resolve(base, folder, inside), { withFileTypes: true }).catch((cause: unknown) =>
          throwUnreadable(join(folder, inside), cause),
        );
        for (const entry of entries.filter(({ name }) => !name.startsWith("."))) {
          const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
          if (entry.isDirectory()) await visit(name);
          else names.push(name);
        }
      };
      await visit("");
      return names.sort();
    },

    async digest(file, signal) {
      const key = JSON.stringify(file);
      const known = digests.get(key);
      if (known !== undefined) return known;
      const hash = createHash("sha256");
      for await (const piece of open(base, file, 0)) {
        if (signal.aborted)
          throw new AbortedError(`reading \`${file.path}\` was interrupted before it was done`, {
            cause: signal.reason,
          });
        hash.update(piece);
      }
      const digest = hash.digest("hex");
      digests.set(key, digest);
      return digest;
    },

    open: (file, from) => open(base, file, from),
  };
}

/** Reads as many bytes as the file had when it was examined, never more. */
async function* open(base: string, file: LocalFile, from: number): AsyncGenerator<Uint8Array> {
  if (from >= file.size) return;
  let place = from;
  const stream = createReadStream(resolve(base, file.path), {
    start: from,
    end: file.size - 1,
    highWaterMark: pieceBytes,
  });
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      place += piece.length;
      yield piece;
    }
  } catch (error) {
    throw isSystemError(error) ? unreadableError(file.path, error) : error;
  }
  if (place < file.size) throw fileChangedError(file);
}

export const fileChangedError = ({ path }: LocalFile): ConfigurationError =>
  new ConfigurationError(`\`${path}\` changed while it was read`, {
    code: "file-changed",
    advice: "Run `up` again once nothing is writing to it.",
  });

const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException | undefined)?.syscall === "string";

const unreadableError = (path: string, cause: unknown): ConfigurationError =>
  new ConfigurationError(`\`${path}\` cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown error"})`, {
    code: "file-unreadable",
    advice: "Make it readable where Pulumi runs; relative paths begin at the folder of the program.",
    cause,
  });

function throwUnreadable(path: string, cause: unknown): never {
  throw unreadableError(path, cause);
}
