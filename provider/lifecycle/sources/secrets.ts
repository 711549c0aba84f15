import { createHash, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../../../io/text/canonical-json";
import type { UnchangedTest } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import { type Records, recordsIn } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ConfigurationError, isConfigurationError } from "../../core/errors";
import { differences, isCompared } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { isUnknown } from "../../core/values/unknowns";
import type { LocalMachine } from "../ports/ports";
import type { Values } from "../types";

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
export const availableSecretValues = (machine: LocalMachine, inputs: Values): Promise<Values> =>
  valuesFromSources(machine, inputs).catch((error: unknown) =>
    isConfigurationError(error) ? {} : Promise.reject(error),
  );

/**
 * The same machine, of which each file is read once: what an operation has found there is what it sends and records,
 * whatever is written to the file meanwhile.
 */
export function cachingReads(machine: LocalMachine): LocalMachine {
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

/** Salted digest of a value that is never answered: it detects a change, and is a secret itself (A054). */
function digestOf(value: string, salt: string): string {
  return `${salt}:${createHash("sha256").update(salt).update(value).digest("hex")}`;
}

function matches(value: string, digest: string): boolean {
  const [salt = ""] = digest.split(":");
  const [left, right] = [Buffer.from(digestOf(value, salt)), Buffer.from(digest)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Digests to record, one per field that the service accepts and never answers. */
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

/** Secrets that answers contain, masked or not. */
const returnedSecrets = ({ fields }: ResourceSpec): readonly Field[] =>
  fields.message.filter(({ markers }) => markers.secret && !markers.inputOnly && !markers.volatile);

/**
 * Digests of secrets as the service answered them to an own write, where that is not how they were sent: a masked key
 * says nothing, and stands for the one that was sent until it changes (A033).
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

/** Of recorded digests those of answered secrets, which stand as long as nothing else is answered. */
export function digestsOfSecrets(spec: ResourceSpec, { digests = {} }: Partial<Records>): Record<string, string> {
  const names = returnedSecrets(spec).map(({ name }) => name);
  return Object.fromEntries(Object.entries(digests).filter(([name]) => names.includes(name)));
}

/** Outputs without the digests of values that are never answered: the next diff writes them again. */
export function withoutUnanswered<T extends Values>(spec: ResourceSpec, outputs: T): T {
  const { digests } = recordsIn(outputs);
  return digests === undefined ? outputs : { ...outputs, digests: digestsOfSecrets(spec, { digests }) };
}

/** The object with secrets as they were sent, where it shows them as the service answered them then. */
export function restoreSentSecrets<T extends Values>(spec: ResourceSpec, live: T, recorded: Values): T {
  const { digests = {} } = recordsIn(recorded);
  const masked = returnedSecrets(spec).filter(
    ({ name }) => digests[name] !== undefined && matches(canonicalJson(live[name] ?? null), digests[name]),
  );
  if (masked.length === 0) return live;
  return { ...live, ...Object.fromEntries(masked.map(({ name }) => [name, recorded[name]])) };
}

/**
 * Compares never-answered fields of a diff by their digests; `values` holds what the program's own sources give now.
 */
export const unchangedBy =
  (values: Values): UnchangedTest =>
  (field, inputs, digest) => {
    const value = values[field.name] ?? inputs[field.name];
    if (value === undefined || value === null) return true;
    if (isUnknown(value) || digest === undefined) return false;
    return matches(String(value), digest);
  };
