/**
 * Templates: `accounts/{account}/deployments/{deploymentId}` for names, `GET
 * /v1/{name}?readMask={readMask}` for routes.
 */

const placeholder = /\{(\w+)\}/g;

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export class InvalidParameterError extends Error {
  override readonly name = "InvalidParameterError";
}

/** A route string in its parts. `query` holds the parameters that the route may carry. */
interface Route {
  method: string;
  path: string;
  query: readonly string[];
}

export function parseRoute(route: string): Route {
  const [method, target] = route.split(" ", 2) as [string, string];
  const [path, query = ""] = target.split("?", 2) as [string, string?];
  return { method, path, query: [...query.matchAll(placeholder)].map((match) => match[1]!) };
}

/** A template as it is read: each name goes through several. */
interface CompiledTemplate {
  keys: readonly string[];
  pattern: RegExp;
}

const readings = new Map<string, CompiledTemplate>();

function readingOf(template: string): CompiledTemplate {
  let reading = readings.get(template);
  if (!reading) {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(placeholder, "([^/]+)");
    const keys = [...template.matchAll(placeholder)].map((match) => match[1]!);
    readings.set(template, (reading = { keys, pattern: new RegExp(`^${pattern}$`) }));
  }
  return reading;
}

/** The names of a template's parameters, in order. */
export const parametersOf = (template: string): readonly string[] => readingOf(template).keys;

/**
 * Fills a path or name template. `{name}` takes a whole resource name, every other parameter one segment. What goes
 * into a path, which starts with a slash, is percent-encoded; a name is text. A segment that would change the shape of
 * either is refused before anything is sent (A017).
 */
export function fillTemplate(template: string, parameters: Parameters): string {
  const written = template.startsWith("/") ? encodeURIComponent : decodeSegment;
  return template.replace(placeholder, (_, key: string) => {
    const value = String(parameters[key] ?? "");
    const segments = key === "name" ? value.split("/") : [value];
    return segments.map((segment) => written(validatedSegment(key, segment))).join("/");
  });
}

function decodeSegment(segment: string): string {
  if (segment.includes("/"))
    throw new InvalidParameterError(`the id ${JSON.stringify(segment)} has a slash; give the last segment of the name`);
  return segment;
}

/** Whether `text` can be a segment of a name. */
export const isSegment = (text: string): boolean => isPlain(text) && !text.includes("/");

const isPlain = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !/[\u0000-\u001f\u007f\p{Cs}]/u.test(segment);

function validatedSegment(key: string, segment: string): string {
  if (!isPlain(segment)) {
    throw new InvalidParameterError(
      `the path parameter \`${key}\` is ${segment === "" ? "empty" : JSON.stringify(segment)}; give a resource id`,
    );
  }
  return segment;
}

/** Reads a name back into the parameters of its template, or undefined where it does not fit. */
export function matchTemplate(template: string, name: string): Record<string, string> | undefined {
  const { keys, pattern } = readingOf(template);
  const match = pattern.exec(name);
  return match ? Object.fromEntries(keys.map((key, index) => [key, match[index + 1]!])) : undefined;
}

export const accountOf = (name: string): string | undefined => /^accounts\/([^/]+)/.exec(name)?.[1];

export const lastSegment = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

export const snakeCase = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const camelCase = (snake: string): string =>
  snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Lower-case letters, digits and single hyphens, starting with a letter. */
export function slug(text: string): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[-0-9]+|-$/g, "");
  return plain === "" ? "x" : plain;
}
