import { randomUUID } from "node:crypto";
import { type ControlParts, createControl } from "./control/control";
import { EmulatorCoverage } from "./coverage";
import type { Answering } from "./serving/request-handler";
import { createUploads } from "./uploads";
import { createRateLimiter, Exchange, type ExchangeParts } from "./wire/exchange";
import { createFaults } from "./wire/faults";
import { createJournal } from "./wire/journal";

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
    faults: createFaults(),
    journal: createJournal(),
    coverage: new EmulatorCoverage(),
  };
  const exchange = new Exchange({
    ...observed,
    ...parts,
    limiter: createRateLimiter(clock.kind === "real" ? now : () => clock.now()),
  });
  return { exchange, control: createControl({ ...observed, ...parts, exchange }), uploads: createUploads(world) };
}
