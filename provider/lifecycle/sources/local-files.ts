import type { ResourceSpec } from "../../core/declaration/resource";
import { ConfigurationError, isConfigurationError } from "../../core/errors";
import type { Files, LocalFile } from "../ports/ports";
import type { Values } from "../types";

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
  return Promise.all(paths.map(async ([name, path]) => ({ name, ...(await files.look(path)) })));
}

/** The same for a preview: files that are not on this machine count as sent. */
export const filesAtHand = (files: Files, spec: ResourceSpec, inputs: Values): Promise<readonly NamedFile[]> =>
  localFiles(files, spec, inputs).catch((error: unknown) => (isConfigurationError(error) ? [] : Promise.reject(error)));
