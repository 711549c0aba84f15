import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { AbortedError, ConfigurationError, isConfigurationError } from "../../core/errors";
import { containsUnknown } from "../../core/values/unknowns";
import type { Files, LocalFile, LocalMachine } from "../ports/ports";
import type { Values } from "../types";
import { valuesFromSources } from "./secrets";

/** Reads what an object is made from on this machine. Throws for the first source that is missing. */
export async function requireSources(machine: LocalMachine, spec: ResourceSpec, inputs: Values): Promise<void> {
  await valuesFromSources(machine, inputs);
  await localFiles(machine.files, spec, inputs);
}

/**
 * Why the value or the files that an object is made of cannot be read on this machine.
 * What is not known yet is not looked for.
 */
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

/**
 * The files that a program gives, or none. One that is not there is an error, so that
 * nothing is made for files that do not exist.
 */
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
      { advice: "Give at least one file; those whose name starts with a dot count only in `files`." },
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
      throw new ConfigurationError(`\`${path}\` is not a file`, { advice: "Name files only, or their folder." });
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
          throw new AbortedError(`reading \`${file.path}\` was cancelled by the caller`, {
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
    advice: "Run `up` again once nothing is writing to it.",
  });

const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException | undefined)?.syscall === "string";

const unreadableError = (path: string, cause: unknown): ConfigurationError =>
  new ConfigurationError(`\`${path}\` cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown error"})`, {
    advice: "Make it readable where Pulumi runs; relative paths begin at the folder of the program.",
    cause,
  });

function throwUnreadable(path: string, cause: unknown): never {
  throw unreadableError(path, cause);
}
