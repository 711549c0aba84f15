import { mayMeanMissingObject } from "../../../provider/api/error-body";
import type { ApiOperation, Json } from "../../../provider/api/types";
import { matchTemplate, parametersOf } from "../../../provider/core/values/names";
import {
  describeReply,
  isConclusive,
  isRouteUnknown,
  nobody,
  otherOrderBy,
  type ProbeClient,
  type ProbeFinding,
  type ProbeReply,
  type ProbeVerdict,
  requestText,
  settingsFrom,
  verdictOf,
} from "./asker";

/** Objects that lists answered, by kind. */
export type Samples = ReadonlyMap<string, readonly Json[]>;

/** Whether read paths exist: lists first, because they say what there is to get. */
export async function probeEndpoints(asker: ProbeClient): Promise<{ findings: ProbeFinding[]; samples: Samples }> {
  const findings: ProbeFinding[] = [];
  const samples = new Map<string, readonly Json[]>();
  const reads = asker.catalogue.operations.filter(
    ({ effect, verb }) => effect === "read" && ["get", "list"].includes(verb),
  );
  for (const list of reads.filter(({ verb }) => verb === "list")) {
    const reply = await asker.call(list.name, { parameters: parentParameters(list, asker), query: { pageSize: 5 } });
    samples.set(list.kind, membersIn(list, reply));
    findings.push(endpointFinding(list, reply, asker));
  }
  for (const get of reads.filter(({ verb }) => verb === "get")) {
    const reply = await asker.call(get.name, { parameters: objectOf(get, asker, samples) });
    findings.push(endpointFinding(get, reply, asker));
  }
  return { findings, samples };
}

/** What other kinds are made of is the platform's own; a list of things inside others takes all of them (A003). */
function parentParameters({ spec, path }: ApiOperation, { account }: ProbeClient): Record<string, string> {
  const parents = parametersOf(path).filter((parameter) => parameter !== "account");
  const declared = spec.operations["create"] !== undefined || spec.singleton === true;
  const owner = declared ? account : "platform";
  return Object.fromEntries(
    parametersOf(path).map((parameter) => [parameter, parameter === "account" && parents.length === 0 ? owner : "-"]),
  );
}

const membersIn = ({ spec }: ApiOperation, { value }: ProbeReply): readonly Json[] =>
  (value?.[spec.collection] ?? []) as readonly Json[];

/** An existing object, or a missing one. */
function objectOf(
  { spec, path, kind }: ApiOperation,
  { account }: ProbeClient,
  samples: Samples,
): Record<string, string> {
  const known = samples
    .get(kind)
    ?.map(({ name }) => matchTemplate(spec.name, String(name)))
    .find((parameters) => parameters !== undefined);
  return (
    known ??
    Object.fromEntries(parametersOf(path).map((parameter) => [parameter, parameter === "account" ? account : nobody]))
  );
}

function endpointFinding(operation: ApiOperation, reply: ProbeReply, asker: ProbeClient): ProbeFinding {
  const { name, convention, provenance } = operation;
  const verdict = endpointsVerdictOf(operation, reply);
  const finding = {
    convention: provenance === "listed" ? "listed" : (convention ?? "A015"),
    asked: requestText(operation),
    ...describeReply(reply),
    verdict,
  };
  if (verdict !== "differs") return finding;
  const other = otherAccount(reply, asker.account);
  if (other !== undefined)
    return {
      ...finding,
      knob: "accountId",
      blocks: `has names of the account \`${other}\`; try \`--account ${other}\``,
    };
  if (provenance === "listed")
    return { ...finding, knob: "baseUrl", blocks: "is not answered as the API's description has it" };
  return { ...finding, knob: `operations.${name}: off, or its path`, operations: { [name]: "off" } };
}

/** The account that the names in a refused answer are of, where it is not the one that was asked about. */
function otherAccount({ error, raw }: ProbeReply, account: string): string | undefined {
  if (error?.status !== 200) return undefined;
  const owner = /"name"\s*:\s*"accounts\/([^/"]+)\//.exec(raw?.text ?? "")?.[1];
  return owner === account ? undefined : owner;
}

/** A missing object is an answer of the operation, too. */
function endpointsVerdictOf(operation: ApiOperation, reply: ProbeReply): ProbeVerdict {
  const { error } = reply;
  if (!error) return "holds";
  if (isRouteUnknown(reply)) return "differs";
  if (error.status === 200) return "differs";
  return error.status === 404 || error.status === 400 || mayMeanMissingObject(operation, error.status, error.grpcCode)
    ? "holds"
    : "unknown";
}

/** Whether this package works with a service. */
export interface Fit {
  verdict: "fits" | "fits with these settings" | "does not fit";
  /** Why it does not: a sentence for each reason. */
  reasons: string[];
}

/** What the findings come to. What could not be asked does not count against a service. */
export function fitOf(asker: ProbeClient, findings: readonly ProbeFinding[]): Fit {
  const reasons = [
    ...findings.flatMap(({ asked, blocks }) => (blocks === undefined ? [] : [`\`${asked}\` ${blocks}.`])),
    ...unansweredKinds(asker, findings),
  ];
  if (reasons.length > 0) return { verdict: "does not fit", reasons };
  return { verdict: isConfigured(findings) ? "fits with these settings" : "fits", reasons };
}

/** A setting that only saves requests is not needed. */
const isConfigured = (findings: readonly ProbeFinding[]): boolean =>
  Object.entries(settingsFrom(findings)).some(([, text]) => text !== "honored");

/** Kinds that move by themselves, and that neither a read nor a list shows: nobody sees when they are ready. */
function unansweredKinds({ catalogue }: ProbeClient, findings: readonly ProbeFinding[]): string[] {
  const off = new Set(findings.flatMap(({ operations = {} }) => Object.keys(operations)));
  return catalogue.specs
    .filter(({ lifecycle, operations }) => lifecycle !== undefined && operations["create"] !== undefined)
    .filter(({ kind }) =>
      ["get", "list"].every((verb) => {
        const operation = catalogue.find(kind, verb);
        return operation === undefined || off.has(operation.name);
      }),
    )
    .map(({ kind }) => `A ${kind} can be neither read nor listed, so that nothing shows when it is ready.`);
}

/** One question about a list; `judge` says what the answer means. */
interface Question {
  asked: string;
  query: Readonly<Record<string, string | number>>;
  judge(reply: ProbeReply, members: readonly Json[]): boolean | undefined;
  /** Why nothing helps if it does not hold; undefined: it does not matter. */
  blocks?: string | undefined;
}

const names = (members: readonly Json[]): unknown[] => members.map(({ name }) => name);

const isRejected = ({ error }: ProbeReply): boolean => error?.status === 400;

/** Pages, filters, orders and masks (A095), on a list that has at least two members. */
export async function probeLists(asker: ProbeClient, samples: Samples): Promise<ProbeFinding[]> {
  const list = asker.catalogue.operations.find(
    ({ verb, kind, query }) => verb === "list" && query.includes("orderBy") && (samples.get(kind)?.length ?? 0) >= 2,
  );
  if (!list)
    return [
      {
        convention: "A095",
        asked: "pages, filters, orders and masks of lists",
        answered: "no list has two members",
        verdict: "unknown",
      },
    ];
  const ask = (query: Question["query"]) => asker.call(list.name, { parameters: parentParameters(list, asker), query });
  const first = await ask({ pageSize: 1, orderBy: "name" });
  const token = String(first.value?.["nextPageToken"] ?? "");
  const findings: ProbeFinding[] = [];
  for (const question of [
    ...pageQuestions(membersIn(list, first), token),
    ...selectionQuestions(membersIn(list, first)),
  ])
    findings.push(await findingOf(question, list, ask));
  return findings;
}

async function findingOf(
  { asked, query, judge, blocks }: Question,
  list: ApiOperation,
  ask: (query: Question["query"]) => Promise<ProbeReply>,
): Promise<ProbeFinding> {
  const reply = await ask(query);
  const members = membersIn(list, reply);
  const holds = isConclusive(reply) ? judge(reply, members) : undefined;
  const { answered, ...rest } = describeReply(reply);
  return {
    convention: "A095",
    asked,
    answered: reply.error ? answered : `${answered}, ${members.length} of ${String(reply.value?.["totalSize"] ?? "?")}`,
    ...rest,
    verdict: verdictOf(holds),
    blocks: holds === false ? blocks : undefined,
  };
}

const pageQuestions = (first: readonly Json[], token: string): Question[] => [
  {
    asked: "pageSize=0 means the default",
    query: { pageSize: 0 },
    judge: ({ error }, members) => !error && members.length >= 2,
  },
  { asked: "a negative pageSize is refused", query: { pageSize: -1 }, judge: isRejected },
  { asked: "a pageSize above 200 means 200", query: { pageSize: 1000 }, judge: ({ error }) => !error },
  {
    asked: "a page's token leads to the next page",
    query: { pageSize: 1, orderBy: "name", pageToken: token },
    judge: ({ error }, members) =>
      token === "" ? false : !error && members.length === 1 && names(members)[0] !== names(first)[0],
    // A service without pages that lists everything at once needs no tokens.
    blocks: first.length < 2 ? "does not hold, so that lists are not read to their end" : undefined,
  },
  {
    asked: "a token is bound to the other parameters",
    query: { pageSize: 1, orderBy: "name desc", pageToken: token },
    judge: (reply) => (token === "" ? undefined : isRejected(reply)),
  },
  { asked: "a made-up token is refused", query: { pageToken: "modelplatform-probe" }, judge: isRejected },
];

function selectionQuestions(first: readonly Json[]): Question[] {
  const [name] = names(first);
  const isOrdered = ({ error }: ProbeReply, members: readonly Json[]): boolean =>
    !error && members.length > 0 && names(members)[0] !== name;
  return [
    {
      asked: "a filter by name finds one, and totalSize counts what it finds",
      query: { filter: `name="${String(name)}"` },
      judge: ({ error, value }, members) => !error && members.length === 1 && Number(value?.["totalSize"]) === 1,
    },
    {
      asked: "a filter takes camelCase as well",
      query: { filter: 'createTime>"1970-01-01T00:00:00Z"' },
      judge: ({ error }) => !error,
    },
    { asked: "a filter on an unknown field is refused", query: { filter: "modelplatform_probe=1" }, judge: isRejected },
    {
      asked: "orderBy=name desc turns the order round",
      query: { pageSize: 1, orderBy: "name desc" },
      judge: isOrdered,
    },
    {
      asked: "the spelling order_by means the same",
      query: { pageSize: 1, [otherOrderBy]: "name desc" },
      judge: isOrdered,
    },
    {
      asked: "readMask=name leaves the name alone",
      query: { readMask: "name" },
      judge: ({ error }, members) =>
        !error && members.length > 0 && members.every((member) => Object.keys(member).join() === "name"),
    },
    {
      asked: "a readMask of an unknown field is refused",
      query: { readMask: "modelplatform_probe" },
      judge: isRejected,
    },
  ];
}
