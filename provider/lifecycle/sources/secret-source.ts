import { optionsIn } from "../../core/declaration/options";
import { ConfigurationError, isConfigurationError } from "../../core/errors";
import { isUnknown } from "../../core/values/unknowns";
import type { Ports } from "../ports/ports";
import type { Values } from "../types";

/**
 * The value of a secret that the program keeps outside itself: an environment variable or a file, read when it is
 * needed (A054). While the source is unknown, so is the value.
 */
export async function valuesFromSources(ports: Pick<Ports, "env" | "readFile">, inputs: Values): Promise<Values> {
  const source = optionsIn(inputs).valueFrom;
  if (source === undefined || source === null || typeof source !== "object") return {};
  const { env, file } = source as { env?: string; file?: string };
  if (isUnknown(env ?? file)) return { value: env ?? file };
  if (env !== undefined) return { value: fromEnvironment(ports, env) };
  if (file !== undefined) return { value: await fromFile(ports, file) };
  return {};
}

/** The same for a preview: a source that is not available has no value. */
export const valuesAtHand = (ports: Pick<Ports, "env" | "readFile">, inputs: Values): Promise<Values> =>
  valuesFromSources(ports, inputs).catch((error: unknown) =>
    isConfigurationError(error) ? {} : Promise.reject(error),
  );

/**
 * The same ports, by which each file is read once: what an operation has found there is what it sends and records,
 * whatever is written to the file meanwhile.
 */
export function readingOnce<P extends Pick<Ports, "readFile">>(ports: P): P {
  const texts = new Map<string, Promise<string>>();
  return {
    ...ports,
    readFile(path) {
      const text = texts.get(path) ?? ports.readFile(path);
      texts.set(path, text);
      return text;
    },
  };
}

function fromEnvironment(ports: Pick<Ports, "env">, name: string): string {
  const value = ports.env[name];
  // Of `process.env`, what every object has would be a function.
  if (typeof value !== "string" || value === "")
    throw new ConfigurationError(`\`valueFrom.env\` names the environment variable \`${name}\`, which is not set`, {
      advice: "Set it where Pulumi runs, or give another source.",
    });
  return value;
}

async function fromFile(ports: Pick<Ports, "readFile">, path: string): Promise<string> {
  try {
    return (await ports.readFile(path)).replace(/\r?\n$/, "");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigurationError(`\`valueFrom.file\` names \`${path}\`, which cannot be read (${reason})`, {
      advice: "Make it readable where Pulumi runs, or give another source.",
      cause,
    });
  }
}
