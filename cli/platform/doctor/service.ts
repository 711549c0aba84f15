import { serviceAccount } from "../../../drift/scan/recorded-object";
import { formatDuration } from "../../../engine/display/text";
import { items } from "../../../provider/api/paginate";
import { addressOf, heldAccounts, isLocal } from "../../../provider/api/settings/credentials";
import type { CallOptions, CallResult, Client, Json } from "../../../provider/api/types";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import {
  isForbidden,
  isMissing,
  isModelPlatformError,
  isNotFound,
  isUnsupportedOperation,
  messageOf,
  problemOf,
} from "../../../provider/core/errors";
import { ownerDescription, ownerField, ownerIn } from "../../../provider/core/fields/owner";
import { lastSegment } from "../../../provider/core/values/names";
import { type DoctorFinding, error, errorFinding, ok, warning } from "./finding";

/** Largest accepted clock difference, in milliseconds. */
const mostSkew = 30_000;
/** How long one check may take, retries included, in milliseconds. */
const timeoutMs = 15_000;

/**
 * The service as each available key reaches it: URL, clock, rights. Sends a few reads and nothing else. A key without a
 * base URL is left to the check of settings, or to that of trust, which know why there is none.
 */
export async function serviceFindings(
  client: Client,
  specs: readonly ResourceSpec[],
  now: () => number,
): Promise<DoctorFinding[]> {
  const { settings } = client;
  const accounts = heldAccounts(settings).filter((account) => addressOf(settings, account) !== undefined);
  const looks = await Promise.all(
    accounts.map((account) => accountFindings(new AccountProbe(client, account, now), specs)),
  );
  return looks.flat();
}

/**
 * What the object of a begun create says of its owner. Asks only of kinds that
 * can say so; what cannot be read says nothing.
 */
export async function claimOf(
  client: Client,
  specs: readonly ResourceSpec[],
  { kind, name }: { kind: string; name?: string | undefined },
  now: () => number,
): Promise<string | undefined> {
  const spec = specs.find((candidate) => candidate.kind === kind);
  const get = client.catalogue.find(kind, "get");
  if (!spec || !ownerField(spec) || !get || name === undefined) return undefined;
  try {
    const { value } = await client.call(get.name, { parameters: { name }, deadline: now() + timeoutMs });
    const owner = ownerIn(spec, value);
    return owner && ownerDescription(spec, owner);
  } catch (cause) {
    if (!isModelPlatformError(cause)) throw cause;
    return undefined;
  }
}

/** Calls with one account's key. */
class AccountProbe {
  constructor(
    readonly client: Client,
    readonly account: string,
    readonly now: () => number,
  ) {}

  call(
    operation: string,
    parameters: Record<string, string> = {},
    options: Pick<CallOptions, "query" | "decides"> = {},
  ): Promise<CallResult> {
    return this.client.call(operation, { ...options, parameters, as: this.account, deadline: this.now() + timeoutMs });
  }
}

async function accountFindings(look: AccountProbe, specs: readonly ResourceSpec[]): Promise<DoctorFinding[]> {
  const subject = `service of ${look.account}`;
  const begun = look.now();
  let answer: CallResult;
  try {
    answer = await look.call("listAccounts", {}, { query: { pageSize: 100 } });
  } catch (cause) {
    if (!isModelPlatformError(cause)) throw cause;
    return [errorFinding(subject, cause, "Check the key and the base URL.")];
  }
  const answered = look.now();
  const reads = await Promise.all(specs.map((spec) => readOf(look, spec)));
  if (reads.every(({ outcome }) => outcome === "forbidden")) return [wrongAccount(look, answer, reads[0]?.reason)];
  const users = specs.find(({ fields }) => fields.message.some(({ name }) => name === "role"));
  return [
    ok(subject, `answers in ${answered - begun} ms`),
    clockFinding(look, answer, answered),
    readsFinding(look, reads),
    await policyFinding(look),
    await roleFinding(look, users),
  ];
}

/** Nothing of the account may be read: the key is most likely another account's. */
function wrongAccount({ account }: AccountProbe, { value }: CallResult, reason = "403"): DoctorFinding {
  const reached = ((value["accounts"] ?? []) as Json[]).map(({ name }) => lastSegment(String(name)));
  const others = reached.filter((each) => each !== account && each !== serviceAccount);
  return error(
    `service of ${account}`,
    `the key may read nothing of \`${account}\`: ${reason}`,
    others.length === 0
      ? `Use a key of \`${account}\`.`
      : `The key reaches ${others.map((each) => `\`${each}\``).join(", ")}: set that account, or use a key of \`${account}\`.`,
  );
}

/** `answered`: this machine's clock when the answer came, in milliseconds since 1970. */
function clockFinding({ account, client }: AccountProbe, { time }: CallResult, respondedAt: number): DoctorFinding {
  const subject = `clock of ${account}`;
  if (time === undefined) return ok(subject, "the service does not report its time");
  const apart = respondedAt - time;
  const skewText = `${formatDuration(Math.abs(apart))} ${apart < 0 ? "behind" : "ahead of"} the service`;
  if (Math.abs(apart) <= mostSkew) return ok(subject, Math.abs(apart) < 2000 ? "agrees with the service" : skewText);
  // An emulator may be sped up, or move its clock by hand.
  return isLocal(client.settings, account)
    ? ok(subject, `this machine is ${skewText}, which runs here and keeps a time of its own`)
    : warning(
        subject,
        `this machine is ${skewText}`,
        "Set the clock: waits, baselines and signed addresses depend on it.",
      );
}

interface ReadOutcome {
  spec: ResourceSpec;
  outcome: "answered" | "forbidden" | "unsupported" | "failed";
  reason?: string;
  /** Of an answer that cannot be used: no command could work with its kind. */
  advice?: string | undefined;
}

/** Only an unusable name makes an object unusable for all; an unusable value concerns the program that manages it. */
const byNone = (): boolean => false;

/** One page with one object, and that object by name: what a refresh and a scan need. */
async function readOf(look: AccountProbe, spec: ResourceSpec): Promise<ReadOutcome> {
  const { account, client } = look;
  const get = client.catalogue.find(spec.kind, "get");
  const list = client.catalogue.find(spec.kind, "list");
  try {
    if (spec.singleton) await look.call(get!.name, { account }, { decides: byNone });
    else if (list) {
      const { value } = await look.call(list.name, { account }, { query: { pageSize: 1 }, decides: byNone });
      const [first] = (value[spec.collection] ?? []) as Json[];
      if (first && get) await look.call(get.name, { name: String(first["name"]) }, { decides: byNone });
    } else if (!get)
      return { spec, outcome: "unsupported", reason: `\`get${spec.kind}\` and the list of its kind are turned off` };
    return { spec, outcome: "answered" };
  } catch (cause) {
    const reason = messageOf(cause);
    if (spec.singleton ? isMissing(cause) : isNotFound(cause)) return { spec, outcome: "answered" };
    if (isUnsupportedOperation(cause)) return { spec, outcome: "unsupported", reason };
    const unusable = isModelPlatformError(cause) && cause.answerAt !== undefined ? cause : undefined;
    if (unusable) return { spec, outcome: "failed", reason: problemOf(unusable), advice: unusable.advice };
    return { spec, outcome: isForbidden(cause) ? "forbidden" : "failed", reason };
  }
}

function readsFinding({ account }: AccountProbe, reads: readonly ReadOutcome[]): DoctorFinding {
  const subject = `reads of ${account}`;
  const kept = reads.filter(({ outcome }) => outcome !== "answered");
  if (kept.length === 0) return ok(subject, `all ${reads.length} collections answer`);
  const summary = kept
    .map(({ spec, outcome, reason }) => `${spec.collection} is ${outcome}${reason === undefined ? "" : ` (${reason})`}`)
    .join("; ");
  const unusable = kept.find(({ advice }) => advice !== undefined);
  if (unusable) return error(subject, summary, unusable.advice!);
  const unsupported = kept.some(({ outcome }) => outcome === "unsupported")
    ? ", and name the path of what this service has elsewhere in the setting `operations`"
    : "";
  return warning(subject, summary, `Let the key read what a refresh or a scan covers${unsupported}.`);
}

/** What the account allows any caller. */
async function policyFinding(look: AccountProbe): Promise<DoctorFinding> {
  const subject = `policy of ${look.account}`;
  try {
    const { value } = await look.call("getPolicySettings", { account: look.account });
    const defaults = Object.entries((value["defaultPermissions"] ?? {}) as Json)
      .filter(([, allowed]) => allowed === false)
      .map(([name]) => `${name}: false`);
    const rest = ["residency", "zeroDataRetention", "cmekRequired"].filter(
      (name) => value[name] !== undefined && value[name] !== null && value[name] !== false,
    );
    const limits = [...defaults, ...rest.map((name) => `${name}: ${JSON.stringify(value[name])}`)];
    return ok(subject, limits.length === 0 ? "allows everything" : limits.join(", "));
  } catch (cause) {
    if (isMissing(cause)) return ok(subject, "none is set: everything is allowed");
    return warning(
      subject,
      messageOf(cause),
      "Every member of an account may read its policy: check whose key this is.",
    );
  }
}

/**
 * The rights of the key. The API has no "who am I", so they are inferred from the roles of the account's users: a
 * key may be an admin's unless no member is one, or the key may not list them.
 */
async function roleFinding(look: AccountProbe, users: ResourceSpec | undefined): Promise<DoctorFinding> {
  const subject = `least privilege in ${look.account}`;
  const advice =
    "For scans (`drift`, `codify`) use the key of a service account with the role `inference-user`: a scan that cannot write cannot be misused to.";
  try {
    const roles: unknown[] = [];
    for await (const user of items(look.client, look.client.catalogue.require(users!.kind, "list").name, {
      parameters: { account: look.account },
      as: look.account,
      deadline: look.now() + timeoutMs,
      decides: (property) => property === "role",
    }))
      roles.push(user["role"]);
    const admins = roles.filter((role) => role === "admin").length;
    if (roles.length > 0 && admins === 0) return ok(subject, `none of its ${roles.length} members is an admin`);
    if (roles.length > 0 && admins === roles.length)
      return warning(subject, "a scan would run with an admin key: every member is an admin", advice);
    return warning(
      subject,
      `a scan may run with an admin key: the service does not say whose a key is${roles.length === 0 ? "" : `, and ${admins} of ${roles.length} members are admins`}`,
      advice,
    );
  } catch (cause) {
    if (isForbidden(cause)) return ok(subject, "the key may not list the members, so it is not an admin's");
    return warning(subject, `a scan may run with an admin key: members cannot be listed (${messageOf(cause)})`, advice);
  }
}
