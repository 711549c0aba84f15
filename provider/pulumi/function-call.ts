import { createClient, restrictTo } from "../api/client";
import { createCatalogue } from "../api/operations";
import { pages } from "../api/paginate";
import { resolveSettings } from "../api/settings/config";
import type { SettingSources } from "../api/settings/sources";
import type { ApiOperation, Client, Json } from "../api/types";
import type { Effect } from "../core/declaration/resource";
import { type FunctionSpec, functionShape } from "../core/declaration/surface";
import { ModelPlatformError } from "../core/errors";
import type { Field } from "../core/fields/fields";
import { memberOf } from "../core/pulumi-names";
import { camelCase, parametersOf, snakeCase } from "../core/values/names";
import { containsUnknown, omitUndefined, unknownValue, type Values } from "../core/values/values";
import { createMessage } from "../core/wire/messages";
import { functions } from "../resources/functions";
import { allSpecs, specOf } from "../resources/index";

/** A client for the functions that share these settings. */
export function openClient(sources: SettingSources, warn: (text: string) => void): Client {
  const settings = resolveSettings(sources);
  const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
  return createClient({
    settings,
    catalogue,
    env: sources.env,
    log: ({ level, text }) => level === "warning" && warn(text),
    onWait: warn,
  });
}

const previewed: readonly Effect[] = ["read", "readViaPost"];

/** Whether a preview may make the call: it changes nothing, and hands out nothing. */
export function isAllowedInPreview(client: Client, name: string, spec: FunctionSpec): boolean {
  return (
    spec.fixed?.["validateOnly"] === true ||
    previewed.includes(client.catalogue.operation(spec.operation ?? name).effect)
  );
}

interface FunctionCall {
  name: string;
  spec: FunctionSpec;
  args: Values;
  isPreview: boolean;
}

/** Calls a function. Throws a `ModelPlatformError`, in a preview also for a call that is not for previews. */
export async function callFunction(client: Client, { name, spec, args, isPreview }: FunctionCall): Promise<Json> {
  const judged = functionShape(spec, specOf).arguments.safeParse(args);
  if (!judged.success)
    throw new ModelPlatformError(
      `the arguments of \`${name}\` are wrong: ${judged.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": ")).join("; ")}`,
    );
  if (isPreview && !isAllowedInPreview(client, name, spec)) {
    throw new ModelPlatformError(`\`${name}\` returns credentials, which previews do not request`, {
      advice: `Use \`${name}Output\`, whose value is not known in a preview, or call it in updates only.`,
    });
  }
  const sender = isPreview ? restrictTo(client, previewed) : client;
  const operation = client.catalogue.operation(spec.operation ?? name);
  const request = requestOf(operation, spec, args);
  if (operation.verb !== "list") return (await sender.call(operation.name, request)).value;
  return readAllPages(sender, operation, request);
}

interface Request {
  parameters: Record<string, string>;
  query: Record<string, string | number | boolean>;
  as?: string | undefined;
  body?: Json | undefined;
}

/**
 * An argument goes where the operation has a place of that name: in the path, the query, else the body. A mask is
 * spelled in snake case in a query and in camel case in a body (A095), however the program spells it.
 */
function requestOf(
  operation: ApiOperation,
  { fixed, inputsOfKind }: FunctionSpec,
  { as, accountId, ...args }: Values,
): Request {
  const inPath = parametersOf(operation.path);
  const account = inPath.includes("account") ? accountId : undefined;
  const requestArgs = Object.entries({ account, ...args }).filter(([, value]) => value !== undefined && value !== null);
  const respellMask = (name: string, value: unknown, spelling: (mask: string) => string): [string, Json[string]] => [
    name,
    name === "readMask" ? spelling(String(value)) : value,
  ];
  const rest = Object.fromEntries(
    requestArgs
      .filter(([name]) => !inPath.includes(name) && !operation.query.includes(name))
      .map(([name, value]) => respellMask(name, value, camelCase)),
  );
  const query = requestArgs
    .filter(([name]) => operation.query.includes(name))
    .map(([name, value]) => respellMask(name, value, snakeCase));
  return {
    parameters: Object.fromEntries(
      requestArgs.filter(([name]) => inPath.includes(name)).map(([name, value]) => [name, String(value)]),
    ),
    query: { ...(Object.fromEntries(query) as Request["query"]), ...fixed },
    as: typeof as === "string" ? as : undefined,
    body: operation.method === "GET" ? undefined : bodyOf(operation, inputsOfKind, rest),
  };
}

const bodyOf = (operation: ApiOperation, inputsOfKind: FunctionSpec["inputsOfKind"], message: Json): Json =>
  inputsOfKind === undefined
    ? message
    : nestAtPath(operation.body?.within?.path ?? [], createMessage(specOf(inputsOfKind)!, message));

const nestAtPath = (path: readonly string[], message: Json): Json =>
  path.reduceRight<Json>((inner, name) => ({ [name]: inner }), message);

async function readAllPages(
  client: Client,
  operation: ApiOperation,
  { parameters, query, as }: Request,
): Promise<Json> {
  const members: unknown[] = [];
  let totalSize: number | undefined;
  for await (const page of pages(client, operation.name, { parameters, query, as })) {
    members.push(...page.items);
    totalSize ??= page.totalSize;
  }
  return omitUndefined({ [operation.spec.collection]: members, totalSize });
}

/** Names of a function's answer that show a secret anywhere. */
export const secretsIn = (spec: FunctionSpec, answer: Json): string[] =>
  functionShape(spec, specOf)
    .outputs.filter((field) => containsSecret(field, answer[field.name]))
    .map(({ name }) => name);

function containsSecret(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (field.markers.secret) return true;
  if (typeof value !== "object") return false;
  if (field.item) return Object.values(value).some((entry) => containsSecret(field.item!, entry));
  return (field.fields ?? []).some((member) => containsSecret(member, (value as Values)[member.name]));
}

/** Calls the function of a token. Resolves to the answer and the names of what is secret in it. */
export async function callFunctionOf(
  client: Client,
  { token, args, preview }: { token: string; args: Values; preview: boolean },
): Promise<[answer: Values, secrets: ReadonlySet<string>]> {
  const name = memberOf(token);
  const spec =
    name !== undefined && Object.hasOwn(functions, name) ? functions[name as keyof typeof functions] : undefined;
  if (!spec || name === undefined)
    throw new ModelPlatformError(`\`${token}\` is not a function of this release of pulumi-modelplatform`, {
      advice: "Update the package, and regenerate the SDK from it.",
    });
  if (containsUnknown(args) || (preview && !isAllowedInPreview(client, name, spec)))
    return [
      Object.fromEntries(functionShape(spec, specOf).outputs.map((field) => [field.name, unknownValue])),
      new Set(),
    ];
  const answer = await callFunction(client, { name, spec, args, isPreview: preview });
  return [answer, new Set(secretsIn(spec, answer))];
}
