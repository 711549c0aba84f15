interface ListOptions {
  most: number;
  /** How many there are, where some are not among the texts. Default: those of the texts. */
  of?: number;
  joint?: string;
}

/** The first texts, and how many more there are: `a, b and 3 more`. */
export function firstOf(texts: readonly string[], { most, of = texts.length, joint = ", " }: ListOptions): string {
  const visible = texts.slice(0, most);
  const more = of - visible.length;
  return `${visible.join(joint)}${more > 0 ? ` and ${more} more` : ""}`;
}
