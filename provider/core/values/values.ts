/** Property paths in Pulumi's syntax: `rules[0].model`, `annotations["custom/team"]`. */

export type Segment = string | number;

/** Writes segments as one path. */
export const pathText = (segments: readonly Segment[]): string => segments.reduce<string>(pathTo, "");

/** The path of a member of the value at `path`. */
export function pathTo(path: string, segment: Segment): string {
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(segment)) return path === "" ? segment : `${path}.${segment}`;
  return `${path}[${JSON.stringify(segment)}]`;
}

/** Reads a path into its segments. */
export function parsePath(text: string): Segment[] {
  if (/^\w+$/.test(text)) return [text];
  const segments: Segment[] = [];
  for (const match of text.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)) {
    if (match[1] !== undefined) segments.push(Number(match[1]));
    else if (match[2] !== undefined) segments.push(unquoted(match[2]));
    else segments.push(match[3]!);
  }
  return segments;
}

/** Others write paths, too: text that is not JSON is a name as it is. */
function unquoted(name: string): string {
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
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

/** Paths by their pieces: asking costs the length of the path, however many there are. */
export class PathTree {
  private readonly root: PathNode = { beneath: new Map(), isPath: false };

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      let node = this.root;
      for (const piece of piecesOf(path)) {
        const next = node.beneath.get(piece) ?? { beneath: new Map(), isPath: false };
        node.beneath.set(piece, next);
        node = next;
      }
      node.isPath = true;
    }
  }

  /** Whether one of them is around `path`. */
  isAround(path: string): boolean {
    return this.nodeAt(piecesOf(path).slice(0, -1))?.isPath === true;
  }

  /** Whether one of them is `path`, around it or beneath it. */
  touches(path: string): boolean {
    return this.nodeAt(piecesOf(path)) !== undefined;
  }

  /** The first node on the way that is a path, else the one at its end. */
  private nodeAt(pieces: readonly string[]): PathNode | undefined {
    let node: PathNode | undefined = this.root;
    for (const piece of pieces) {
      if (node === undefined || node.isPath) return node;
      node = node.beneath.get(piece);
    }
    return node;
  }
}

interface PathNode {
  readonly beneath: Map<string, PathNode>;
  isPath: boolean;
}

const piecesOf = (path: string): string[] => path.split(/(?=[.[])/);

/** The top-level property that `path` is in. */
export const topLevel = (path: string): string => String(parsePath(path)[0] ?? "");

/**
 * What Pulumi's wire form puts in place of a value: sentinels for values not known in preview, signature
 * objects for secrets. The constants are those of Pulumi's own serialization
 * (`sdk/nodejs/runtime/rpc.ts`, `sdk/go/common/resource/plugin/rpc.go`).
 */

/** Stands for a value of any type that is known later. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const unknownSentinels: ReadonlySet<unknown> = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** A dynamic provider gets the string sentinel for an unknown of any type; the others are recognised anyway. */
export function isUnknown(value: unknown): boolean {
  return unknownSentinels.has(value);
}

/** Whether `value` is or contains an unknown. */
export function containsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  if (value === null || typeof value !== "object") return false;
  return Object.values(value).some(containsUnknown);
}

/** Marks `value` as a secret in a dynamic provider's answer; the engine then stores it as ciphertext. */
export function secretValue(value: unknown): Record<string, unknown> {
  return { [signatureKey]: secretSignature, value };
}

export function isSecretValue(value: object): value is { value: unknown } {
  return (value as Record<string, unknown>)[signatureKey] === secretSignature;
}

/** A copy of `value` with every secret's plain value in place and every `undefined` member left out. */
export function plainValue(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (isSecretValue(value)) return plainValue(value.value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plainValue(member)]));
}

/** Named values of a form that is not known where they are used: inputs, outputs, messages of the service. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether `value` has named members: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that have a value: for what is counted, merged or compared by its members, and for public results. */
export const omitUndefined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

const mostLetters = 120;

/** A value that is not secret, in a message: a long one is shortened. */
export function shortText(value: unknown): string {
  const text = value === undefined || value === null ? "unset" : JSON.stringify(value);
  return text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;
}

/** The shortest decimal that is the same number with 32 bits. */
export function shortestFloat32(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === Math.fround(value)) return candidate;
  }
  return value;
}
