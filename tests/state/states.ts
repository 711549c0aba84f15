import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { SecretsManager } from "../../engine/state/passphrase";
import type { ResourceState, Snapshot, StateValue } from "../../engine/state/resource-state";
import { encryptSnapshot } from "../../engine/state/secrets";

/** Files that the Pulumi CLI wrote, for a stack `dev` of project `demo` with the passphrase `correct-horse`. */
export const fixture = (name: string): Buffer => readFileSync(join(__dirname, "fixtures", name));
export const fixturePassphrase = "correct-horse";
export const fixtureSalt = "v1:GV1T5e8xYPk=:v1:iVg8lxihbdVPeEFx:5lc2NSdt/a6bVVRxhMYzJRfxLzOypg==";

const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
export const secret = (value: StateValue): { [key: string]: StateValue } => ({ ...signature, value });
export const ciphertext = (text: string): { [key: string]: StateValue } => ({ ...signature, ciphertext: text });
export const plaintext = (text: string): { [key: string]: StateValue } => ({ ...signature, plaintext: text });

/** Encrypts nothing, fast: what it makes of a text can be told from the text. */
export const namedSecrets: SecretsManager = {
  type: "passphrase",
  state: { salt: "v1:salt" },
  encrypt: (text) => `sealed:${Buffer.from(text).toString("base64")}`,
  decrypt: (text) => Buffer.from(text.slice("sealed:".length), "base64").toString(),
};

export const urnOf = (name: string, type = "test:index:Thing"): string => `urn:pulumi:dev::demo::${type}::${name}`;

export function resource(name: string, more: Partial<ResourceState> = {}): ResourceState {
  return { urn: urnOf(name), custom: true, id: `id-${name}`, type: "test:index:Thing", ...more };
}

export function snapshotOf(resources: ResourceState[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    manifest: { time: "2026-01-02T03:04:05.678Z", magic: "", version: "" },
    resources,
    pendingOperations: [],
    metadata: {},
    ...more,
  };
}

/** JSON as it comes back from a file: no negative zero. */
export const anyJson: fc.Arbitrary<StateValue> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): StateValue => JSON.parse(JSON.stringify(value)));

/** JSON with secrets in it, also secrets within secrets. */
export const anyValue: fc.Arbitrary<StateValue> = fc.letrec<{ value: StateValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    anyJson,
    tie("value").map(secret),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const anyProperties = fc.dictionary(
  fc.oneof(fc.constantFrom("name", "9", "10", "__proto__"), fc.string({ minLength: 1 })),
  anyValue,
  { minKeys: 1, maxKeys: 3 },
);

const anyDetails: fc.Arbitrary<Partial<ResourceState>> = fc.record(
  {
    inputs: anyProperties,
    outputs: anyProperties,
    protect: fc.constant(true),
    taint: fc.constant(true),
    external: fc.constant(true),
    pendingReplacement: fc.constant(true),
    retainOnDelete: fc.constant(true),
    initErrors: fc.array(fc.string(), { minLength: 1, maxLength: 2 }),
    customTimeouts: fc.record({
      create: fc.integer({ min: 1 }),
      delete: fc.double({ min: 0.5, noNaN: true, noDefaultInfinity: true }),
    }),
    created: fc.constant("2026-01-02T03:04:05.000000006Z"),
    keyOfTomorrow: anyJson,
  },
  { requiredKeys: [] },
);

/** Resources whose references all lead to earlier ones; some stand twice, once waiting for their deletion. */
export const anyResources: fc.Arbitrary<ResourceState[]> = fc
  .array(fc.record({ details: anyDetails, links: fc.array(fc.nat(), { maxLength: 4 }), replaced: fc.boolean() }), {
    maxLength: 7,
  })
  .map((seeds) => {
    const made: ResourceState[] = [
      { urn: urnOf("default", "pulumi:providers:test"), custom: true, id: "p1", type: "pulumi:providers:test" },
    ];
    seeds.forEach(({ details, links, replaced }, index) => {
      const [parent, withThis, ...dependencies] = links.map((link) => made[link % made.length]!.urn);
      const linked = resource(`r${index}`, {
        ...details,
        provider: `${made[0]!.urn}::p1`,
        ...(parent !== undefined && { parent }),
        ...(withThis !== undefined && { deletedWith: withThis }),
        ...(dependencies.length > 0 && { dependencies, propertyDependencies: { name: dependencies.slice(1) } }),
      });
      made.push(linked);
      if (replaced) made.push({ ...linked, id: `old-${index}`, delete: true });
    });
    return made;
  });

export const anySnapshot: fc.Arbitrary<Snapshot> = anyResources.chain((resources) =>
  fc
    .record({
      order: fc.shuffledSubarray(resources, { minLength: resources.length }),
      metadata: fc.constantFrom({}, { integrity_error: { error: "x" } }),
      operations: fc.nat(2),
    })
    .map(({ order, metadata, operations }) =>
      snapshotOf(order, {
        metadata,
        pendingOperations: order.slice(0, operations).map((state) => ({ resource: state, type: "updating" })),
      }),
    ),
);

/** As it stands in a file. */
export const anySealedSnapshot: fc.Arbitrary<Snapshot> = anySnapshot.map((snapshot) =>
  encryptSnapshot(snapshot, namedSecrets),
);

/** What Pulumi's own check of a state file would find wrong with this order. */
export function orderProblems(resources: readonly ResourceState[]): string[] {
  const seen = new Set<string>();
  const providers = new Set<string>();
  return resources.flatMap((state) => {
    const { dependencies = [], propertyDependencies = {}, parent, deletedWith, provider } = state;
    const wanted = [parent, deletedWith, ...dependencies, ...Object.values(propertyDependencies).flat()];
    const problems = wanted
      .filter((urn) => urn !== undefined && !seen.has(urn))
      .map((urn) => `${state.urn} before ${urn}`);
    if (provider !== undefined && !providers.has(provider)) problems.push(`${state.urn} before its provider`);
    seen.add(state.urn);
    if (state.type.startsWith("pulumi:providers:")) providers.add(`${state.urn}::${state.id}`);
    return problems;
  });
}
