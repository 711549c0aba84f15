import { randomUUID } from "node:crypto";
import { type ControlParts, createControl } from "./http/control";
import { Exchange, type ExchangeParts, RateLimiter } from "./http/exchange";
import { Faults } from "./http/faults";
import { RequestJournal } from "./http/journal";
import type { Answering } from "./http/serve";
import { createUploads } from "./http/uploads";

interface AnsweringParts
  extends Pick<ControlParts, "world" | "initial" | "touch" | "token">,
    Pick<ExchangeParts, "sync" | "pause" | "onError"> {
  /** The machine's time in milliseconds since 1970. */
  now: () => number;
}

/** All that answers requests, from what every kind of object declares. */
export function createAnswering({ world, now, ...parts }: AnsweringParts): Answering {
  const { clock } = world;
  const instance = randomUUID().slice(0, 8);
  const observed = { instance, world, faults: new Faults(), journal: new RequestJournal() };
  const exchange = new Exchange({
    ...observed,
    ...parts,
    limiter: new RateLimiter(clock.kind === "real" ? now : () => clock.now()),
  });
  return { exchange, control: createControl({ ...observed, ...parts, exchange }), uploads: createUploads(world) };
}
