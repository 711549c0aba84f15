import { desiredFields } from "../../core/comparison/desired";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { hooksOf } from "../../kinds/index";
import type { Values } from "../types";

/** The object as it will be: the program's values over the live ones. */
export function afterwards(spec: ResourceSpec, live: Values, inputs: Values, managed?: readonly string[]): Values {
  return { ...live, ...desiredFields(spec, inputs, managed) };
}

/** Refuses a change that the kind objects to without the program's consent, in previews as in updates. */
export function refuseWithoutConsent(
  spec: ResourceSpec,
  { before, after }: { before: Values; after: Values },
  inputs: Values,
  adviceFor = (consent: string): string => `If that is intended, set ${consent}.`,
): void {
  const objection = hooksOf(spec).beforeChange?.(before, after, inputs);
  if (!objection) return;
  throw new ModelPlatformError(`this ${objection.reason}`, { advice: adviceFor(`\`${objection.consent}: true\``) });
}
