import { desiredFields } from "../../core/comparison/desired";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { type LoosenedValue, loosened } from "../../core/rules/loosening";
import type { Values } from "../types";

/** The object as it will be: the program's values over the live ones. */
export function afterwards(spec: ResourceSpec, live: Values, inputs: Values, managed?: readonly string[]): Values {
  return { ...live, ...desiredFields(spec, inputs, managed) };
}

/**
 * A change that loosens access must be allowed explicitly by the program; previews and updates check the same (A062).
 */
export function refuseLoosening(
  spec: ResourceSpec,
  { before, after }: { before: Values; after: Values },
  inputs: Values,
  advice = "If that is intended, set `allowLoosening: true`.",
): void {
  if (!spec.loosening || optionsIn(inputs).allowLoosening === true) return;
  const opened = loosened(spec.loosening, before, after);
  if (opened.length === 0) return;
  throw new ModelPlatformError(`this would loosen the account's policy: ${opened.map(inWords).join("; ")}`, {
    advice,
  });
}

export const inWords = ({ path, before, after }: LoosenedValue): string => `${path} from ${before} to ${after}`;
