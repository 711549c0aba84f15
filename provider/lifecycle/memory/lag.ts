/** What a service's reads may not show yet, because replicas lag. */
export class Lag {
  private seen = 0;
  private readonly created = new Map<string, number>();

  /** Longest observed lag of reads behind writes, in milliseconds. */
  get longest(): number {
    return this.seen;
  }

  note(ms: number): void {
    this.seen = Math.max(this.seen, ms);
  }

  /** This process has created the object of that name. */
  noteCreated(name: string, at: number): void {
    this.created.set(name, at);
  }

  /** When this process has created the object of that name, in milliseconds since 1970. */
  createdAt(name: string): number | undefined {
    return this.created.get(name);
  }
}
