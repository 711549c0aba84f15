/** The steps of a rehearsal: the one under way, and how long each took. */
export class Steps {
  /** As a phrase after "while": `publishing to npm`. */
  current = "making a temporary folder";

  constructor(
    private readonly clock: () => number,
    private readonly announce: (step: string) => void,
  ) {}

  async during<T>(step: string, action: () => Promise<T>): Promise<{ value: T; seconds: number }> {
    this.current = step;
    this.announce(step);
    const startedAt = this.clock();
    const value = await action();
    return { value, seconds: (this.clock() - startedAt) / 1000 };
  }
}
