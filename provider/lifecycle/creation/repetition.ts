import { problemOf } from "../../core/errors";
import type { ResourceOperation } from "../operation/operation";

/** Milliseconds before a create is sent again: doubled each time, up to the last. */
const pauseMs = { first: 1000, last: 25_000 };
/** Whoever has waited so long is told what for. */
const silentMs = 10_000;

/** A create that is sent again and again, until the deadline of its operation. */
export class Repetition {
  private next = pauseMs.first;
  private begun: number | undefined;
  private isTold = false;

  constructor(private readonly operation: ResourceOperation) {}

  /** Resolves when the next request is due. Rejects with the last one's error if the time is over. */
  async pause(error: unknown): Promise<void> {
    const { ports, deadline, call } = this.operation;
    const now = ports.clock.now();
    if (now + this.next > deadline) throw error;
    this.begun ??= now;
    if (now - this.begun >= silentMs) this.tell(error);
    await ports.clock.sleep(this.next, call.signal);
    this.next = Math.min(2 * this.next, pauseMs.last);
  }

  private tell(error: unknown): void {
    if (this.isTold) return;
    this.isTold = true;
    const { spec, call, deadline } = this.operation;
    const until = new Date(deadline).toISOString();
    call.reporter.info(
      `${spec.kind} is not created yet: ${problemOf(error)}. The create is repeated until ${until}; \`timeouts.create\` sets its time limit.`,
    );
  }
}
