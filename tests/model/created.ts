import type { Reply } from "../../emulator/http/replies";
import type { ApiRequest } from "../../emulator/types";
import type { RequestTarget } from "../lifecycle/in-process";
import type { Values } from "../values";
import { type HeldResource, isOf, keyOf } from "./invariants";
import type { Stack } from "./stacks";
import { isWrite } from "./transport";

interface Created {
  stack: Stack;
  createTime: unknown;
}

/** What creates have made and no state has held: the service knows it, whatever became of its answers. */
export class CreatedObjects implements RequestTarget {
  /** Whose requests arrive. */
  maker: Stack | undefined;
  private readonly byName = new Map<string, Created>();

  constructor(
    private readonly service: RequestTarget,
    private readonly live: () => ReadonlyMap<string, Values>,
  ) {}

  fetch(request: Request): Promise<Response> {
    return this.service.fetch(request);
  }

  async handle(request: ApiRequest): Promise<Reply> {
    if (request.method !== "POST" || !isWrite(request)) return this.service.handle(request);
    const before = this.live();
    const reply = await this.service.handle(request);
    for (const [name, { createTime }] of this.live())
      if (!before.has(name) && this.maker) this.byName.set(name, { stack: this.maker, createTime });
    return reply;
  }

  /** Names of those that are among the doubts: names and natural keys. */
  named = (doubts: ReadonlySet<string>): string[] =>
    [...this.byName.keys()].filter((name) => doubts.has(name) || doubts.has(keyOf(this.live().get(name) ?? { name })));

  /** Somebody has decided about it, or nobody could know of it any longer. */
  forget(name: string): void {
    this.byName.delete(name);
  }

  forgetAll(): void {
    this.byName.clear();
  }

  /** What a stack has made, is live, is in no state, and is not among the doubts. */
  unnamed(stack: Stack, states: readonly HeldResource[], doubts: ReadonlySet<string>): string[] {
    const live = this.live();
    for (const [name, { createTime }] of this.byName) {
      const object = live.get(name);
      const isHeld = states.some((held) => held.id === name && isOf(held, object));
      if (object?.["createTime"] !== createTime || !object || isHeld) this.byName.delete(name);
    }
    const named = new Set(this.named(doubts));
    return [...this.byName].filter(([name, made]) => made.stack === stack && !named.has(name)).map(([name]) => name);
  }
}
