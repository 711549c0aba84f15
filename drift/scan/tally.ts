/** What a list has answered, and what it says that it has. */
export class NameTally {
  readonly names = new Set<string>();
  /** Objects that every page counts. */
  counted = Number.POSITIVE_INFINITY;
  #doubled: string | undefined;

  note(name: string): void {
    if (this.names.has(name)) this.#doubled ??= name;
    this.names.add(name);
  }

  get isShort(): boolean {
    return this.names.size < this.counted;
  }

  /** Why it does not tell what the collection lacks. */
  get gap(): string | undefined {
    if (this.#doubled !== undefined) return `the service lists ${this.#doubled} more than once`;
    return this.isShort
      ? `the service lists ${this.names.size} of the ${this.counted} objects that it counts`
      : undefined;
  }
}
