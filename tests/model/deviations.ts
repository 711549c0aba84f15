import fc from "fast-check";
import { type Reply, replyTo } from "../../emulator/http/replies";
import type { Emulator } from "../../emulator/index";
import type { ApiRequest } from "../../emulator/types";
import { isObject } from "../../provider/core/values/values";
import type { RequestTarget } from "../lifecycle/in-process";
import type { Values } from "../values";

/** How the service answers otherwise than one would expect, throughout a scenario. */
export type Deviation =
  /** Two clocks, so many seconds apart: that of answers, or of what every other backend answers or makes, is ahead. */
  | { deviation: "clocks"; seconds: number; of: "answers" | "every other answer" | "every other object" }
  /** Reads of settings show for so many seconds what was there before a change. */
  | { deviation: "settings"; seconds: number; shows: "before" | "nothing" }
  /** Live objects show a time of a deletion that is none. */
  | { deviation: "deleteTime"; time: string }
  /** Reads show for so many seconds what a request has deleted. */
  | { deviation: "deleted"; seconds: number };

export const deviation: fc.Arbitrary<Deviation> = fc.oneof(
  fc.record({
    deviation: fc.constant("clocks" as const),
    seconds: fc.constantFrom(3, -3, 40, -40, 7200, -7200),
    of: fc.constantFrom("answers" as const, "every other answer" as const, "every other object" as const),
  }),
  fc.record({
    deviation: fc.constant("settings" as const),
    seconds: fc.integer({ min: 1, max: 29 }),
    shows: fc.constantFrom("before" as const, "nothing" as const),
  }),
  fc.record({
    deviation: fc.constant("deleteTime" as const),
    time: fc.constantFrom("0001-01-01T00:00:00Z", "2031-06-01T00:00:00Z", "9999-12-31T23:59:59Z"),
  }),
  fc.record({ deviation: fc.constant("deleted" as const), seconds: fc.integer({ min: 1, max: 29 }) }),
);

/** What reads go on to show. */
interface Shown {
  until: number;
  reply: Reply;
}

const missing = replyTo({ status: 404, body: { code: 5, message: "not found", details: [] } });

/** The service, as its deviations have it answer. */
export class DeviatingService implements RequestTarget {
  deviations: readonly Deviation[] = [];
  private requests = 0;
  /** What reads still show, by path. */
  private readonly behind = new Map<string, Shown>();

  constructor(private readonly emulator: Emulator) {}

  fetch(request: Request): Promise<Response> {
    return this.emulator.fetch(request);
  }

  async handle(request: ApiRequest): Promise<Reply> {
    if (this.deviations.length === 0) return this.emulator.handle(request);
    this.requests += 1;
    const before = await this.shownBefore(request);
    let reply = await this.emulator.handle(request);
    if (before && reply.status < 300) this.behind.set(request.path, before);
    for (const each of this.deviations) reply = this.deviating(each, request, reply);
    return reply;
  }

  /** What replicas show for a while if this request succeeds. */
  private async shownBefore(request: ApiRequest): Promise<Shown | undefined> {
    const { method, path, query } = request;
    if (method === "POST") for (const id of query.values()) this.behind.delete(`${path}/${id}`);
    const meant = this.deviations.find(
      ({ deviation: kind }) =>
        (kind === "settings" && method === "PATCH" && path.endsWith("/policySettings")) ||
        (kind === "deleted" && method === "DELETE"),
    );
    if (!meant || !("seconds" in meant)) return undefined;
    const isBlank = "shows" in meant && meant.shows === "nothing";
    const read: ApiRequest = { ...request, method: "GET", query: new Map(), body: undefined };
    const reply = isBlank ? missing : await this.emulator.handle(read);
    return { until: this.emulator.world.clock.now() + meant.seconds * 1000, reply };
  }

  private deviating(each: Deviation, { method, path }: ApiRequest, reply: Reply): Reply {
    switch (each.deviation) {
      case "clocks":
        if (each.of !== "answers" && this.requests % 2 === 0) return reply;
        if (each.of === "every other object")
          return method === "POST" && isJson(reply.text) ? this.restamped(reply, each.seconds) : reply;
        return { ...reply, ...(reply.time !== undefined && { time: reply.time + each.seconds * 1000 }) };
      case "settings":
      case "deleted": {
        const shown = method === "GET" ? this.behind.get(path) : undefined;
        return shown && this.emulator.world.clock.now() < shown.until ? { ...shown.reply, time: reply.time! } : reply;
      }
      case "deleteTime":
        return reply.status < 300 && isJson(reply.text)
          ? { ...reply, text: withDeleteTime(reply.text, each.time) }
          : reply;
    }
  }

  /** An object's time is that of the backend which has made it. */
  private restamped(reply: Reply, seconds: number): Reply {
    const { world } = this.emulator;
    const { name, createTime } = (reply.status < 300 ? JSON.parse(reply.text) : {}) as Values;
    const made = name === undefined ? undefined : world.get(String(name));
    if (!made || createTime === undefined) return reply;
    const fields = {
      ...made.fields,
      createTime: new Date(Date.parse(String(createTime)) + seconds * 1000).toISOString(),
    };
    world.put({ ...made, fields });
    return { ...reply, text: JSON.stringify({ ...JSON.parse(reply.text), createTime: fields.createTime }) };
  }
}

/** A fault may have put a page in its place. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Objects with a time of their deletion, where they have none. */
const withDeleteTime = (text: string, deleteTime: string): string =>
  JSON.stringify(JSON.parse(text, (_, value: unknown) => marked(value, deleteTime)));

const marked = (value: unknown, deleteTime: string): unknown =>
  isObject(value) && typeof (value as Values)["name"] === "string" ? { deleteTime, ...value } : value;
