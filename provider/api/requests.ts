import { manifest } from "../../io/files/package";
import type { ResourceSpec } from "../core/declaration/resource";
import { ConfigurationError, ModelPlatformError } from "../core/errors";
import type { Field } from "../core/fields/fields";
import { fillTemplate, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { oncePer } from "../core/values/once";
import { defined } from "../core/values/values";
import type { DialectCodec } from "./dialect-codec";
import { acceptedEncodings } from "./http/body";
import { accountIdOf, credentialOf } from "./settings/config";
import type { ApiOperation, CallOptions, ClientSettings, Credential } from "./types";

/** Path parameters with those that a whole resource name stands for, and the default account where none is given. */
export function parametersFor(operation: ApiOperation, settings: ClientSettings, given: Parameters = {}): Parameters {
  const { name, ...rest } = given;
  const parts = name === undefined ? {} : matchTemplate(operation.spec.name, String(name));
  if (!parts)
    throw new ModelPlatformError(`${JSON.stringify(name)} is not the name of a ${operation.kind}`, {
      operation: operation.name,
      advice: `It has the form \`${operation.spec.name}\`.`,
    });
  const all: Record<string, Parameters[string]> = { ...rest, ...parts };
  const needed = parametersOf(operation.path);
  if (needed.includes("account") && all["account"] === undefined) all["account"] = accountIdOf(settings);
  const unknown = Object.keys(rest).find((parameter) => !needed.includes(parameter));
  if (unknown !== undefined)
    throw new ModelPlatformError(`takes no parameter \`${unknown}\` in its path`, {
      operation: operation.name,
      advice: `Its path is \`${operation.path}\`.`,
    });
  return all;
}

/**
 * Path and query as they are sent. A segment that would change the path's shape is refused before anything is sent
 * (A017).
 */
export function pathFor(
  operation: ApiOperation,
  parameters: Parameters,
  query: CallOptions["query"] = {},
  codec: DialectCodec,
): string {
  const unknown = Object.keys(query).find(
    (parameter) => query[parameter] !== undefined && !operation.query.includes(parameter),
  );
  if (unknown !== undefined)
    throw new ModelPlatformError(`takes no query parameter \`${unknown}\``, {
      operation: operation.name,
      advice:
        operation.query.length === 0
          ? "It takes none."
          : `It takes ${operation.query.map((parameter) => `\`${parameter}\``).join(", ")}.`,
    });
  const pairs = Object.entries(query).flatMap(([parameter, value]) => {
    if (value === undefined) return [];
    const [name, text] =
      operation.idParam?.ours === parameter
        ? [operation.idParam.theirs, String(value)]
        : codec.parameter(operation, parameter, String(value));
    return [`${name}=${encodeURIComponent(text)}`];
  });
  return [filled(operation, parameters), ...(pairs.length === 0 ? [] : [pairs.join("&")])].join("?");
}

function filled(operation: ApiOperation, parameters: Parameters): string {
  try {
    return fillTemplate(operation.path, parameters);
  } catch (error) {
    throw new ModelPlatformError(`cannot be called: ${(error as Error).message}`, { operation: operation.name });
  }
}

/**
 * Whose key a call uses (A003): that of `as`; else that of the account in the path, where it is held; else, for what
 * can be anyone's to read, the default account's.
 */
export function credentialFor(
  operation: ApiOperation,
  settings: ClientSettings,
  parameters: Parameters,
  as?: string,
): Credential {
  if (as !== undefined) return credentialOf(settings, as);
  const inPath = parametersOf(operation.path).includes("account") ? String(parameters["account"]) : undefined;
  const held = settings.credentials.find((credential) => credential.account === inPath && inPath !== undefined);
  if (held) return held;
  if (inPath !== undefined && !mayBePublic(operation, inPath)) return credentialOf(settings, inPath);
  return defaultCredential(settings);
}

/**
 * The platform's own account, every account at once, kinds that nobody
 * declares, and kinds with objects that can be public.
 */
function mayBePublic({ spec, effect }: ApiOperation, account: string): boolean {
  if (effect !== "read" && effect !== "readViaPost") return false;
  const declared = spec.operations["create"] !== undefined || spec.singleton === true;
  return (
    account === "platform" ||
    account === "-" ||
    !declared ||
    [...spec.fields.message, ...spec.fields.outputs].some((field) => field.name === "public")
  );
}

function defaultCredential(settings: ClientSettings): Credential {
  const own = settings.credentials.find((credential) => credential.account === settings.accountId);
  if (own) return own;
  if (settings.accountId !== undefined) return credentialOf(settings, settings.accountId);
  if (settings.credentials.length === 1) return settings.credentials[0]!;
  if (settings.credentials.length === 0) return credentialOf(settings, accountIdOf(settings));
  const accounts = settings.credentials.map(({ account }) => `\`${account}\``).join(", ");
  throw new ConfigurationError(`it is not clear which key to use: there are those of ${accounts}`, {
    advice: "Name the account with `as`, or set a default account: `modelplatform:accountId`.",
  });
}

/** Names of members that hold secrets, wherever they stand in the messages of a kind. */
const secretNames = oncePer((spec: ResourceSpec): ReadonlySet<string> => {
  const collect = (fields: readonly Field[]): string[] =>
    fields.flatMap((field) => [
      ...(field.markers.secret ? [field.name] : []),
      ...collect(field.fields ?? []),
      ...collect(field.item?.fields ?? []),
    ]);
  return new Set(collect([...spec.fields.message, ...spec.fields.outputs]));
});

/** The secret texts in a body, so that no answer can echo them. */
export function secretsIn(spec: ResourceSpec, body: unknown): string[] {
  const names = secretNames(spec);
  const texts = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  const find = (value: unknown): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, member]) => (names.has(name) ? texts(member) : find(member)))
      : [];
  return find(body);
}

/** Whether a read of a missing object may get this answer, besides 404 (A053). */
export const looksMissing = (
  { spec, verb }: { spec: ResourceSpec; verb: string },
  status?: number,
  code?: number,
): boolean =>
  verb === "get" && (spec.missingAnswers ?? []).some((answer) => answer.status === status && answer.code === code);

let agent: string | undefined;

/** `pulumi-modelplatform/<version>`. */
function userAgent(): string {
  const { name, version } = manifest();
  return `${name}/${version}`;
}

/** Headers of a call, with the key. */
export function headersFor(key: string, body: unknown): Record<string, string> {
  agent ??= userAgent();
  return defined({
    authorization: `Bearer ${key}`,
    accept: "application/json",
    "accept-encoding": acceptedEncodings,
    "user-agent": agent,
    "content-type": body === undefined ? undefined : "application/json",
  });
}
