import type { LiveObject, Objects, RequestOptions } from "../ports/objects";
import type { Clock } from "../ports/ports";
import { Batcher, type Question } from "./batcher";
import { DurationEstimate, type NextPoll } from "./poll-schedule";

/** From this many waiting objects on, all are looked at where one is due, because a list shows them all (A096). */
const listFrom = 3;

/**
 * Observes the objects of one collection for everyone who waits for one of them: a few by reads, many by list pages.
 * What a list does not show is read on its own, since tombstones are hidden from lists (A042, A072).
 */
export class Poller {
  private readonly estimates = new Map<string, DurationEstimate>();
  private readonly polls: Batcher<Question>;

  constructor(
    { concurrency, look }: Pick<Objects, "concurrency" | "look">,
    private readonly clock: Clock,
  ) {
    this.polls = new Batcher({ concurrency, clock, togetherFrom: listFrom }, async (batch) => {
      await Promise.all(
        batch.map(({ name, options, deleted, resolve, reject }) =>
          look(name, options, { deleted, now: true }).then(resolve, reject),
        ),
      );
    });
  }

  /**
   * What is known about waits of one motion, which all take about as long. `usual` and `rarest` are for the first of
   * them.
   */
  estimateOf(motion: string, usual: number | undefined, rarest: number): DurationEstimate {
    const estimate = this.estimates.get(motion) ?? new DurationEstimate(usual, rarest);
    this.estimates.set(motion, estimate);
    return estimate;
  }

  /**
   * The object as it is about `at` milliseconds from now, or undefined where it is gone. Rejects when the signal
   * aborts.
   */
  next(
    name: string,
    { at, apart }: NextPoll,
    options: RequestOptions,
    deleted?: boolean,
  ): Promise<LiveObject | undefined> {
    return this.polls.ask({ name, due: this.clock.now() + at, apart, deleted, options });
  }
}
