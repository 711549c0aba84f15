/** The operation's decisions so far, by URN; later ones depend on them. */
export class Decisions {
  /** Declared by the program in this run. */
  readonly declared = new Set<string>();
  /** Where in the program, such as `index.ts:3`. */
  readonly places = new Map<string, string>();
  readonly same = new Set<string>();
  readonly created = new Set<string>();
  readonly updated = new Set<string>();
  readonly replaced = new Set<string>();
  readonly read = new Set<string>();
  /**
   * Deleted ahead of a replacement, or at the end; taken out again when the program declares the resource after all.
   */
  readonly deleted = new Set<string>();
  /** Not created because the operation excludes them. */
  readonly skipped = new Set<string>();
  private readonly formerByNew = new Map<string, string>();
  private readonly newByFormer = new Map<string, string>();

  rename(former: string, urn: string): void {
    this.formerByNew.set(urn, former);
    this.newByFormer.set(former, urn);
  }

  formerUrn(urn: string): string | undefined {
    return this.formerByNew.get(urn);
  }

  newUrn(former: string): string | undefined {
    return this.newByFormer.get(former);
  }

  /** Whether a step of this run affects the resource with the recorded `urn`. */
  handled(urn: string): boolean {
    const now = this.newByFormer.get(urn) ?? urn;
    return this.same.has(now) || this.updated.has(now) || this.replaced.has(now) || this.read.has(now);
  }

  /** Whether the fate of `urn` is decided, deletion included. */
  settled(urn: string): boolean {
    return this.handled(urn) || this.created.has(urn) || this.deleted.has(urn);
  }
}
