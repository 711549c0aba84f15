import type { FieldChange } from "../../core/comparison/diff";
import { type Records, recordsIn, type UploadedFile } from "../../core/declaration/own-fields";
import type { ResourceSpec, Uploads } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { isModelPlatformError, ModelPlatformError } from "../../core/errors";
import { containsUnknown, omitUndefined } from "../../core/values/values";
import type { ComparedResource, Operation } from "../operation";
import type { Files, LiveObject, LocalFile } from "../ports";
import { availableFiles, fileChangedError, localFiles, type NamedFile, type Source, sourceOf } from "../sources";
import type { Reporter, Values } from "../types";
import { waitForGoal } from "../waiting/operation-waits";
import { failureText } from "../waiting/wait";

/** Files sent at once. */
const atOnce = 4;

export type UploadedFiles = Record<string, UploadedFile>;

/** The record of the files that have arrived so far; none for an object without files. */
export const uploadRecord = (
  spec: ResourceSpec,
  inputs: Values,
  recorded: Partial<Records> = {},
): { uploads?: UploadedFiles } => (sourceOf(spec, inputs) ? { uploads: { ...recorded.uploads } } : {});

/**
 * Whether the file is the one that was sent. Reads its content only if its size is the same and it was touched since.
 */
async function isUploaded(
  files: Files,
  file: NamedFile,
  sent: UploadedFile | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (sent === undefined || sent.size !== file.size) return false;
  return sent.touched === file.touched || (await files.digest(toLocalFile(file), signal)) === sent.digest;
}

const toLocalFile = ({ path, size, touched }: NamedFile): LocalFile => ({ path, size, touched });

/** What an update would have to send, or have validated, although no input shows it. */
export async function uploadChanges({ ports, spec, call, outputs, inputs }: ComparedResource): Promise<FieldChange[]> {
  const property = spec.uploads?.from;
  if (property === undefined || !sourceOf(spec, inputs) || containsUnknown(inputs[property])) return [];
  const sent = recordsIn(outputs).uploads ?? {};
  const change = (path: string): FieldChange => ({
    path,
    property,
    desired: undefined,
    live: undefined,
    effect: "update",
    beneathInputs: true,
  });
  if (phaseOf(spec.lifecycle, outputs) !== "ready") return [change(property)];
  for (const file of await availableFiles(ports.machine.files, spec, inputs))
    if (!(await isUploaded(ports.machine.files, file, sent[file.name], call.signal))) return [change(property)];
  return [];
}

/**
 * Sends the program's files that have not arrived yet, has them validated and waits until the object is ready. Updates
 * `sent` as files arrive, so that a later run sends only the rest. Returns the object as it is then.
 */
export async function uploadFiles(
  operation: Operation,
  inputs: Values,
  object: LiveObject,
  sent: UploadedFiles,
): Promise<LiveObject> {
  const { spec, ports, call } = operation;
  const source = sourceOf(spec, inputs);
  if (!source || !spec.uploads) return object;
  const files = await localFiles(ports.machine.files, spec, inputs);
  const missing: NamedFile[] = [];
  for (const file of files) {
    const known = sent[file.name];
    if (known && (await isUploaded(ports.machine.files, file, known, call.signal)))
      sent[file.name] = { ...known, touched: file.touched };
    else missing.push(file);
  }
  for (const name of Object.keys(sent)) if (!files.some((file) => file.name === name)) delete sent[name];
  if (missing.length === 0 && phaseOf(spec.lifecycle, object) === "ready") return object;
  const name = object.name;
  if (missing.length > 0) await uploadAll({ operation, name, uploads: spec.uploads, source, sent }, files, missing);
  return validate(operation, object, sent);
}

interface UploadJob {
  operation: Operation;
  name: string;
  uploads: Uploads;
  source: Source;
  sent: UploadedFiles;
}

/** The first failure ends them all. */
async function uploadAll(
  sending: UploadJob,
  files: readonly NamedFile[],
  missing: readonly NamedFile[],
): Promise<void> {
  const { call } = sending.operation;
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const addresses = await addressesOf(sending, files);
  const progress = progressOf(call.reporter, missing);
  await eachLimit(missing, atOnce, (file) =>
    uploadOne({ ...sending, progress, signal }, file, addresses[file.name]).catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
}

interface FileUpload extends UploadJob {
  progress: UploadProgress;
  signal: AbortSignal;
}

async function uploadOne(sending: FileUpload, file: NamedFile, first: string | undefined): Promise<void> {
  const { operation, source, sent, progress, signal } = sending;
  const { files } = operation.ports.machine;
  const digest = await files.digest(toLocalFile(file), signal);
  await operation.objects.upload({
    name: file.name,
    size: file.size,
    resumable: source.enableResumableUpload === true,
    address: async (refused) =>
      requireAddress(operation, file, refused === undefined ? first : (await addressesOf(sending, [file]))[file.name]),
    open: (from) => files.open(toLocalFile(file), from),
    onProgress: (bytes) => progress.sent(file.name, bytes),
    onWait: operation.call.reporter.status,
    deadline: operation.deadline,
    signal,
  });
  const after = await files.stat(file.path);
  if (after.size !== file.size || (after.touched !== file.touched && (await files.digest(after, signal)) !== digest))
    throw fileChangedError(file);
  sent[file.name] = { digest, size: file.size, touched: after.touched };
  progress.arrived();
}

async function addressesOf(
  { operation, name, uploads, source }: UploadJob,
  files: readonly NamedFile[],
): Promise<Readonly<Record<string, string>>> {
  const { verb, sizes, addresses, resumable } = uploads.endpoint;
  const body = omitUndefined({
    [sizes]: Object.fromEntries(files.map((file) => [file.name, file.size])),
    [resumable]: source.enableResumableUpload === true || undefined,
  });
  const response = await operation.objects.verb(name, verb, body);
  return (response[addresses] ?? {}) as Record<string, string>;
}

function requireAddress(operation: Operation, file: NamedFile, address: string | undefined): string {
  if (typeof address === "string" && address !== "") return address;
  throw new ModelPlatformError(`the service gave no address to upload \`${file.name}\` to`, {
    code: "no-upload-address",
    advice: `Check that the name is one that a ${operation.spec.kind} can have, and that the key may upload.`,
  });
}

/** Has the service validate the uploaded files. Rejected files count as not sent, so the next run sends them again. */
async function validate(operation: Operation, before: LiveObject, sent: UploadedFiles): Promise<LiveObject> {
  const { spec, objects, call } = operation;
  const name = before.name;
  call.reporter.status("validating the upload");
  try {
    await objects.verb(name, spec.uploads!.validate, undefined);
  } catch (error) {
    if (isModelPlatformError(error) && error.status === 400) forget(sent);
    throw error;
  }
  const isRefused = (object: LiveObject): boolean =>
    hasUploadError(object) && JSON.stringify(object["status"]) !== JSON.stringify(before["status"]);
  const end = await waitForGoal(operation, {
    name,
    path: null,
    isInTransition: true,
    condition: {
      isSatisfied: (object) =>
        object !== undefined && (phaseOf(spec.lifecycle, object) === "ready" || isRefused(object)),
      endsOnFailure: true,
    },
  });
  if (end.how === "reached" && end.last && phaseOf(spec.lifecycle, end.last) === "ready") return end.last;
  if (end.last && isRefused(end.last)) {
    forget(sent);
    throw new ModelPlatformError(
      `${operation.title(name)}: the service refused the uploaded files: ${failureText(operation.spec, end.last)}`,
      { code: "upload-refused", advice: "Correct the files and run `up` again." },
    );
  }
  throw new ModelPlatformError(`${operation.title(name)} is not ready after its upload: ${end.detail}`, {
    code: "upload-unready",
    advice: "Run `up` again to have it validated and to keep waiting, or give it more time with `timeouts`.",
  });
}

function hasUploadError(object: LiveObject): boolean {
  const code = (object["status"] as Values | null | undefined)?.["code"];
  return typeof code === "string" && code !== "" && code !== "OK";
}

function forget(sent: UploadedFiles): void {
  for (const name of Object.keys(sent)) delete sent[name];
}

interface UploadProgress {
  sent(name: string, bytes: number): void;
  arrived(): void;
}

/** Reports upload progress, once per percent. */
function progressOf({ status }: Reporter, files: readonly NamedFile[]): UploadProgress {
  const bytes = new Map<string, number>();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  let last = "";
  const reportProgress = (): void => {
    const percent =
      total === 0 ? 100 : Math.floor((100 * [...bytes.values()].reduce((sum, part) => sum + part, 0)) / total);
    const text = `uploading ${Math.min(done + 1, files.length)} of ${files.length} files, ${percent} %`;
    if (text !== last) status((last = text));
  };
  reportProgress();
  return {
    sent: (name, part) => {
      bytes.set(name, part);
      reportProgress();
    },
    arrived: () => {
      done += 1;
      reportProgress();
    },
  };
}

/**
 * Does `work` for every item in their order, at most `limit` at once. Once it has failed for one, no more begin;
 * rejects with that failure when all that have begun are over.
 */
async function eachLimit<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()];
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !failure; next = waiting.shift())
      await work(next[1], next[0]).catch((error: unknown) => {
        failure ??= { error };
      });
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure) throw failure.error;
}
