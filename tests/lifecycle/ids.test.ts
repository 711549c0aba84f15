import fc from "fast-check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  aliasText,
  attemptNumbers,
  automaticId,
  chosenId,
  idByStack,
  inputsDigest,
  naturalKey,
} from "../../provider/lifecycle/memory/identity";
import { specs } from "../../provider/resources/index";

const hidden = (name: string) => ({
  kind: "Deployment",
  urn: `urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::${name}`,
  organization: "acme",
  stack: "prod",
});

const deployment = specs.Deployment as unknown as ResourceSpec;
const secret = specs.Secret as unknown as ResourceSpec;
const user = specs.User as unknown as ResourceSpec;

test("an automatic id is the slug of the name and seven hexadecimal digits", () => {
  expect(automaticId(hidden("Chat Bot"), "acme", 0)).toMatch(/^chat-bot-[0-9a-f]{7}$/);
});

test("every automatic id is a valid resource id, whatever the name", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200 }), fc.nat(100), (name, attempt) => {
      expect(automaticId(hidden(name.replace(/::/g, ":")), "acme", attempt)).toMatch(
        /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
      );
    }),
  );
});

test("a declaration gets the same id again; another account, stack or attempt does not", () => {
  const first = automaticId(hidden("chat"), "acme", 0);
  expect(automaticId(hidden("chat"), "acme", 0)).toBe(first);
  expect(automaticId(hidden("chat"), "beta", 0)).not.toBe(first);
  expect(automaticId({ ...hidden("chat"), stack: "dev" }, "acme", 0)).not.toBe(first);
  expect(automaticId(hidden("chat"), "acme", 1)).not.toBe(first);
});

test("attempts double, so that a thousand tombstones cost about ten requests", () => {
  const probed = [...attemptNumbers()].filter((attempt) => attempt <= 1024);
  expect(probed).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
});

test("a secret is called after its key name, and an id that the program gives wins", () => {
  expect(chosenId(secret, { keyName: "STORAGE_KEY" })).toBe("storage-key");
  expect(chosenId(secret, { keyName: "STORAGE_KEY", secretId: "mine" })).toBe("mine");
  expect(chosenId(deployment, { baseModel: "m" })).toBeUndefined();
  expect(chosenId(user, { email: "ada@example.com" })).toBeUndefined();
});

test("natural keys ignore letter case, and need every part", () => {
  expect(naturalKey(user, { email: "Ada@Example.com" })).toBe(naturalKey(user, { email: "ada@example.com" }));
  expect(naturalKey(user, {})).toBeUndefined();
  expect(naturalKey(deployment, { baseModel: "m" })).toBeUndefined();
});

test("a digest of inputs changes with an edit and not with a secret", () => {
  const before = inputsDigest(secret, { keyName: "A", value: "one" });
  expect(inputsDigest(secret, { keyName: "A", value: "two" })).toBe(before);
  expect(inputsDigest(secret, { keyName: "B", value: "one" })).not.toBe(before);
});

test.each([
  ["renamed", "urn:pulumi:dev::shop::a:b:C::before", 'aliases: [{ name: "before" }]'],
  [
    "moved",
    "urn:pulumi:dev::shop::x:y:Z$a:b:C::it",
    'aliases: ["urn:pulumi:" + pulumi.getStack() + "::shop::x:y:Z$a:b:C::it"]',
  ],
  ["in another stack", "urn:pulumi:old::shop::a:b:C::it", 'aliases: ["urn:pulumi:old::shop::a:b:C::it"]'],
])("what a program says of a resource that was %s", (_, former, text) => {
  expect(aliasText(former, "urn:pulumi:dev::shop::a:b:C::it")).toBe(text);
});

describe("an id by which the stack names", () => {
  const propose = { proposedName: "Chat_1", mode: "propose" } as const;
  const enforce = { proposedName: "Chat_1", mode: "enforce" } as const;
  const disabled = { proposedName: "", mode: "disabled" } as const;
  const recorded = { baseModel: "a", deploymentId: "old" };

  test.each([
    ["is proposed, and made one", deployment, propose, {}, {}, "chat-1"],
    ["is enforced as it is", deployment, enforce, {}, {}, "Chat_1"],
    ["has to be given where the stack names nothing", deployment, disabled, {}, {}, null],
    ["gives way to the program's", deployment, enforce, {}, { deploymentId: "mine" }, undefined],
    ["is not there where the stack says nothing", deployment, undefined, {}, {}, undefined],
    ["stays with the object", deployment, enforce, recorded, {}, "old"],
    ["leaves an automatic one in place", deployment, enforce, { baseModel: "a" }, {}, undefined],
    ["asks nothing of an object that is there", deployment, disabled, { baseModel: "a" }, {}, undefined],
    ["is none for an id that follows from a field", secret, enforce, {}, { keyName: "K" }, undefined],
    [
      "is none for an id that names one run",
      specs.SupervisedFineTuningJob as unknown as ResourceSpec,
      enforce,
      {},
      {},
      undefined,
    ],
    ["is none for an id that the service gives", user, enforce, {}, {}, undefined],
  ])("%s", (_, spec, naming, olds, news, expected) => {
    expect(idByStack(spec, naming, olds, news)).toBe(expected);
  });

  test("is no longer than the service takes", () => {
    const proposedName = `${"a".repeat(62)}-${"b".repeat(40)}`;
    expect(idByStack(deployment, { proposedName, mode: "propose" }, {}, {})).toBe("a".repeat(62));
  });
});
