import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ConfigurationError, isConfigurationError } from "../../core/errors";
import { containsUnknown, isUnknown } from "../../core/values/unknowns";
import type { Files, LocalFile, LocalMachine } from "../ports/ports";
import type { Values } from "../types";

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

/**
 * The value of a secret that the program keeps outside itself: an environment variable or a file, read when it is
 * needed (A054). While the source is unknown, so is the value.
 */
export async function valuesFromSources(machine: LocalMachine, inputs: Values): Promise<Values> {
  const source = optionsIn(inputs).valueFrom;
  if (source === undefined || source === null || typeof source !== "object") return {};
  const { env, file } = source as { env?: string; file?: string };
  if (isUnknown(env ?? file)) return { value: env ?? file };
  if (env !== undefined) return { value: fromEnvironment(machine, env) };
  if (file !== undefined) return { value: await fromFile(machine, file) };
  return {};
}

/** The same for a preview: a source that is not available has no value. */
export const valuesAtHand = (machine: LocalMachine, inputs: Values): Promise<Values> =>
  valuesFromSources(machine, inputs).catch((error: unknown) =>
    isConfigurationError(error) ? {} : Promise.reject(error),
  );

/**
 * The same machine, of which each file is read once: what an operation has found there is what it sends and records,
 * whatever is written to the file meanwhile.
 */
export function readingOnce(machine: LocalMachine): LocalMachine {
  const texts = new Map<string, Promise<string>>();
  return {
    ...machine,
    readFile(path) {
      const text = texts.get(path) ?? machine.readFile(path);
      texts.set(path, text);
      return text;
    },
  };
}

function fromEnvironment({ env }: LocalMachine, name: string): string {
  const value = env[name];
  // Of `process.env`, what every object has would be a function.
  if (typeof value !== "string" || value === "")
    throw new ConfigurationError(`\`valueFrom.env\` names the environment variable \`${name}\`, which is not set`, {
      advice: "Set it where Pulumi runs, or give another source.",
    });
  return value;
}

async function fromFile(machine: LocalMachine, path: string): Promise<string> {
  try {
    return (await machine.readFile(path)).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigurationError(`\`valueFrom.file\` names \`${path}\`, which cannot be read (${reason})`, {
      advice: "Make it readable where Pulumi runs, or give another source.",
      cause,
    });
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
export const filesAtHand = (files: Files, spec: ResourceSpec, inputs: Values): Promise<readonly NamedFile[]> =>
  localFiles(files, spec, inputs).catch((error: unknown) => (isConfigurationError(error) ? [] : Promise.reject(error)));
