interface Waiter {
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/**
 * Groups commits: one write in flight, each covering every commit requested before it started. `write` MUST capture its
 * data when it is called, before its first await.
 */
export class GroupCommit {
  private waiting: Waiter[] = [];
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly write: () => Promise<void>) {}

  /** Resolves once a write that began after this call has finished; rejects when that write failed. */
  commit(): Promise<void> {
    if (this.closed) return Promise.reject(new Error("A commit was requested after the state was closed."));
    const covered = new Promise<void>((resolve, reject) => this.waiting.push({ resolve, reject }));
    this.running ??= this.writeAll();
    return covered;
  }

  /** Resolves when nothing is in flight or waiting. A failed write rejects the commits that it covered, not this. */
  async flush(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Flushes, then rejects further commits. */
  async close(): Promise<void> {
    this.closed = true;
    await this.flush();
  }

  private async writeAll(): Promise<void> {
    // Commits requested in the same tick share the first write.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const covered = this.waiting;
      this.waiting = [];
      await this.writeFor(covered);
    }
    this.running = undefined;
  }

  private async writeFor(covered: Waiter[]): Promise<void> {
    try {
      await this.write();
    } catch (error) {
      for (const waiter of covered) waiter.reject(error);
      return;
    }
    for (const waiter of covered) waiter.resolve();
  }
}
