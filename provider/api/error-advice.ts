import { type ErrorTopic, grpcCodes } from "../core/errors";
import type { ErrorBody } from "./error-body";
import { networkGuidance } from "./http/network-faults";
import type { ApiOperation } from "./types";

/** What the table of advice looks at. */
interface RejectedRequest {
  status: number;
  body: ErrorBody;
  operation: ApiOperation;
  /** Whose key was used. */
  account: string | undefined;
  baseUrl: string;
}

/** A row applies if all of its conditions do; the first such row gives the advice. */
interface Row {
  status?: number | readonly number[];
  code?: number;
  /** Catalogue name of the operation. */
  operation?: string;
  verb?: string;
  /** A machine-readable reason of the details. */
  reason?: RegExp;
  /** In the message or among the reasons. */
  messagePattern?: RegExp;
  condition?: (refused: RejectedRequest) => boolean;
  advice: string | ((refused: RejectedRequest) => string);
  topic?: ErrorTopic;
  /** It names the likely cause, which matters even if the outcome of a change is unknown. */
  isCause?: true;
}

const { ABORTED, ALREADY_EXISTS, FAILED_PRECONDITION, INTERNAL, RESOURCE_EXHAUSTED, UNIMPLEMENTED } = grpcCodes;

/** A 429 about a quota, not the rate (A092). */
export const isQuota = (body: ErrorBody, hasRetryAfter: boolean): boolean =>
  body.detailTypes.includes("QuotaFailure") || (!hasRetryAfter && /quota/i.test(body.message));

/** Its words are about how many there may be, not how often one may ask: only who asked for more has to wait. */
export const isAboutAmount = ({ message }: Pick<ErrorBody, "message">): boolean =>
  /quota/i.test(message) && !/\brequests?\b|\brate\b|\bper (second|minute|hour|day)\b/i.test(message);

/** A rate limit by another status: the body, or a time to come back, knows better. */
export const isRateLimit = (
  status: number | undefined,
  { code }: Pick<ErrorBody, "code">,
  hasRetryAfter: boolean,
): boolean => status === 429 || (status === 403 && hasRetryAfter) || (status === 400 && code === RESOURCE_EXHAUSTED);

/** The service does not know the route, or its verb (A001). For a missing object, its 404 has another message. */
export const isUnknownRoute = (status: number, body: ErrorBody): boolean =>
  status === 405 ||
  status === 501 ||
  body.code === UNIMPLEMENTED ||
  (status === 404 && /^not found\.?$/i.test(body.message.trim()));

/** Services without 409 report with 400 or 422 that the id of a create is taken. */
export const isTaken = (status: number, body: ErrorBody): boolean =>
  (status === 400 || status === 422) &&
  (body.code === ALREADY_EXISTS || (body.code !== FAILED_PRECONDITION && /\balready exists\b/i.test(body.message)));

const named = (account: string | undefined): string => (account === undefined ? "" : ` \`${account}\``);
const ofAccount = (account: string | undefined): string =>
  account === undefined ? "" : ` of account${named(account)}`;

/** The object, or a rule, is in the way: the body says so, with any status. */
const ofPreconditions: readonly Row[] = [
  {
    code: FAILED_PRECONDITION,
    messagePattern: /POLICY_|polic(y|ies)/,
    advice: "The account's policy settings forbid this: change its `PolicySettings`, or change the request.",
  },
  {
    code: FAILED_PRECONDITION,
    messagePattern: /external key|cmek/i,
    advice: "`cmekRequired` needs a primary external key that is READY: set one up first.",
  },
  {
    code: FAILED_PRECONDITION,
    verb: "delete",
    messagePattern: /request|traffic|served|hour|in use/i,
    advice:
      "A deployment that served a request within the last hour cannot be deleted: wait, or set `ignoreChecks: true`.",
    topic: "the-object-cannot-be-deleted",
  },
  {
    code: FAILED_PRECONDITION,
    advice: "The object's state or a rule of the account prevents this: the message above says which.",
  },
];

const rows: readonly Row[] = [
  {
    condition: ({ body, status }) => body.html && status < 500,
    advice: ({ baseUrl }) =>
      `That is not the API: check the base URL (\`${baseUrl}\`), and whether a proxy or a sign-in page answers instead.`,
    topic: "the-answer-is-not-the-apis",
  },
  {
    status: [400, 401, 403],
    messagePattern: /(ssl|tls|client) certificate/i,
    ...networkGuidance("identity"),
  },
  {
    status: [400, 401, 403],
    reason: /SUSPENDED/,
    advice: ({ account }) =>
      `The account${named(account)} is suspended, for every key: ask its owner or the platform to lift that.`,
  },
  {
    status: [400, 402, 403],
    reason: /BILLING/,
    advice: ({ account }) =>
      `Billing blocks the account${named(account)}, for every key: resolve it with the platform.`,
  },
  {
    status: [400, 403, 404, 501],
    reason: /(SERVICE|API)_(DISABLED|NOT_ENABLED)/,
    advice: ({ account }) =>
      `The API is off for the account${named(account)}: ask its admin to turn it on, and repeat.`,
  },
  {
    status: 401,
    advice: ({ account }) =>
      `The service does not accept the API key${ofAccount(account)}: check \`modelplatform:apiKey\`, \`modelplatform:accounts\` and the environment.`,
    topic: "the-key-is-not-accepted",
  },
  {
    status: 403,
    messagePattern: /annotation|custom\//i,
    advice: "Keys of annotations begin with `custom/`: write `custom/team` instead of `team`.",
  },
  {
    status: 403,
    messagePattern: /cmek/i,
    advice: "Only a platform superuser can change `cmekRequired`: leave it out, or ask the platform.",
  },
  {
    status: 403,
    operation: "updatePolicySettings",
    advice:
      "Changing policy settings requires an admin's key; changing `cmekRequired` requires a platform superuser's.",
  },
  {
    status: 403,
    advice: ({ account }) =>
      account === undefined
        ? "The key may not do this: use the key of a member whose role allows it."
        : `The key may not do this in the account${named(account)}: check that name, and use the key of a member whose role allows it.`,
  },
  { status: 402, advice: "Billing blocks the account: resolve it with the platform." },
  {
    condition: ({ status, body, operation }) =>
      isUnknownRoute(status, body) && (operation.provenance === "conventional" || operation.assumedPath === true),
    advice: ({ operation }) => conventionalRouteAdvice(operation),
    topic: "an-operation-at-another-path",
  },
  {
    condition: ({ status, body }) => isUnknownRoute(status, body),
    advice: ({ baseUrl }) =>
      `The API's description lists this operation, so the base URL (\`${baseUrl}\`) probably points elsewhere: check it.`,
    topic: "the-answer-is-not-the-apis",
  },
  {
    status: 404,
    verb: "create",
    advice: "Something the request refers to does not exist, or the account itself does not: check the names in it.",
  },
  {
    status: 404,
    verb: "list",
    advice: ({ account }) => `The account${named(account)} does not exist, or this key may not see it: check its name.`,
    topic: "the-account-is-gone",
  },
  { status: 404, advice: "It does not exist, or this key may not see it: check the name and the account." },
  // Where its status is 409 or 412, nobody else has changed anything.
  ...ofPreconditions,
  { status: 409, code: ABORTED, advice: "The object is changing: try again once it has settled." },
  {
    condition: ({ status, body }) => status === 409 || isTaken(status, body),
    verb: "create",
    advice: "An object with this id or key already exists: choose another one, or set `adopt`.",
    topic: "the-object-already-exists",
  },
  { status: 409, advice: "Someone else changed it at the same time: read it again and repeat." },
  { status: 412, advice: "The object changed in between: read it again and repeat." },
  {
    status: 400,
    verb: "update",
    messagePattern: /update_?mask|\bmask\b/i,
    advice:
      "This service spells masks differently: set `modelplatform:updateMask` to `snake`, `camel`, or `off` if it has none.",
    topic: "an-update-is-refused-or-loses-fields",
  },
  {
    status: 400,
    verb: "update",
    messagePattern: /immutable|cannot be (updated|changed|modified)/i,
    advice: "Set the field back, or `modelplatform:patchBody` to `mutable` if nothing that cannot change differs.",
    topic: "an-update-is-refused-or-loses-fields",
  },
  {
    status: 400,
    condition: ({ operation, body }) => rejectsId(operation, [body.message, ...body.fieldPaths].join(" ")),
    advice: ({ operation: { name, convention = "A011" } }) =>
      `Where the id of \`${name}\` goes is a convention (${convention}): in the setting \`operations\`, give it another \`idParam\` or a \`wrap\`.`,
    topic: "an-operation-at-another-path",
  },
  {
    status: 400,
    messagePattern: /unknown (field|name)|cannot find field/i,
    advice: "This service does not know the field: leave it out.",
  },
  {
    status: [400, 422],
    condition: ({ body }) => body.message === "",
    advice:
      "The service does not say why: compare the request, which `MODELPLATFORM_TRACE` records, with its documentation.",
  },
  { status: [400, 422], advice: "Correct what the message above names." },
  {
    condition: ({ status, body }) => status === 429 && isQuota(body, false),
    advice: "A quota is exhausted: delete what is not needed, or ask the platform for more.",
  },
  {
    status: 429,
    advice:
      "The account's rate limit is exceeded: set `modelplatform:requestsPerSecond` below it, or run less in parallel.",
  },
  {
    status: 500,
    code: INTERNAL,
    operation: "createDeployment",
    advice:
      "Accelerator type, count and precision for which the model has no shape often fail like this: use `deploymentShape`, such as `default`.",
    isCause: true,
  },
  { status: [408, 504], advice: "The service took too long: try again." },
  {
    status: [500, 502, 503],
    advice: "The service failed: try again later, and give its operators the request id.",
  },
];

/** The rejection is about the id's parameter, by its name or as unknown or missing. */
function rejectsId({ verb, spec }: ApiOperation, text: string): boolean {
  const id = spec.fields.resourceId?.name;
  if (verb !== "create" || id === undefined) return false;
  const isNamed = text.toLowerCase().replaceAll("_", "").includes(id.toLowerCase());
  const at = text.search(/(?:\b|_)id\b/i);
  return isNamed || /unknown (query )?parameter/i.test(text) || (at >= 0 && /required/i.test(text.slice(at)));
}

function conventionalRouteAdvice({ name, convention = "A001", verb, assumedPath }: ApiOperation): string {
  const ways = verb === "create" ? "`path` or `idParam`" : "`path`";
  const what = assumedPath ? `The path of \`${name}\`` : `\`${name}\``;
  const off = assumedPath ? "" : ", or turn it `off`";
  return `${what} follows a convention (${convention}): give it another ${ways} in the setting \`operations\`${off}.`;
}

/** What to do about a rejection, and the heading that has more; nothing if no advice is useful. */
export function adviceFor(rejected: RejectedRequest): Pick<Row, "topic" | "isCause"> & { advice?: string } {
  const row = rows.find((candidate) => holds(candidate, rejected));
  if (row === undefined) return {};
  return { ...row, advice: typeof row.advice === "function" ? row.advice(rejected) : row.advice };
}

function holds(row: Row, refused: RejectedRequest): boolean {
  const { status, code, operation, verb, reason, messagePattern, condition } = row;
  if (status !== undefined && !(Array.isArray(status) ? status : [status]).includes(refused.status)) return false;
  if (code !== undefined && refused.body.code !== code) return false;
  if (reason !== undefined && !refused.body.reasons.some((each) => reason.test(each))) return false;
  if (operation !== undefined && refused.operation.name !== operation) return false;
  if (verb !== undefined && refused.operation.verb !== verb) return false;
  if (
    messagePattern !== undefined &&
    ![refused.body.message, ...refused.body.reasons].some((text) => messagePattern.test(text))
  )
    return false;
  return condition === undefined || condition(refused);
}
