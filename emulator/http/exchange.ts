import { messageOf } from "../../provider/core/errors";
import { callerIn } from "../access";
import { type App, createApp, dialectIn } from "../app";
import { errorResponse } from "../refusals";
import { findOperation, nameOf, type RouteMatch } from "../routes";
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  type Caller,
  type EmulatorClock,
  type StoredObject,
  type World,
} from "../types";
import { type Fault, type Faults, faultKinds } from "./faults";
import type { RequestJournal } from "./journal";
import { applyFault, type Reply, replyTo } from "./replies";

/** What a reader does not see yet. */
interface ReplicaLag {
  /** Objects are seen as they were before their last write, deleted ones as if still there. */
  stale: boolean;
  isUnseen(name: string): boolean;
}

/** The world as a lagging replica shows it. Writes reach the world directly. */
function laggingWorld(world: World, lag: ReplicaLag): World {
  const seen = (name: string, object: StoredObject | undefined): StoredObject | undefined => {
    if (lag.isUnseen(name)) return undefined;
    return lag.stale ? (world.previous(name) ?? object) : object;
  };
  const allSeen = (objects: Iterable<StoredObject>): StoredObject[] =>
    [...objects].flatMap((object) => seen(object.name, object) ?? []);
  return {
    clock: world.clock,
    keys: world.keys,
    get: (name) => seen(name, world.get(name)),
    list: (kind, account) => allSeen(world.list(kind, account)),
    all: () => allSeen(world.all()),
    put: (object) => world.put(object),
    remove: (name) => world.remove(name),
    setKey: (key, account, role) => world.setKey(key, account, role),
    removeKey: (key) => world.removeKey(key),
    settingsOf: (account) => world.settingsOf(account),
    changeSettings: (change, account) => world.changeSettings(change, account),
    snapshot: () => world.snapshot(),
    restore: (snapshot) => world.restore(snapshot),
    onChange: (listener) => world.onChange(listener),
    previous: (name) => world.previous(name),
    uuid: () => world.uuid(),
  };
}

/** Objects that their creator cannot see yet. */
class HiddenObjects {
  private readonly hidden = new Map<string, { reads: number; until: number }>();

  constructor(private readonly clock: EmulatorClock) {}

  /** Hides an object for so many reads of it, or until a time of the emulator's. */
  hide(name: string, reads: number | undefined, ms: number | undefined): void {
    this.hidden.set(name, {
      reads: reads ?? (ms === undefined ? 1 : Number.POSITIVE_INFINITY),
      until: ms === undefined ? Number.POSITIVE_INFINITY : this.clock.now() + ms,
    });
  }

  isUnseen(name: string): boolean {
    const entry = this.hidden.get(name);
    if (!entry) return false;
    if (entry.reads > 0 && this.clock.now() < entry.until) return true;
    this.hidden.delete(name);
    return false;
  }

  /** Counts a read of the object. */
  read(name: string): void {
    const entry = this.hidden.get(name);
    if (entry) entry.reads--;
  }

  /** Whether anything is hidden at all. */
  get any(): boolean {
    return this.hidden.size > 0;
  }

  clear(): void {
    this.hidden.clear();
  }
}

/** A request from the wire. `unfit` says what is wrong with a body that could not be read. */
export interface WireRequest extends ApiRequest {
  unfit?: ApiError | undefined;
}

export interface ExchangeParts {
  world: World;
  faults: Faults;
  journal: RequestJournal;
  limiter: RateLimiter;
  /** Resolves once all that has changed is on the disk; undefined where there is nothing to wait for. */
  sync: (() => Promise<void> | undefined) | undefined;
  /** Resolves after so many milliseconds of the machine's time. */
  pause: (ms: number) => Promise<void>;
  /** Receives bugs of the emulator itself. */
  onError: (error: unknown) => void;
  /** Distinguishes this run from another, and its request ids. */
  instance: string;
}

interface HandledRequest {
  request: WireRequest;
  caller: Caller | undefined;
  /** The path's account, else the key's, else none. */
  account: string;
  /** Set once a fault strikes. */
  fault: Fault | undefined;
}

/** All that happens to a request between the wire and the application: limits, faults, journal, durability. */
export class Exchange {
  private readonly app: App;
  private readonly unseen: HiddenObjects;
  private count = 0;

  constructor(private readonly parts: ExchangeParts) {
    this.app = createApp(parts.world);
    this.unseen = new HiddenObjects(parts.world.clock);
  }

  /** Answers immediately if there is nothing to wait for. */
  handle(request: WireRequest): Reply | Promise<Reply> {
    const handled = this.handledOf(request);
    const reply = this.rateLimitResponse(handled) ?? this.answer(handled);
    const id = `${this.parts.instance}-${++this.count}`;
    this.note(id, handled, reply);
    reply.id = id;
    reply.instance = this.parts.instance;
    reply.time = this.parts.world.clock.now();
    const { compress } = this.parts.world.settingsOf(handled.account);
    if (compress !== "none" && reply.text !== "") reply.encoding = compress;
    const stored = this.parts.sync?.();
    const ms = handled.fault?.kind === "slow" ? (handled.fault.ms ?? 1000) : 0;
    return stored || ms > 0 ? this.delayedReply(reply, stored, ms, handled.account) : reply;
  }

  /** Forgets what readers do not see yet. */
  reset(): void {
    this.unseen.clear();
  }

  private handledOf(request: WireRequest): HandledRequest {
    const caller = callerIn(this.parts.world.keys, request.headers);
    return { request, caller, account: accountIn(request.path) ?? caller?.account ?? "", fault: undefined };
  }

  /** A limit is the key's account's (A096); who has no key gets no further than 401 anyway. */
  private rateLimitResponse({ caller, account }: HandledRequest): Reply | undefined {
    const { world, limiter } = this.parts;
    const limit = caller && world.settingsOf(caller.account).rateLimit;
    if (!limit || limit.perSecond === 0) return undefined;
    const ms = limiter.take(caller.account, limit);
    if (ms === 0) return undefined;
    const refusal = new ApiError(
      429,
      8,
      `too many requests for the account \`${caller.account}\`; try again in ${ms} ms`,
    );
    const answer = errorResponse(refusal, world.settingsOf(account).errorStyle);
    return replyTo({
      ...answer,
      headers: { ...answer.headers, "retry-after": String(Math.ceil(ms / 1000)), "retry-after-ms": String(ms) },
    });
  }

  private answer(handled: HandledRequest): Reply {
    const { request, account } = handled;
    const fault = this.parts.faults.any
      ? this.parts.faults.takeMatching({
          operation: findRoute(request)?.operation.name,
          method: request.method,
          path: request.path,
          account,
        })
      : undefined;
    if (!fault) return replyTo(this.apply(handled));
    handled.fault = fault;
    const commits = fault.commit ?? faultKinds[fault.kind].commit;
    const reply = commits ? replyTo(this.apply(handled)) : { status: 200, headers: {}, text: "" };
    return applyFault(reply, fault, { path: request.path, style: this.parts.world.settingsOf(account).errorStyle });
  }

  private apply(handled: HandledRequest): ApiResponse {
    const { request, caller, account, fault } = handled;
    const { world, onError } = this.parts;
    const unfit = request.unfit ?? unfitType(request);
    if (unfit) return errorResponse(unfit, world.settingsOf(account).errorStyle);
    try {
      if (request.method === "GET" && (this.unseen.any || fault?.kind === "stale" || fault?.kind === "notYetVisible"))
        return this.lagging(handled);
      const answered = this.app(request, caller);
      if (fault?.kind === "notYetVisible") this.hide(handled, answered, fault);
      return answered;
    } catch (error) {
      onError(error);
      return errorResponse(
        new ApiError(500, 13, `the emulator failed: ${messageOf(error)}`),
        world.settingsOf(account).errorStyle,
      );
    }
  }

  private lagging({ request, caller, fault }: HandledRequest): ApiResponse {
    const match = findRoute(request);
    const target = match?.operation.verb === "get" ? nameOf(match.operation.spec, match.parameters) : undefined;
    const isUnseen = (name: string) =>
      this.unseen.isUnseen(name) || (fault?.kind === "notYetVisible" && name === target);
    const answered = createApp(laggingWorld(this.parts.world, { stale: fault?.kind === "stale", isUnseen }))(
      request,
      caller,
    );
    if (target !== undefined) this.unseen.read(target);
    return answered;
  }

  private hide({ request, account }: HandledRequest, answered: ApiResponse, { reads, ms }: Fault): void {
    const called = dialectIn(this.parts.world.settingsOf(account))?.theirs.name("name") ?? "name";
    const name = (answered.body as Readonly<Record<string, unknown>> | undefined)?.[called];
    if (findRoute(request)?.operation.verb === "create" && answered.status === 200 && typeof name === "string")
      this.unseen.hide(name, reads, ms);
  }

  private note(id: string, { request, account, fault }: HandledRequest, { status, wire }: Reply): void {
    const { method, path, query, body, unfit } = request;
    const answered = wire === undefined || wire.kind === "stall" || wire.kind === "truncate";
    const { world, journal } = this.parts;
    journal.write(
      {
        id,
        time: world.clock.now(),
        method,
        path,
        query,
        account,
        status: answered ? status : 0,
        fault: fault?.kind,
        body: unfit ? "(unreadable)" : body,
      },
      dialectIn(world.settingsOf(account)),
    );
  }

  private async delayedReply(
    reply: Reply,
    stored: Promise<void> | undefined,
    ms: number,
    account: string,
  ): Promise<Reply> {
    try {
      await Promise.all([stored, ms > 0 ? this.parts.pause(ms) : undefined]);
      return reply;
    } catch (error) {
      this.parts.onError(error);
      const refusal = new ApiError(500, 13, `the emulator could not store the change: ${messageOf(error)}`);
      return {
        ...replyTo(errorResponse(refusal, this.parts.world.settingsOf(account).errorStyle)),
        id: reply.id,
      };
    }
  }
}

function findRoute({ method, path }: WireRequest): RouteMatch | undefined {
  const match = findOperation(method, path);
  return typeof match === "string" ? undefined : match;
}

/** Bodies are JSON, and say so (section 4). */
const unfitType = ({ body, headers }: WireRequest): ApiError | undefined =>
  body === undefined || /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")
    ? undefined
    : new ApiError(415, 3, "the body must be JSON, with the header `Content-Type: application/json`");

const accountIn = (path: string): string | undefined => {
  if (!path.startsWith("/v1/accounts/")) return undefined;
  const end = path.indexOf("/", 13);
  const account = end < 0 ? path.slice(13) : path.slice(13, end);
  return account === "" || account === "-" ? undefined : account;
};

interface RateLimit {
  perSecond: number;
  burst: number;
}

/**
 * A token bucket per account (A096). `now` is in milliseconds: a limit counts the seconds that clients wait, so on a
 * real clock this is the machine's time at any speed of the emulator, and on a manual clock the emulator's.
 */
export class RateLimiter {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(private readonly now: () => number) {}

  /** Takes a token of the account; 0 if there was one, else the milliseconds until there is. */
  take(account: string, { perSecond, burst }: RateLimit): number {
    const time = this.now();
    const bucket = this.buckets.get(account) ?? { tokens: burst, at: time };
    // A refilled token is a whole one even where floating point makes it a hair less.
    const tokens = Math.min(burst, bucket.tokens + (Math.max(0, time - bucket.at) / 1000) * perSecond + 1e-9);
    const taken = tokens >= 1;
    this.buckets.set(account, { tokens: taken ? tokens - 1 : tokens, at: time });
    return taken ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
  }
}
