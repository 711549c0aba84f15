import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError } from "../../core/errors";
import { containsUnknown } from "../../core/values/unknowns";
import type { Ports } from "../ports/ports";
import type { Values } from "../types";
import { localFiles } from "./local-files";
import { valuesFromSources } from "./secret-source";

type Machine = Pick<Ports, "env" | "readFile" | "files">;

/** Reads what an object is made from on this machine. Throws for the first source that is missing. */
export async function requireSources(machine: Machine, spec: ResourceSpec, inputs: Values): Promise<void> {
  await valuesFromSources(machine, inputs);
  await localFiles(machine.files, spec, inputs);
}

/**
 * Why the value or the files that an object is made of cannot be read on this machine.
 * What is not known yet is not looked for.
 */
export async function absentSources(machine: Machine, spec: ResourceSpec, inputs: Values): Promise<string[]> {
  const from = [optionsIn(inputs).valueFrom, spec.uploads && inputs[spec.uploads.from]];
  if (containsUnknown(from)) return [];
  return requireSources(machine, spec, inputs).then(
    () => [],
    (error: unknown) => (isConfigurationError(error) ? [error.message] : Promise.reject(error)),
  );
}
