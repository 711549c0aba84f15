import { createHash } from "node:crypto";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import { snakeCase } from "../core/values/names";
import { tokenIn } from "./answers";
import type { ApiOperation, CallOptions, CallResult, Client, Json } from "./types";

/** Query of a list. Lists of accounts come in the order of their names and take no other. */
type ListQuery<Name extends string = string> = {
  /** AIP-160. */
  filter?: string | undefined;
  /** Default: 200, the maximum. */
  pageSize?: number | undefined;
  /** Fields to return, in either case; default: all. */
  readMask?: string | readonly string[] | undefined;
  /** Tombstones too, if the list can show them. */
  showDeleted?: boolean | undefined;
} & (Name extends "listAccounts"
  ? { orderBy?: never }
  : { /** Fields in either case, each with ` desc` or without, separated by commas. */ orderBy?: string | undefined });

interface ListOptions<Name extends string = string>
  extends Pick<CallOptions, "parameters" | "as" | "deadline" | "signal" | "once" | "decides" | "deferred"> {
  query?: ListQuery<Name>;
  /** Token of the page to begin with, from an earlier list with the same query; an expired one is an error. */
  from?: string | undefined;
  /** The list must prove that an object is deleted: rejects one without any of what the service counts. */
  provesAbsence?: boolean | undefined;
}

interface Page<T = Json> {
  items: readonly T[];
  /** The number of objects that pass the filter, if the service reports it. */
  totalSize?: number | undefined;
  /** Characters of the response. */
  size: number;
  /** Requests the page again; absent for the first one. */
  token?: string | undefined;
  /** No page follows. */
  isLast: boolean;
}

const largestPage = 200;

/** Limits of a list: a service that sends pages without end must not block a command or fill the memory. */
const listCeilings = {
  pages: 2_500,
  objects: 250_000,
  /** Characters of all pages together. */
  size: 128 * 1024 * 1024,
  /** Milliseconds for the whole list, if its caller sets no deadline. */
  time: 10 * 60_000,
} as const;

/** The members of a list, fetched page by page as they are consumed. `T` is not checked. */
export async function* items<T = Json, Name extends string = string>(
  client: Client,
  operation: Name,
  options: ListOptions<Name> = {},
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages<T, Name>(client, operation, options)) yield* page.items;
}

/**
 * The pages of a list (A094, A095). A repeated token is an error. An expired token leads to one new start, which skips
 * the pages that were already returned if they are the same; a list that has changed is an error, and so is one beyond
 * the ceilings.
 */
export async function* pages<T = Json, Name extends string = string>(
  client: Client,
  operation: Name,
  options: ListOptions<Name> = {},
): AsyncGenerator<Page<T>, void, undefined> {
  const list = client.catalogue.operation(operation);
  const deadline = options.deadline ?? client.now() + listCeilings.time;
  const read = reader(client, list, { ...options, deadline }, queryOf(list, options.query));
  const requestedTokens: string[] = [];
  let token = options.from;
  let position = 0;
  let restarted = false;
  for (;;) {
    const page = await read(token).catch((error: unknown) => {
      if (token === options.from || restarted || !refusesToken(error)) throw error;
      client.remark?.(
        `${operation} refused its own page token (${error.status}): the list is read again from its start`,
      );
      return undefined;
    });
    if (page) {
      const print = fingerprint(page.members);
      if (position < requestedTokens.length && requestedTokens[position] !== print) throw listChangedError(operation);
      if (position === requestedTokens.length) {
        requestedTokens.push(print);
        yield {
          items: (page.listed ?? page.members) as T[],
          size: page.size,
          totalSize: page.totalSize,
          token,
          isLast: page.next === undefined,
        };
      }
      if (page.next === undefined) break;
      position += 1;
      token = page.next;
    } else {
      restarted = true;
      position = 0;
      token = options.from;
      read.forget();
    }
  }
  if (position + 1 < requestedTokens.length) throw listChangedError(operation);
  if (options.from === undefined && !options.query?.filter)
    judgeContradicted(client, list, { ...read.taken, provesAbsence: options.provesAbsence === true });
}

/**
 * A total is a hint: services count what they hide or have deleted. A list without any of it proves nothing. Pages
 * without the list are not pages of one.
 */
function judgeContradicted(
  client: Client,
  list: ApiOperation,
  { objects, total, hasList, pages, provesAbsence }: ListProgress & { provesAbsence: boolean },
): void {
  const advice = "Check the key's rights, and that the base URL leads to this API: what it lists is not all it has.";
  const details = { operation: list.name, status: 200, advice, topic: "the-answer-is-not-the-apis" } as const;
  if (pages > 1 && !hasList)
    throw new ModelPlatformError(`has ${pages} pages, and none with its list \`${list.spec.collection}\``, details);
  if (total <= objects) return;
  const problem = `lists ${objects} of the ${total} objects that its \`totalSize\` counts`;
  if (provesAbsence && objects === 0) throw new ModelPlatformError(problem, details);
  client.remark?.(`${list.name} ${problem}: what it does not list is not seen`);
}

/** What a list has returned so far. */
interface ListProgress {
  pages: number;
  objects: number;
  /** Characters. */
  size: number;
  /** Objects that every page counts: others may come and go while the list is read. */
  total: number;
  /** A page had the collection, even if empty. */
  hasList: boolean;
}

const listChangedError = (operation: string): ModelPlatformError =>
  new ModelPlatformError("changed while it was read, and its page token expired", { operation, advice: "List again." });

interface PageReader {
  (
    token: string | undefined,
  ): Promise<{
    members: Json[];
    listed: CallResult["listed"];
    next: string | undefined;
    totalSize: number | undefined;
    size: number;
  }>;
  forget(): void;
  taken: Readonly<ListProgress>;
}

/** Reads single pages. Rejects a repeated token, and a page beyond a limit. */
function reader(
  client: Client,
  list: ApiOperation,
  { parameters, as, deadline, signal, once, decides, deferred }: ListOptions,
  query: CallOptions["query"],
): PageReader {
  const seen = new Set<string>();
  const taken: ListProgress = { pages: 0, objects: 0, size: 0, total: Infinity, hasList: false };
  const read = async (token: string | undefined) => {
    const { value, listed, size } = await client.call(list.name, {
      query: { ...query, pageToken: token },
      parameters,
      as,
      deadline,
      signal,
      once,
      decides,
      deferred,
    });
    const next = tokenIn(value);
    if (next !== undefined && seen.has(next))
      throw new ModelPlatformError("gave the same page token twice, so that its list would never end", {
        operation: list.name,
        advice: "This is a bug in the service: report it to its operators.",
      });
    if (next !== undefined) seen.add(next);
    const members = (value[list.spec.collection] ?? []) as Json[];
    taken.pages += 1;
    taken.objects += members.length;
    taken.size += size;
    if (next !== undefined || taken.pages > 1) assertListCeilings(list.name, taken);
    const counted = Number(value["totalSize"] ?? NaN);
    const totalSize = Number.isInteger(counted) ? counted : undefined;
    taken.total = Math.min(taken.total, totalSize ?? 0);
    taken.hasList ||= Array.isArray(value[list.spec.collection]);
    return { members, listed, next, totalSize, size };
  };
  const forget = (): void => {
    seen.clear();
    Object.assign(taken, { objects: 0, total: Infinity });
  };
  return Object.assign(read, { taken, forget });
}

function assertListCeilings(operation: string, taken: ListProgress): void {
  const { pages, objects, size } = listCeilings;
  const ceilings = [
    [taken.pages > pages, `${pages} pages`],
    [taken.objects > objects, `${objects} objects`],
    [taken.size > size, `${size / 1024 / 1024} MB`],
  ] as const;
  const beyond = ceilings.find(([isReached]) => isReached)?.[1];
  if (beyond === undefined) return;
  throw new ModelPlatformError(`stopped after ${beyond}, although the service has more`, {
    operation,
    advice:
      "Narrow the list with a `filter`; if there cannot be that many objects, report it to the service's operators.",
  });
}

function queryOf(
  list: ApiOperation,
  { orderBy, readMask, pageSize = largestPage, ...rest }: ListQuery = {},
): NonNullable<CallOptions["query"]> {
  if (orderBy !== undefined && !list.query.includes("orderBy")) {
    throw new ModelPlatformError("takes no `orderBy`", {
      operation: list.name,
      advice: "Its list always comes in the order of the names.",
    });
  }
  const mask = typeof readMask === "string" ? readMask : readMask?.join(",");
  return {
    ...rest,
    pageSize,
    orderBy: orderBy && snakeCase(orderBy),
    readMask: mask && snakeCase(mask),
  };
}

/** The page before was answered, and this request differs from that one by its token alone. */
const refusesToken = (error: unknown): error is ModelPlatformError =>
  isModelPlatformError(error) && [400, 404, 410].includes(error.status ?? 0);

/**
 * Two pages with the same objects in the same state have the same fingerprint. Pages may be large, so it is a digest.
 */
const fingerprint = (members: readonly Json[]): string =>
  createHash("sha256")
    .update(
      JSON.stringify(
        members.map(({ name, id, updateTime, createTime, state }) => [name, id, updateTime, createTime, state]),
      ),
    )
    .digest("base64");
