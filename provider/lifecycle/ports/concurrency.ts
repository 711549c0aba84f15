/** From this many on, nobody waits for more to join. */
const crowd = 8;
/** What is known is what has been seen so many times in a row. */
const memory = 3;

/**
 * How many operations on a collection are under way at once. An engine begins only so many, in a number that it does
 * not tell: those that wait for each other's company learn here that all have come.
 */
export class Concurrency {
  private underWay = 0;
  /** How many there were, the last times that all of them waited and nobody else came. */
  private complete: number[] = Array<number>(memory).fill(crowd);

  /** With so many waiting, more are not expected. */
  get limit(): number {
    return Math.max(...this.complete);
  }

  async during<T>(operation: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    if (this.underWay > this.limit) this.complete.fill(crowd);
    try {
      return await operation();
    } finally {
      this.underWay -= 1;
    }
  }

  /** So many have waited, and nobody else came. */
  waited(waiting: number): void {
    if (waiting === this.underWay && waiting < crowd) this.complete = [...this.complete.slice(1), waiting];
  }
}
