import { matchesWildcard } from "../../filters/wildcards";
import { closest } from "../../provider/core/values/did-you-mean";
import { z } from "../../provider/core/zod";
import { operations } from "../routes";
import { ApiError } from "../types";

/**
 * What can go wrong, and whether the request has been carried out when it does; a fault's own `commit` says otherwise.
 */
export const faultKinds = {
  /** Answers `status`, with optional `body` and `headers`. */
  status: { commit: false },
  /** As `status`, once the request has been carried out. */
  commitThenStatus: { commit: true },
  /** Breaks the connection instead of answering. */
  reset: { commit: false },
  /** As `reset`, once the request has been carried out: the answer is lost. */
  resetAfterCommit: { commit: true },
  /** Breaks the connection and refuses new ones for `ms`. */
  refuse: { commit: false },
  /** Never answers; breaks the connection after `ms`, if set. */
  hang: { commit: false },
  /** Sends the headers and half of the body, then nothing; breaks the connection after `ms`, if set. */
  stall: { commit: true },
  /** Sends the headers and half of the body, then breaks the connection. */
  truncate: { commit: true },
  /** Answers 200 with JSON that is cut off. */
  garbage: { commit: true },
  /** Answers `status`, or 200, with a web page. */
  html: { commit: false },
  /** Answers with a body of more than `bytes`. */
  oversize: { commit: true },
  /** Answers `status`, or 307, with another origin's `location`. */
  redirect: { commit: false },
  /** Answers after `ms`. */
  slow: { commit: true },
  /** A read answers as if the last write had not happened yet. */
  stale: { commit: true },
  /**
   * After a create the object is not seen by its next `reads` reads, or for `ms` of the emulator's time;
   * a read that matches does not see it itself.
   */
  notYetVisible: { commit: true },
} as const;

export type FaultKind = keyof typeof faultKinds;

const kindNames = Object.keys(faultKinds) as [FaultKind, ...FaultKind[]];
const milliseconds = z.number().min(0).max(86_400_000);

const Fault = z.strictObject({
  kind: z.enum(kindNames),
  status: z.int().min(200).max(599).optional(),
  body: z.unknown().optional(),
  headers: z
    .record(z.string().regex(/^[\w-]+$/), z.union([z.string().regex(/^[^\r\n]*$/), z.number()]).transform(String))
    .optional(),
  commit: z.boolean().optional(),
  ms: milliseconds.optional(),
  bytes: z.int().min(1).max(200_000_000).optional(),
  location: z
    .string()
    .regex(/^[^\r\n]*$/)
    .optional(),
  reads: z.int().min(1).optional(),
});

export type Fault = z.output<typeof Fault>;

const FaultRequest = z.strictObject({
  match: z
    .strictObject({
      operation: z.string().optional(),
      method: z
        .string()
        .transform((method) => method.toUpperCase())
        .optional(),
      path: z.string().optional(),
      account: z.string().optional(),
    })
    .default({}),
  fault: Fault.refine(
    ({ kind, status }) => (kind !== "status" && kind !== "commitThenStatus") || status !== undefined,
    { path: ["status"], error: "must be given for this kind" },
  ),
  skip: z.int().min(0).default(0),
  /** `null` is without end. */
  times: z.int().min(1).nullable().default(1),
});

/** A fault that waits for requests. `hits` counts the requests it has struck. */
interface FaultRule extends z.output<typeof FaultRequest> {
  id: string;
  hits: number;
}

/** What a request is matched by. */
export interface FaultTarget {
  operation: string | undefined;
  method: string;
  path: string;
  account: string | undefined;
}

export class Faults {
  private rules: { rule: FaultRule; seen: number }[] = [];
  private count = 0;

  /** Takes a request as `POST /_emulator/faults` has it; throws an `ApiError` if it makes no sense. */
  add(request: unknown): FaultRule {
    const rule: FaultRule = { id: `fault-${++this.count}`, hits: 0, ...checked(request) };
    this.rules.push({ rule, seen: 0 });
    return rule;
  }

  list(): FaultRule[] {
    return this.rules.map(({ rule }) => rule);
  }

  /** Whether there was one. */
  remove(id: string): boolean {
    const before = this.rules.length;
    this.rules = this.rules.filter(({ rule }) => rule.id !== id);
    return this.rules.length < before;
  }

  clear(): void {
    this.rules = [];
  }

  /** Whether there are any rules. */
  get any(): boolean {
    return this.rules.length > 0;
  }

  /** The fault that strikes this request: of the matching rules with hits left, the oldest that has skipped enough. */
  takeMatching(target: FaultTarget): Fault | undefined {
    for (const entry of this.rules) {
      const { rule } = entry;
      if ((rule.times !== null && rule.hits >= rule.times) || !strikes(rule.match, target)) continue;
      if (entry.seen++ < rule.skip) continue;
      rule.hits++;
      return rule.fault;
    }
    return undefined;
  }
}

function checked(request: unknown): z.output<typeof FaultRequest> {
  const result = FaultRequest.safeParse(request);
  if (!result.success) {
    const reasons = result.error.issues.map(({ path, message }) => `\`${path.join(".") || "body"}\`: ${message}`);
    throw new ApiError(400, 3, `invalid fault: ${reasons.join("; ")}`);
  }
  const { operation } = result.data.match;
  const known = operations.map(({ name }) => name);
  if (operation !== undefined && !known.includes(operation)) {
    const near = closest(operation, known);
    throw new ApiError(
      400,
      3,
      `invalid fault: \`match.operation\`: there is no operation \`${operation}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`,
    );
  }
  return result.data;
}

/** A `*` in a path matches any text, slashes included. */
function strikes(match: FaultRule["match"], target: FaultTarget): boolean {
  if (match.operation !== undefined && match.operation !== target.operation) return false;
  if (match.method !== undefined && match.method !== target.method) return false;
  if (match.account !== undefined && match.account !== target.account) return false;
  return match.path === undefined || matchesWildcard(target.path, match.path.split(/\*+/));
}
