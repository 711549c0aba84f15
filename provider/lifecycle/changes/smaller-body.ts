import type { ResourceSpec } from "../../core/declaration/resource";
import { grpcCodes, isModelPlatformError, type ModelPlatformError } from "../../core/errors";
import { snakeCase } from "../../core/values/names";
import { isObject } from "../../core/values/values";
import { isImmutableField } from "../../core/wire/messages";
import type { Values } from "../types";

const invalidArgument = grpcCodes.INVALID_ARGUMENT;
const refusing =
  /immutable|read.?only|unknown|can(not|'t) be|(must|may) not be|not (updatable|mutable|allowed|supported)/i;

/**
 * Sends the body of an update. If the service rejects it, sends less: first without what cannot change, then without
 * `null` where the mask alone clears (A031, A032). A service that rejects immutable fields does not replace them, so
 * nothing is lost without them.
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
      // The first rejection is about what the program asks for.
      throw isBodyRejection(again) ? error : again;
    });
  }
}

/** A smaller body that the service may accept; undefined if the rejection is about something else. */
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
  isModelPlatformError(error) && error.status === 400 && (error.grpcCode ?? invalidArgument) === invalidArgument;

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
