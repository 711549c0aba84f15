import type { FieldChange } from "../../core/comparison/diff";
import { type AcceptedUpdate, lostFields, type Outcome } from "../../core/comparison/ignored";
import { ModelPlatformError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import { fieldAt } from "../../core/fields/places";
import { parsePath } from "../../core/values/paths";
import { shortText } from "../../core/values/values";
import { type ResourceOperation, titleOf } from "../operation/operation";

const named = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");

/**
 * Reports what differs still although the service accepted a write: what it ignored, and what guards people, is an
 * error; another value that it made stands, and is reported once (A033).
 */
export function reportOutcome(operation: ResourceOperation, name: string, { ignored, refused, kept }: Outcome): void {
  const title = titleOf(operation, name);
  if (kept.length > 0)
    operation.call.reporter.warn(
      `${title}: the service keeps another value than the one that was sent: ${inWords(operation, kept)}. That stands until the program or the service changes it.`,
    );
  if (refused.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change and made something else of it: ${inWords(operation, refused)}`,
      {
        advice: "Check with the service what it allows, and declare that, or set it by hand and run `up --refresh`.",
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
  if (ignored.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change but did not apply it: ${named(ignored.map(({ path }) => path))} ${ignored.length === 1 ? "is" : "are"} unchanged`,
      {
        advice: `Set it back, or list ${named(ignored.map(({ property }) => property))} under \`immutable\`, so that a change replaces the object.`,
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
}

const inWords = ({ spec }: ResourceOperation, changes: readonly FieldChange[]): string =>
  changes
    .map(({ path, desired, live }) =>
      isTelling(fieldAt(spec, parsePath(path)))
        ? `\`${path}\` is ${shortText(live)} and not ${shortText(desired)}`
        : `\`${path}\` is ${live === undefined || live === null ? "unset" : "another value"}`,
    )
    .join("; ");

/** Free text may be what the program calls secret, and what is kept of it as well: no mask would know that. */
function isTelling(field: Field | undefined): boolean {
  if (field === undefined || field.markers.secret) return false;
  const { refersTo, sameAs, watched } = field.markers;
  const isNamed =
    refersTo !== undefined ||
    (sameAs !== undefined && sameAs !== "freeText") ||
    field.values !== undefined ||
    watched === true;
  return isNamed || ["integer", "number", "boolean"].includes(field.type);
}

/** Reports what an update lost: the service replaces objects, and the body did not hold all of this one (A031). */
export function reportLost(operation: ResourceOperation, accepted: AcceptedUpdate): void {
  const lost = lostFields(operation.spec, accepted);
  if (lost.length === 0) return;
  throw new ModelPlatformError(
    `${titleOf(operation, String(accepted.after["name"]))}: the service replaced the object with the body of the update: ${named(lost)} ${lost.length === 1 ? "is" : "are"} gone`,
    {
      advice:
        "Set `modelplatform:patchBody` to `full` before the next `up`, which replaces the object: what is gone cannot be set.",
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}
