import type { Sent } from "../e2e/site";
import { accountOf, type Subject } from "./subject";

/** A live object of a subject. */
export interface Live {
  name: string;
  /** Tells it from another object of the same name; a secret has nothing that does. */
  made: string | undefined;
}

export const madeAt = (name: string, time: unknown): string | undefined =>
  time === undefined ? undefined : `${name} ${String(time)}`;

const isGone = /(DELETED|DELETING|UNDEPLOYING)$/;

export function isLive(subject: Subject, kind: string, name: string, fields: Record<string, unknown>): boolean {
  if (kind !== subject.variant.kind || !name.startsWith(`accounts/${accountOf(subject)}/`)) return false;
  if (isGone.test(String(fields["state"]))) return false;
  if (subject.variant.singleton) return fields["residency"] !== undefined;
  const { email, keyName, model } = fields;
  return JSON.stringify([name, email, keyName, model]).toLowerCase().includes(subject.tag);
}

/** Whether a request is about a subject: what follows it elsewhere, such as what a deployment serves, is not. */
export function concerns(subject: Subject, { path, query, body }: Sent, objects: readonly Live[]): boolean {
  const { variant, tag } = subject;
  if (!path.startsWith(`/v1/accounts/${accountOf(subject)}/${variant.collection}`)) return false;
  if (variant.singleton || objects.some(({ name }) => path.endsWith(name))) return true;
  return JSON.stringify([path, query, body]).toLowerCase().includes(tag);
}
