import type { ResourceSpec } from "../../core/declaration/resource";
import { grpcCodes, isModelPlatformError, type ModelPlatformError } from "../../core/errors";
import { snakeCase } from "../../core/values/names";
import { isObject, type Values } from "../../core/values/values";
import { isFixed } from "../../core/wire";

const invalidArgument = grpcCodes.INVALID_ARGUMENT;
const refusing =
  /immutable|read.?only|unknown|can(not|'t) be|(must|may) not be|not (updatable|mutable|allowed|supported)/i;

/**
 * Sends the body of an update, and where the service refuses what it holds, less of it: without what cannot change,
 * then without `null` for what the mask alone clears (A031, A032). A service that refuses what cannot change does not
 * replace it either: nothing is lost without it.
 */
export async function sendLess<T>(
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
    return sendLess(spec, less, mask, send).catch((again: unknown) => {
      // The first refusal is of what the program asks for.
      throw isRefusal(again) ? error : again;
    });
  }
}

/** A smaller body that the service may take; undefined where the refusal is about something else. */
function lessOf(spec: ResourceSpec, body: Values, mask: readonly string[], error: unknown): Values | undefined {
  if (!isRefusal(error)) return undefined;
  const text = error.serviceMessage ?? "";
  const named = wordsOf(error);
  const masked = new Set(mask.map(snakeCase));
  const cannotChange = spec.fields.message.filter(
    ({ name, markers }) => markers.immutable && !masked.has(snakeCase(name)) && Object.hasOwn(body, name),
  );
  const refused = cannotChange.filter(({ name }) => named.has(snakeCase(name)));
  const unsent = spec.fields.message.filter((field) => isFixed(field) && !masked.has(snakeCase(field.name)));
  const left = [...refused, ...unsent].map(({ name }) => name);
  if (refusing.test(text) && left.some((name) => named.has(snakeCase(name)) && name in body))
    return without(body, left);
  const nulls = Object.keys(body).filter((name) => body[name] === null);
  const isAboutNull = named.has("null") || nulls.some((name) => named.has(snakeCase(name)));
  const cleared = withoutNulls(body);
  return mask.length > 0 && isAboutNull && JSON.stringify(cleared) !== JSON.stringify(body) ? cleared : undefined;
}

const isRefusal = (error: unknown): error is ModelPlatformError =>
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
