import { type AcceptedUpdate, type FieldChange, lostFields, type Outcome } from "../../core/comparison/diff";
import { ModelPlatformError } from "../../core/errors";
import { type Field, fieldAtPath } from "../../core/fields/fields";
import { snakeCase } from "../../core/values/names";
import { parsePath, shortText } from "../../core/values/values";
import type { Operation } from "../operation";

const quoteNames = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");

/**
 * Reports what still differs after the service accepted a write. An ignored field, or one that guards people, is an
 * error; a value that the service chose is kept, and reported once (A033).
 */
export function reportOutcome(operation: Operation, name: string, { ignored, refused, kept }: Outcome): void {
  const title = operation.title(name);
  if (kept.length > 0)
    operation.call.reporter.warn(
      `${title}: the service keeps another value than the one that was sent: ${inWords(operation, kept)}. It stays until the program or the service changes it.`,
    );
  if (refused.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change and made something else of it: ${inWords(operation, refused)}`,
      {
        code: "update-altered",
        advice: adviceOnOther(operation, refused),
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
  if (ignored.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change but did not apply it: ${unchangedText(operation, ignored)}`,
      {
        code: "update-ignored",
        advice: adviceOnIgnored(operation, ignored),
        topic: "an-update-is-refused-or-loses-fields",
      },
    );
}

/** An enum value that the API description lacks may be the service's spelling of the value that was sent. */
function adviceOnOther(operation: Operation, refused: readonly FieldChange[]): string {
  const spelled = refused.find((change) => {
    const { live } = change;
    const values = fieldOf(operation, change)?.values;
    return values !== undefined && typeof live === "string" && live !== "" && !values.includes(live);
  });
  return spelled
    ? `If that is its word for it, set \`modelplatform:dialect\` to \`${JSON.stringify({ values: { [String(spelled.desired)]: spelled.live } })}\`; else declare what it allows.`
    : `${declared(operation, refused) ?? "Ask the service what it allows, and declare that"}, or set it by hand and run \`up --refresh\`.`;
}

/** A mask in another spelling names no field, and a service may ignore unknown names. */
function adviceOnIgnored(operation: Operation, ignored: readonly FieldChange[]): string {
  const { updateMask } = operation.ports.settings;
  const isByMask = updateMask === "snake" && ignored.every(({ property }) => snakeCase(property) !== property);
  const kept = declared(operation, ignored);
  const names = quoteNames(ignored.map(({ property }) => property));
  if (kept !== undefined)
    return `${kept}; ${isByMask ? "or set `modelplatform:updateMask` to `camel`, " : ""}or list it under \`immutable\`.`;
  return isByMask
    ? `Set \`modelplatform:updateMask\` to \`camel\`, if its masks are spelled so; else list ${names} under \`immutable\`.`
    : `Set it back, or list ${names} under \`immutable\`, so that a change replaces the object.`;
}

/** How the program agrees with a service that forces a value. Undefined if the value is hidden or long. */
function declared(operation: Operation, changes: readonly FieldChange[]): string | undefined {
  const [only, ...others] = changes;
  if (only === undefined || others.length > 0 || !isTelling(fieldOf(operation, only))) return undefined;
  if (only.live === undefined || typeof only.live === "object") return undefined;
  const line = `Declare what the service keeps, \`${only.path}: ${shortText(only.live)}\``;
  return line.length > longestDeclared ? undefined : line;
}

/** What an advice leaves for the words beside it. */
const longestDeclared = 70;

/** The service may have had the value all the time, as the least that it allows. */
const unchangedText = (operation: Operation, ignored: readonly FieldChange[]): string =>
  ignored
    .map((change) => {
      const still = isTelling(fieldOf(operation, change)) ? `still ${shortText(change.live)}` : "unchanged";
      return `\`${change.path}\` is ${still}`;
    })
    .join(", ");

const fieldOf = ({ spec }: Operation, { path }: FieldChange): Field | undefined => fieldAtPath(spec, parsePath(path));

const inWords = (operation: Operation, changes: readonly FieldChange[]): string =>
  changes
    .map((change) => {
      const { path, desired, live } = change;
      return isTelling(fieldOf(operation, change))
        ? `\`${path}\` is ${shortText(live)} and not ${shortText(desired)}`
        : `\`${path}\` is ${live === undefined || live === null ? "unset" : "another value"}`;
    })
    .join("; ");

/** Free text may contain what the program calls secret, even if the service changed it: masking would miss it. */
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

/** Reports what an update lost: the service replaces objects, and the body was incomplete (A031). */
export function reportLost(operation: Operation, accepted: AcceptedUpdate): void {
  const lost = lostFields(operation.spec, accepted);
  if (lost.length === 0) return;
  throw new ModelPlatformError(
    `${operation.title(String(accepted.after["name"]))}: the service replaced the object with the body of the update: ${quoteNames(lost)} ${lost.length === 1 ? "is" : "are"} gone`,
    {
      code: "update-lost-fields",
      advice:
        "Set `modelplatform:patchBody` to `full` before the next `up`, which replaces the object: what is gone cannot be set.",
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}
