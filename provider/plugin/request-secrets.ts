import { SecretMatcher } from "../../io/masking/matcher";
import { type Records, recordNames } from "../core/declaration/own-fields";
import { isObject, isSecretValue, isUnknown, plainValue, secretValue } from "../core/values/values";
import type { Values } from "../lifecycle/types";

/** Shorter texts occur in too many others to search for. */
const shortest = 3;

/** What came in as secret with one call, so that it goes out as nothing else. */
export interface RequestSecrets {
  /** Whether the property of that name came with a secret, as a whole or inside. */
  has(name: string): boolean;
  /** Masks what came in as secret in a text that is let out. */
  mask(text: string): string;
  /** Marks in an answer what came in as secret, wherever it is now, and the properties of these names. */
  mark(answer: Values, names: ReadonlySet<string>): Values;
}

/** `properties` as they came, with secrets marked. */
export function requestSecretsIn(...properties: readonly Values[]): RequestSecrets {
  const matcher = new SecretMatcher();
  const names = new Set<string>();
  for (const values of properties)
    for (const [name, value] of Object.entries(values)) if (learn(value, matcher)) names.add(name);
  const mask = (text: string): string => matcher.mask(text, "[secret]");
  const containsSecretText = (value: unknown): boolean => {
    if (typeof value === "string") return mask(value) !== value;
    if (value === null || typeof value !== "object" || isSecretValue(value)) return false;
    return Object.values(value).some(containsSecretText);
  };

  function marked(name: string, value: unknown): unknown {
    const like = properties.reduce((answer, values) => markSecretsLike(answer, values[name]), value);
    // Records have the names of fields one level down.
    const isRecord = recordNames.includes(name as keyof Records) && isMap(like);
    const inner = isRecord ? properties.reduce<unknown>(markSecretsLike, like) : like;
    return containsSecretText(inner) ? secretValue(plainValue(inner)) : inner;
  }

  return {
    has: (name) => names.has(name),
    mask,
    mark: (answer, always) =>
      Object.fromEntries(
        Object.entries(answer).map(([name, value]) => {
          if (value === null || isUnknown(value)) return [name, value];
          if (always.has(name)) return [name, secretValue(plainValue(value))];
          return [name, names.size === 0 ? value : marked(name, value)];
        }),
      ),
  };
}

/** Collects the texts of secrets; whether there is one. */
function learn(value: unknown, matcher: SecretMatcher): boolean {
  if (value === null || typeof value !== "object") return false;
  if (isSecretValue(value)) {
    keep(plainValue(value), matcher);
    return true;
  }
  return Object.values(value)
    .map((member) => learn(member, matcher))
    .some(Boolean);
}

function keep(secret: unknown, matcher: SecretMatcher): void {
  if (typeof secret === "string" && secret.length >= shortest && !isUnknown(secret)) matcher.add(secret);
  else if (typeof secret === "object" && secret !== null)
    for (const member of Object.values(secret)) keep(member, matcher);
}

/** Carries secrecy to the same places; a list with a secret inside becomes secret as a whole. */
function markSecretsLike(value: unknown, source: unknown): unknown {
  if (source === undefined || value === undefined || value === null || isUnknown(value)) return value;
  if (isMap(value) && isMap(source))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        markSecretsLike(member, Object.hasOwn(source, name) ? source[name] : undefined),
      ]),
    );
  return containsSecret(source) && !isMarked(value) ? secretValue(plainValue(value)) : value;
}

const isMarked = (value: unknown): boolean => typeof value === "object" && value !== null && isSecretValue(value);

const containsSecret = (value: unknown): boolean =>
  isMarked(value) || (typeof value === "object" && value !== null && Object.values(value).some(containsSecret));

const isMap = (value: unknown): value is Values => isObject(value) && !isSecretValue(value);
