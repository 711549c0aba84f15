import type { ApiOperation, Json } from "../../../provider/api/types";
import { describeReply, isConclusive, otherOrderBy, type ProbeClient, type ProbeReply } from "./asker";
import { membersIn, parentParameters, type Samples } from "./endpoints";
import { type ProbeFinding, verdictOf } from "./finding";

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
