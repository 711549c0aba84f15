import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import type { JsonObject, StateValue } from "../../engine/state/resource-state";
import { decryptSnapshot, encryptSnapshot } from "../../engine/state/secrets";
import { modelplatform, project } from "../cli/terminal";
import { isNightly, longerAtNight } from "../nightly";
import { ciphertext, namedSecrets, urnOf } from "./states";
import { temporaryFolder } from "./temporary-folder";

const stack = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev";
const provider = "urn:pulumi:dev::shop::pulumi:providers:test::default";
const own = (name: string): string => urnOf(name).replace("::demo::", "::shop::");

/** A resource with every key that this package acts on. */
const resource: JsonObject = {
  urn: own("b"),
  custom: true,
  id: "b",
  type: "test:index:Thing",
  inputs: { name: "b", key: ciphertext(namedSecrets.encrypt('"k"')) },
  outputs: { name: "b" },
  parent: stack,
  dependencies: [own("a")],
  propertyDependencies: { name: [own("a")] },
  provider: `${provider}::p`,
  delete: false,
  pendingReplacement: false,
  external: false,
  protect: false,
  taint: false,
  retainOnDelete: false,
  deletedWith: own("a"),
  initErrors: ["not ready"],
  additionalSecretOutputs: ["key"],
  aliases: [own("c")],
  ignoreChanges: ["name"],
  replaceOnChanges: ["name"],
  customTimeouts: { create: 60 },
  sourcePosition: "project:///index.ts#1,1",
  created: "2026-01-02T03:04:05Z",
  modified: "2026-01-02T03:04:05Z",
};

const first: JsonObject = { urn: own("a"), custom: true, id: "a", type: "test:index:Thing", parent: stack };
const around: JsonObject[] = [
  { urn: stack, custom: false, type: "pulumi:pulumi:Stack", outputs: { name: "b" } },
  { urn: provider, custom: true, id: "p", type: "pulumi:providers:test", parent: stack },
  first,
];

const deployment: JsonObject = {
  manifest: { time: "2026-01-02T03:04:05Z", magic: "", version: "" },
  resources: [...around, resource],
  pending_operations: [{ resource: { ...first, urn: own("d") }, type: "creating" }],
  metadata: {},
};

type Wrong = [kind: string, value: StateValue];
const wrong: readonly Wrong[] = [
  ["a number", 5],
  ["null", null],
  ["a text", "tampered"],
  ["an empty text", ""],
  ["true", true],
  ["a list", [{}]],
  ["a list of numbers", [7]],
  ["an object", { tampered: { deep: 1 } }],
  ["an object of lists", { tampered: [3] }],
];

/** Each key of `of`, with each wrong value in its place. */
const tampered = (of: JsonObject): [what: string, changed: JsonObject][] =>
  Object.keys(of).flatMap((key) =>
    wrong.map(([kind, value]): [string, JsonObject] => [`${key} as ${kind}`, { ...of, [key]: value }]),
  );

/** Every state that is wrong in one place. */
const states: readonly (readonly [what: string, file: unknown])[] = [
  ...tampered(resource).map(([what, each]) => [what, { ...deployment, resources: [...around, each] }] as const),
  ...tampered(first).map(
    ([what, each]) =>
      [`pending ${what}`, { ...deployment, pending_operations: [{ resource: each, type: "creating" }] }] as const,
  ),
  ...tampered(deployment),
  ...tampered({ key: ciphertext("x") }).map(
    ([what, inputs]) =>
      [`a value ${what}`, { ...deployment, resources: [...around, { ...resource, inputs }] }] as const,
  ),
  ...tampered(ciphertext("x")).map(
    ([what, key]) =>
      [`a secret, ${what}`, { ...deployment, resources: [...around, { ...resource, inputs: { key } }] }] as const,
  ),
].map(([what, latest]) => [what, { version: 3, checkpoint: { stack: "organization/shop/dev", latest } }]);

const files: typeof states = [
  ...states,
  ...tampered({ version: 4, features: [], checkpoint: { latest: deployment } }),
  ...tampered({ latest: deployment }).map(
    ([what, checkpoint]) => [`checkpoint.${what}`, { version: 3, checkpoint }] as const,
  ),
];

/** A slip of ours, in place of a sentence about the file. */
const slip =
  /TypeError|RangeError|is not (a function|iterable)|Cannot (read|convert|destructure)|is not valid JSON|undefined/;

function placed(file: unknown): { folder: string; path: string } {
  const folder = temporaryFolder();
  const stacks = join(folder, ".pulumi", "stacks", "shop");
  mkdirSync(stacks, { recursive: true });
  writeFileSync(join(stacks, "dev.json"), JSON.stringify(file));
  return { folder, path: join(stacks, "dev.json") };
}

/** How a load ends, and a save of what it has read. */
async function outcomeOf(folder: string): Promise<string | undefined> {
  const backend = openBackend(`file://${folder}`);
  try {
    const snapshot = await backend.stack("shop", "dev").load();
    const opened = decryptSnapshot(snapshot!, { ...namedSecrets, decrypt: () => '"k"' });
    await backend.stack("shop", "copy").save(encryptSnapshot(opened, namedSecrets));
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

test("a state with one wrong value is read and written, or refused by its file", async () => {
  const refusals: [what: string, refusal: string][] = [];
  for (const [what, file] of files) {
    const { folder, path } = placed(file);
    const refusal = await outcomeOf(folder);
    if (refusal !== undefined) refusals.push([what, refusal.replace(path, "<file>")]);
  }
  const isSaid = (refusal: string): boolean =>
    /^<file> cannot be read as a state: .*restore|Use the Pulumi CLI/.test(refusal) && !slip.test(refusal);
  expect(refusals.filter(([, refusal]) => !isSaid(refusal))).toEqual([]);
  expect(refusals.length).toBeGreaterThan(files.length / 2);
});

describe("a state that lists no resources in their place", () => {
  test.each([
    ["resources", { ...deployment, resources: {} }],
    ["pending_operations", { ...deployment, pending_operations: "none" }],
  ])("is not taken for one without %s", async (_, latest) => {
    const { folder } = placed({ version: 3, checkpoint: { latest } });
    await expect(openBackend(`file://${folder}`).stack("shop", "dev").load()).rejects.toThrow("must be a list");
  });
});

longerAtNight(() => {
  const some = states.filter((_, index) => index % (isNightly ? 3 : 31) === 0);

  test.each([
    ...["stack export", "stack output", "stack ls", "stack rename next"],
    ...["state delete urn:x --yes", "drift --account acme"],
  ])("%s says of a tampered state what is wrong with it", async (line) => {
    const { cwd, env } = await project("dev");
    const path = join(cwd, ".pulumi", "stacks", "shop", "dev.json");
    for (const [what, file] of some) {
      writeFileSync(path, JSON.stringify(file));
      const { stdout, stderr } = await modelplatform(line, { cwd, env });
      expect({ what, slips: slip.exec(stdout + stderr)?.[0] }).toEqual({ what, slips: undefined });
    }
  });
});

test("a record of the history with one wrong value is shown, or refused by its file", async () => {
  const record: JsonObject = {
    ...{ kind: "update", startTime: 1, endTime: 2, message: "", environment: {}, config: {} },
    ...{ result: "succeeded", resourceChanges: { create: 1 } },
  };
  const { cwd, env } = await project("dev");
  const path = join(cwd, ".pulumi", "history", "shop", "dev", "dev-1.history.json");
  mkdirSync(dirname(path), { recursive: true });
  for (const [what, changed] of tampered(record)) {
    writeFileSync(path, JSON.stringify(changed));
    const { code, stderr } = await modelplatform("stack history", { cwd, env });
    const isNamed = code === 0 || stderr.includes(path);
    expect({ what, isNamed, slips: slip.exec(stderr)?.[0] }).toEqual({ what, isNamed: true, slips: undefined });
  }
});
