/**
 * Keys by one round in place of a million, for suites that judge no key and derive many. Import this before anything
 * that imports the engine; what such a suite writes, no process of its own can read. `state/secrets` has the real ones.
 */
jest.mock("node:crypto", () => {
  const crypto = jest.requireActual<typeof import("node:crypto")>("node:crypto");
  const pbkdf2 = (...[passphrase, salt, , ...rest]: Parameters<typeof crypto.pbkdf2>): void =>
    crypto.pbkdf2(passphrase, salt, 1, ...rest);
  return { ...crypto, pbkdf2 };
});
