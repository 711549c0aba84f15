import type { FieldChange } from "../../core/comparison/diff";
import { type AcceptedUpdate, lostFields, type Outcome } from "../../core/comparison/ignored";
import type { ResourceSpec } from "../../core/declaration/resource";
import { grpcCodes, isModelPlatformError, ModelPlatformError } from "../../core/errors";
import type { Field } from "../../core/fields/fields";
import { fieldAtPath } from "../../core/fields/places";
import { snakeCase } from "../../core/values/names";
import { parsePath } from "../../core/values/paths";
import { isObject, shortText } from "../../core/values/values";
import { isImmutableField } from "../../core/wire";
import { describeObject, type ResourceOperation } from "../operation/operation";
import type { Values } from "../types";

const quoteNames = (names: readonly string[]): string => [...new Set(names)].map((name) => `\`${name}\``).join(", ");

/**
 * Reports what still differs although the service accepted a write: what it ignored, and what guards people, is an
 * error; another value that it chose stays, and is reported once (A033).
 */
export function reportOutcome(operation: ResourceOperation, name: string, { ignored, refused, kept }: Outcome): void {
  const title = describeObject(operation, name);
  if (kept.length > 0)
    operation.call.reporter.warn(
      `${title}: the service keeps another value than the one that was sent: ${inWords(operation, kept)}. That stands until the program or the service changes it.`,
    );
  if (refused.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change and made something else of it: ${inWords(operation, refused)}`,
      { advice: adviceOnOther(operation, refused), topic: "an-update-is-refused-or-loses-fields" },
    );
  if (ignored.length > 0)
    throw new ModelPlatformError(
      `${title}: the service accepted the change but did not apply it: ${quoteNames(ignored.map(({ path }) => path))} ${ignored.length === 1 ? "is" : "are"} unchanged`,
      { advice: adviceOnIgnored(operation, ignored), topic: "an-update-is-refused-or-loses-fields" },
    );
}

/** A value of an enum that the description does not have may be the service's spelling of the one that was sent. */
function adviceOnOther({ spec }: ResourceOperation, refused: readonly FieldChange[]): string {
  const spelled = refused.find(({ path, live }) => {
    const values = fieldAtPath(spec, parsePath(path))?.values;
    return values !== undefined && typeof live === "string" && live !== "" && !values.includes(live);
  });
  return spelled
    ? `If that is its word for it, set \`modelplatform:dialect\` to \`${JSON.stringify({ values: { [String(spelled.desired)]: spelled.live } })}\`; else declare what it allows.`
    : "Check with the service what it allows, and declare that, or set it by hand and run `up --refresh`.";
}

/** A mask in another spelling names no field, and a service may ignore what it does not know. */
function adviceOnIgnored({ ports }: ResourceOperation, ignored: readonly FieldChange[]): string {
  const isByMask =
    ports.settings.updateMask === "snake" && ignored.every(({ property }) => snakeCase(property) !== property);
  const listed = `list ${quoteNames(ignored.map(({ property }) => property))} under \`immutable\``;
  return isByMask
    ? `Set \`modelplatform:updateMask\` to \`camel\`, if its masks are spelled so; else ${listed}.`
    : `Set it back, or ${listed}, so that a change replaces the object.`;
}

const inWords = ({ spec }: ResourceOperation, changes: readonly FieldChange[]): string =>
  changes
    .map(({ path, desired, live }) =>
      isTelling(fieldAtPath(spec, parsePath(path)))
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
    `${describeObject(operation, String(accepted.after["name"]))}: the service replaced the object with the body of the update: ${quoteNames(lost)} ${lost.length === 1 ? "is" : "are"} gone`,
    {
      advice:
        "Set `modelplatform:patchBody` to `full` before the next `up`, which replaces the object: what is gone cannot be set.",
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}

const invalidArgument = grpcCodes.INVALID_ARGUMENT;
const refusing =
  /immutable|read.?only|unknown|can(not|'t) be|(must|may) not be|not (updatable|mutable|allowed|supported)/i;

/**
 * Sends the body of an update, and where the service refuses what it holds, less of it: without what cannot change,
 * then without `null` for what the mask alone clears (A031, A032). A service that refuses what cannot change does not
 * replace it either: nothing is lost without it.
 */
export async function sendReduced<T>(
  spec: ResourceSpec,
  body: Values,
  mask: readonly string[],
  send: (body: Values) => Promise<T>,
): Promise<T> {
  try {
    return await send(body);
  } catch (error) {
    const less = lessOf(spec, body, mask, error);
    if (less === undefined) throw error;
    return sendReduced(spec, less, mask, send).catch((again: unknown) => {
      // The first refusal is of what the program asks for.
      throw isBodyRejection(again) ? error : again;
    });
  }
}

/** A smaller body that the service may take; undefined where the refusal is about something else. */
function lessOf(spec: ResourceSpec, body: Values, mask: readonly string[], error: unknown): Values | undefined {
  if (!isBodyRejection(error)) return undefined;
  const text = error.serviceMessage ?? "";
  const words = wordsOf(error);
  const masked = new Set(mask.map(snakeCase));
  const cannotChange = spec.fields.message.filter(
    ({ name, markers }) => markers.immutable && !masked.has(snakeCase(name)) && Object.hasOwn(body, name),
  );
  const refused = cannotChange.filter(({ name }) => words.has(snakeCase(name)));
  const unsent = spec.fields.message.filter((field) => isImmutableField(field) && !masked.has(snakeCase(field.name)));
  const left = [...refused, ...unsent].map(({ name }) => name);
  if (refusing.test(text) && left.some((name) => words.has(snakeCase(name)) && name in body))
    return without(body, left);
  const nulls = Object.keys(body).filter((name) => body[name] === null);
  const isAboutNull = words.has("null") || nulls.some((name) => words.has(snakeCase(name)));
  const cleared = withoutNulls(body);
  return mask.length > 0 && isAboutNull && JSON.stringify(cleared) !== JSON.stringify(body) ? cleared : undefined;
}

const isBodyRejection = (error: unknown): error is ModelPlatformError =>
  isModelPlatformError(error) && error.status === 400 && (error.code ?? invalidArgument) === invalidArgument;

const wordsOf = ({ serviceMessage = "", places }: ModelPlatformError): ReadonlySet<string> =>
  new Set(
    [serviceMessage, ...places]
      .join(" ")
      .match(/[\w.[\]]+/g)
      ?.map(snakeCase),
  );

const without = (body: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

const withoutNulls = (body: Values): Values =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]),
  );
