import { randomUUID } from "node:crypto";
import { type ControlParts, createControl } from "./control/control";
import { EmulatorCoverage } from "./coverage";
import type { Answering } from "./serving/request-handler";
import { createUploads } from "./uploads";
import { Exchange, type ExchangeParts, RateLimiter } from "./wire/exchange";
import { Faults } from "./wire/faults";
import { RequestJournal } from "./wire/journal";

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
  const observed = {
    instance,
    world,
    faults: new Faults(),
    journal: new RequestJournal(),
    coverage: new EmulatorCoverage(),
  };
  const exchange = new Exchange({
    ...observed,
    ...parts,
    limiter: new RateLimiter(clock.kind === "real" ? now : () => clock.now()),
  });
  return { exchange, control: createControl({ ...observed, ...parts, exchange }), uploads: createUploads(world) };
}
