/** How far a service's reads were seen behind its writes, in milliseconds: replicas answer what was true before. */
export class Lag {
  private seen = 0;

  get longest(): number {
    return this.seen;
  }

  note(ms: number): void {
    this.seen = Math.max(this.seen, ms);
  }
}
