import { createHash } from "node:crypto";
import { SecretMatcher } from "../../io/masking/matcher";

/** Texts and secrets for counting how the work of a mask grows; the same ones each time. */

/** `length` letters of base64 that nobody can guess, and that `seed` decides. */
export const letters = (seed: string, length: number): string =>
  createHash("shake256", { outputLength: length }).update(seed).digest("base64").slice(0, length);

const wrapped = (text: string): string => text.replace(/.{64}/g, "$&\n");

const pemKey = (seed: string): string =>
  `-----BEGIN PRIVATE KEY-----\n${wrapped(letters(seed, 1600))}\n-----END PRIVATE KEY-----\n`;

export const serviceAccount = (seed: string): string =>
  JSON.stringify(
    {
      type: "service_account",
      project_id: "acme",
      private_key_id: letters(`id ${seed}`, 40),
      private_key: pemKey(seed),
      client_email: "deployer@acme.example",
      auth_uri: "https://accounts.example.com/o/oauth2/auth",
      token_uri: "https://oauth2.example.com/token",
    },
    null,
    2,
  );

type Kind = (seed: string) => string;

/** Kinds of secrets, by what those of a kind have in common. */
export const kinds: Readonly<Record<string, Kind>> = {
  "keys of 40 letters": (seed) => letters(seed, 40),
  "keys that begin alike": (seed) => `sk-live-acme-production-key-${letters(seed, 24)}`,
  "keys that end alike": (seed) => `${letters(seed, 24)}-key-of-acme-in-production`,
  "keys alike in the middle": (seed) => `${letters(seed, 16)}-acme-production-${letters(`end ${seed}`, 16)}`,
  "PEM keys": pemKey,
  "service accounts": serviceAccount,
};

export const secretsOf = (kind: Kind, count: number): string[] =>
  Array.from({ length: count }, (_, at) => kind(`secret ${at}`));

export function matcherOf(secrets: readonly string[]): SecretMatcher {
  const matcher = new SecretMatcher();
  for (const secret of secrets) matcher.add(secret);
  return matcher;
}

/** Steps that `matcher` takes for `text`. */
export function stepsOf(matcher: SecretMatcher, text: string): number {
  const before = matcher.steps;
  matcher.mask(text, "[redacted]");
  return matcher.steps - before;
}

/** Steps to learn secrets of a kind and to mask each of them in a text. */
export function stepsOfSecrets(kind: Kind, count: number): number {
  const secrets = secretsOf(kind, count);
  const matcher = matcherOf(secrets);
  for (const secret of secrets) matcher.mask(`{"error":"no such key: ${secret}"}`, "[redacted]");
  return matcher.steps;
}

/** `length` letters, of which 11 at a time are of one of the secrets: a window, but no run that is masked. */
export function textOfShared(secrets: readonly string[], length: number): string {
  const runs = secrets.map((secret, at) => secret.slice(at % 20, (at % 20) + 11));
  let text = "";
  for (let at = 0; text.length < length; at++) text += `${runs[at % runs.length]}#`;
  return text.slice(0, length);
}
