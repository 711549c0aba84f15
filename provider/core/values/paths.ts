/** Property paths in Pulumi's syntax: `rules[0].model`, `annotations["custom/team"]`. */

export type Segment = string | number;

/** Writes segments as one path. */
export function pathText(segments: readonly Segment[]): string {
  return segments.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    if (/^[A-Za-z_$][\w$]*$/.test(segment)) return text === "" ? segment : `${text}.${segment}`;
    return `${text}[${JSON.stringify(segment)}]`;
  }, "");
}

/** Reads a path into its segments. */
export function parsePath(text: string): Segment[] {
  if (/^\w+$/.test(text)) return [text];
  const segments: Segment[] = [];
  for (const match of text.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)) {
    if (match[1] !== undefined) segments.push(Number(match[1]));
    else if (match[2] !== undefined) segments.push(JSON.parse(`"${match[2]}"`) as string);
    else segments.push(match[3]!);
  }
  return segments;
}

/** The value at `path`, or undefined where something on the way is not there. */
export function valueAt(root: unknown, path: string | readonly Segment[]): unknown {
  const segments = typeof path === "string" ? parsePath(path) : path;
  return segments.reduce<unknown>(
    (value, segment) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, segment)
        ? (value as Record<Segment, unknown>)[segment]
        : undefined,
    root,
  );
}

/** Whether `path` is `around` or beneath it. */
export const isWithin = (path: string, around: string): boolean =>
  path === around || path.startsWith(`${around}.`) || path.startsWith(`${around}[`);

/** The top-level property that `path` is in. */
export const topLevel = (path: string): string => String(parsePath(path)[0] ?? "");
