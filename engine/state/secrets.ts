import { canonicalJson } from "../../io/text/canonical-json";
import { deepFreeze } from "./deployment";
import { openSecrets, passphraseFrom, type SecretsManager } from "./passphrase";
import { isObject, type ResourceState, type Snapshot, type StateValue, secretSignature } from "./resource-state";
import type { StackConfig } from "./stack-config";

type Secret = { [key: string]: StateValue };

/** Transforms one secret; `place` identifies it within the stack. */
type Change = (secret: Secret, place: string) => StateValue;

/** What a manager has encrypted or decrypted so far. */
interface Memory {
  /**
   * Ciphertext by place and plain text: a secret that did not change keeps its ciphertext,
   * so that files change only where state does.
   */
  ciphertexts: Map<string, string>;
  /** Resources in file form, by their memory form. */
  sealed: WeakMap<ResourceState, ResourceState>;
}

const memories = new WeakMap<SecretsManager, Memory>();

export function isSecret(value: StateValue | undefined): value is Secret {
  return isObject(value) && value[secretSignature.key] === secretSignature.value;
}

export function asSecret(value: StateValue): Secret {
  return { [secretSignature.key]: secretSignature.value, value };
}

/**
 * The salt text of a state; undefined when it has no secrets provider. Throws
 * when it has another one than the passphrase.
 */
export function saltOf(snapshot: Snapshot): string | undefined {
  const provider = snapshot.secretsProvider;
  if (provider === undefined) return undefined;
  const salt = isObject(provider.state) ? provider.state["salt"] : undefined;
  if (provider.type !== "passphrase" || typeof salt !== "string") {
    throw new Error(
      `The stack's secrets provider is \`${provider.type}\`; only \`passphrase\` is supported here. Use the Pulumi CLI for this stack.`,
    );
  }
  return salt;
}

/**
 * File form: every `{signature, value or plaintext}` becomes `{signature, ciphertext}`.
 * Freezes the resources: see `StackFiles.save`.
 */
export function encryptSnapshot(snapshot: Snapshot, manager: SecretsManager): Snapshot {
  const { sealed, ciphertexts } = memoryOf(manager);
  const seal: Change = (secret, place) => {
    if (typeof secret["ciphertext"] === "string") return secret;
    const text = secretText(valueIn(secret));
    const id = `${place}\n${text}`;
    const ciphertext = ciphertexts.get(id) ?? manager.encrypt(text);
    ciphertexts.set(id, ciphertext);
    return { [secretSignature.key]: secretSignature.value, ciphertext };
  };
  const convert = (resource: ResourceState): ResourceState => {
    const known = sealed.get(resource) ?? changeResource(resource, seal);
    sealed.set(deepFreeze(resource), known);
    return known;
  };
  return { ...changeSnapshot(snapshot, convert), secretsProvider: { type: manager.type, state: { ...manager.state } } };
}

/** Memory form: every `{signature, ciphertext or plaintext}` becomes `{signature, value}`. Freezes the resources. */
export function decryptSnapshot(snapshot: Snapshot, manager: SecretsManager): Snapshot {
  const { sealed, ciphertexts } = memoryOf(manager);
  const convert = (resource: ResourceState): ResourceState => {
    let asInFile = true;
    const opened = changeResource(resource, (secret, place) => {
      const { ciphertext } = secret;
      asInFile &&= typeof ciphertext === "string";
      if (typeof ciphertext !== "string") return asSecret(valueIn(secret));
      const value = valueOfText(manager.decrypt(ciphertext));
      ciphertexts.set(`${place}\n${secretText(value)}`, ciphertext);
      return asSecret(value);
    });
    if (asInFile) sealed.set(deepFreeze(opened), deepFreeze(resource));
    return opened;
  };
  return changeSnapshot(snapshot, convert);
}

/**
 * `stack export --show-secrets`: every `{signature, value}` becomes `{signature,
 * plaintext: "<JSON text>"}`. Takes the memory form.
 */
export function showSecrets(snapshot: Snapshot): Snapshot {
  const show: Change = (secret) => ({
    [secretSignature.key]: secretSignature.value,
    plaintext: secretText(valueIn(secret), "plaintext"),
  });
  return changeSnapshot(snapshot, (resource) => changeResource(resource, show));
}

function memoryOf(manager: SecretsManager): Memory {
  const memory = memories.get(manager) ?? { ciphertexts: new Map(), sealed: new WeakMap() };
  memories.set(manager, memory);
  return memory;
}

function changeSnapshot(snapshot: Snapshot, convert: (resource: ResourceState) => ResourceState): Snapshot {
  const pendingOperations = snapshot.pendingOperations.map(({ resource, type }) => ({
    resource: convert(resource),
    type,
  }));
  return { ...snapshot, resources: snapshot.resources.map(convert), pendingOperations };
}

/** The same object when it holds no secret. */
function changeResource(resource: ResourceState, change: Change): ResourceState {
  const inputs = resource.inputs && changeMembers(resource.inputs, change, `${resource.urn}\ninputs`);
  const outputs = resource.outputs && changeMembers(resource.outputs, change, `${resource.urn}\noutputs`);
  if (inputs === resource.inputs && outputs === resource.outputs) return resource;
  return { ...resource, inputs, outputs };
}

function changeValue(value: StateValue, change: Change, place: string): StateValue {
  if (isSecret(value)) return change(value, place);
  if (Array.isArray(value)) {
    const changed = value.map((element, index) => changeValue(element, change, `${place}\n${index}`));
    return changed.some((element, index) => element !== value[index]) ? changed : value;
  }
  return isObject(value) ? changeMembers(value, change, place) : value;
}

function changeMembers<Members extends { [key: string]: StateValue }>(
  members: Members,
  change: Change,
  place: string,
): Members | { [key: string]: StateValue } {
  const changed = Object.entries(members).map(([key, member]): [string, StateValue] => [
    key,
    changeValue(member, change, `${place}\n${key}`),
  ]);
  return changed.some(([key, member]) => member !== members[key]) ? Object.fromEntries(changed) : members;
}

/**
 * The JSON text of a secret's value. A secret within it stays marked but is not
 * encrypted again: `within` holds its JSON text.
 */
function secretText(value: StateValue, within: "ciphertext" | "plaintext" = "ciphertext"): string {
  const mark: Change = (inner) => ({
    [secretSignature.key]: secretSignature.value,
    [within]: secretText(valueIn(inner), within),
  });
  return canonicalJson(changeValue(value, mark, ""));
}

function valueOfText(text: string): StateValue {
  const value: StateValue = JSON.parse(text);
  const unmark: Change = (inner) =>
    asSecret(typeof inner["ciphertext"] === "string" ? valueOfText(inner["ciphertext"]) : valueIn(inner));
  return changeValue(value, unmark, "");
}

function valueIn({ plaintext, value = null }: Secret): StateValue {
  return typeof plaintext === "string" ? valueOfText(plaintext) : value;
}

interface OpenedStack {
  /** Encrypts with the salt of the stack's config, which gets one if it had none: save it. */
  manager: SecretsManager;
  /** The state in memory form. */
  snapshot: Snapshot | undefined;
}

/**
 * Opens a stack's secrets with the passphrase of the environment. The salt is the config's, else the state's, else a
 * new one. A state that was written with another salt than the config's is opened with its own.
 */
export async function openStack(
  config: StackConfig,
  state: Snapshot | undefined,
  env: { readonly [name: string]: string | undefined },
): Promise<OpenedStack> {
  const passphrase = await passphraseFrom(env);
  const stateSalt = state && saltOf(state);
  const manager = await openSecrets({ passphrase, salt: config.encryptionSalt ?? stateSalt });
  if (config.encryptionSalt === undefined) config.encryptionSalt = manager.state.salt;
  if (state === undefined) return { manager, snapshot: undefined };
  const opener =
    stateSalt === undefined || stateSalt === manager.state.salt
      ? manager
      : await openSecrets({ passphrase, salt: stateSalt });
  return { manager, snapshot: decryptSnapshot(state, opener) };
}
