import type { Reply } from "../../emulator/http/replies";
import { createEmulator, type Emulator } from "../../emulator/index";
import { isObject } from "../../provider/core/values/values";
import type { Values } from "../values";
import type { RequestTarget } from "./in-process";
import type { VirtualClock } from "./virtual-clock";

/** Answers reads from a replica that is `lag` milliseconds behind; writes go to the service itself. */
export class Replica implements RequestTarget {
  /** In milliseconds. */
  lag = 0;
  /** Another form in which the service answers its objects. */
  form: ((object: Values) => Values) | undefined;
  private readonly copy: Emulator;
  private readonly history: { at: number; world: unknown }[] = [];

  constructor(
    private readonly emulator: Emulator,
    private readonly clock: VirtualClock,
  ) {
    this.copy = createEmulator({ superuserKey: "superuser-key", clock: "manual", startTime: new Date(clock.now()) });
    this.note();
  }

  /** To be called after each change of the world. */
  note(): void {
    this.history.push({ at: this.clock.now(), world: this.emulator.world.snapshot() });
  }

  fetch(request: Request): Promise<Response> {
    return this.emulator.fetch(request);
  }

  async handle(request: Parameters<Emulator["handle"]>[0]): Promise<Reply> {
    const reply = await this.replyTo(request);
    if (!this.form || reply.status >= 300) return reply;
    return { ...reply, text: JSON.stringify(JSON.parse(reply.text), (_, value) => this.formed(value)) };
  }

  private formed(value: unknown): unknown {
    return isObject(value) && typeof value["name"] === "string" ? this.form!(value) : value;
  }

  private async replyTo(request: Parameters<Emulator["handle"]>[0]): Promise<Reply> {
    if (request.method === "GET" && this.lag > 0) return this.behind(request);
    const reply = await this.emulator.handle(request);
    if (request.method !== "GET") this.note();
    return reply;
  }

  private async behind(request: Parameters<Emulator["handle"]>[0]): Promise<Reply> {
    const then = this.clock.now() - this.lag;
    const { at, world } = this.history.filter((entry) => entry.at <= then).at(-1) ?? this.history[0]!;
    this.copy.world.restore(world);
    this.copy.world.clock.advance(Math.max(0, then - at));
    return { ...(await this.copy.handle(request)), time: this.emulator.world.clock.now() };
  }
}
