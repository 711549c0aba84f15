import type { Field } from "../../provider/core/fields/fields";
import { createRedactor, redacted } from "../../provider/core/redact";
import type { Dialect } from "../../provider/core/wire/dialect";
import { allSpecs } from "../../provider/resources/index";

/** A request as `GET /_emulator/requests` shows it. */
interface JournalEntry {
  id: string;
  /** When it came, on the emulator's clock: RFC 3339. */
  time: string;
  method: string;
  path: string;
  query: Record<string, string>;
  /** The path's account, else the key's; empty where neither is known. */
  account: string;
  /** Status of the answer, 0 where none was sent. */
  status: number;
  /** Kind of the fault that struck it. */
  fault?: string | undefined;
  /** The request's body with secrets masked, null where there was none. */
  body: unknown;
}

/** A request to be written down; `time` is in milliseconds since 1970. */
export interface JournalNote extends Omit<JournalEntry, "time" | "query" | "fault"> {
  time: number;
  query: ReadonlyMap<string, string>;
  fault: string | undefined;
}

/** How many requests are remembered. */
const capacity = 10_000;

const isSecret = ({ markers, fields }: Field): boolean =>
  !fields && (markers.secret === true || markers.inputOnly === true);

const secretNamesIn = (fields: readonly Field[]): string[] =>
  fields.flatMap((field) => [
    ...(isSecret(field) ? [field.name] : []),
    ...secretNamesIn(field.fields ?? []),
    ...(field.item ? secretNamesIn([field.item]) : []),
  ]);

const secretNames: ReadonlySet<string> = new Set(
  allSpecs.flatMap(({ fields }) => secretNamesIn([...fields.message, ...fields.outputs])),
);

/**
 * The body without secrets. They are known by the names of their members, at any depth, so that a secret in a
 * misspelt or misplaced message is masked as well; and its text is masked anywhere else in the body.
 */
function maskedBody(body: unknown, dialect: Dialect | undefined): unknown {
  const secrets: string[] = [];
  const masked = withoutSecrets(
    body,
    secrets,
    (name) => secretNames.has(name) || (dialect !== undefined && secretNames.has(dialect.ours.name(name))),
  );
  return createRedactor(secrets).value(masked);
}

function withoutSecrets(value: unknown, secrets: string[], isSecretName: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, secrets, isSecretName));
  const entries = Object.entries(value).map(([name, member]) => {
    if (!isSecretName(name) || member === null) return [name, withoutSecrets(member, secrets, isSecretName)];
    secrets.push(...textsIn(member));
    return [name, redacted];
  });
  return Object.fromEntries(entries);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A ring of the last 10,000 requests. Bodies are masked when they are written: no secret is kept. */
export class RequestJournal {
  private notes: JournalNote[] = [];
  private next = 0;

  /** `dialect` has the names of secrets in the body (A100). */
  write(note: JournalNote, dialect?: Dialect): void {
    const hasBody = note.body !== undefined && note.body !== null;
    this.notes[this.next] = hasBody ? { ...note, body: maskedBody(note.body, dialect) } : note;
    this.next = (this.next + 1) % capacity;
  }

  /** Oldest first. */
  entries(): JournalEntry[] {
    const inOrder = [...this.notes.slice(this.next), ...this.notes.slice(0, this.next)];
    return inOrder.filter((note) => note !== undefined).map(toEntry);
  }

  clear(): void {
    this.notes = [];
    this.next = 0;
  }
}

function toEntry({ time, query, fault, body, ...note }: JournalNote): JournalEntry {
  const { id, method, path, account, status } = note;
  return {
    id,
    time: new Date(time).toISOString(),
    method,
    path,
    query: Object.fromEntries(query),
    account,
    status,
    fault,
    body: body ?? null,
  };
}
