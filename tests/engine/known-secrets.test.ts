import type { StateValue } from "../../engine/state/resource-state";
import { KnownSecrets } from "../../engine/values/known-secrets";
import { makeSecret } from "../../engine/values/values";

function knowing(...values: StateValue[]): KnownSecrets {
  const secrets = new KnownSecrets();
  for (const value of values) secrets.learn(value);
  return secrets;
}

const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n}\n-----END KEY-----";

test.each<[string, StateValue, string, string]>([
  [
    "a secret, wherever it stands",
    makeSecret("hunter2"),
    "hunter2: no such key (hunter2)",
    "[secret]: no such key ([secret])",
  ],
  ["a secret deep inside", { list: [{ inner: makeSecret("hunter2") }] }, "key hunter2", "key [secret]"],
  ["every member of a list", makeSecret(["key", "key-22"]), "key or key-22", "[secret] or [secret]"],
  [
    "members of an object that are no ordinary words",
    makeSecret({ user: "acme", password: "correct horse" }),
    "acme with correct horse",
    "acme with [secret]",
  ],
  ["a secret in JSON text", makeSecret('quo"te'), '{"value":"quo\\"te"}', '{"value":"[secret]"}'],
  ["a secret with characters of a pattern", makeSecret("a.c*(d"), "abc and a.c*(d", "abc and [secret]"],
  ["a long text line by line, since output comes in lines", makeSecret(pem), "MIIEvQIBADANBg", "[secret]"],
  ["a secret within a secret", makeSecret({ inner: makeSecret("correct horse") }), "correct horse", "[secret]"],
])("masked: %s", (_, value, text, expected) => {
  expect(knowing(value).mask(text)).toBe(expected);
});

test("a secret that holds another one is masked as a whole", () => {
  expect(knowing(makeSecret("horse"), makeSecret("correct horse")).mask("the correct horse, a horse")).toBe(
    "the [secret], a [secret]",
  );
});

test.each<[string, StateValue, string]>([
  ["what is no secret", { plain: "hunter2" }, "hunter2"],
  ["fewer than three characters", makeSecret("no"), "no, nobody"],
  ["a truth value", makeSecret("True"), "True or true"],
  ["nothing at all", makeSecret(""), "as it is"],
  ["a brace of a long text", makeSecret(pem), "} else {"],
])("not masked: %s", (_, value, text) => {
  expect(knowing(value).mask(text)).toBe(text);
});

test("secrets learnt later are masked from then on", () => {
  const secrets = knowing(makeSecret("first"));
  expect(secrets.mask("first, second")).toBe("[secret], second");
  secrets.learn(makeSecret("second"));
  expect(secrets.mask("first, second")).toBe("[secret], [secret]");
});

/** What is shown of a property with that value. */
function plain(value: StateValue): unknown {
  const diffs = [{ path: "text", kind: "update" as const, old: value, new: value }];
  const step = { op: "update" as const, urn: "urn:pulumi:dev::p::t::n", type: "t", name: "n", diffs };
  const event = knowing(...config).maskEvent({ kind: "stepFinished", step, time: 0 });
  if (event.kind !== "stepFinished") throw new Error(`became ${event.kind}`);
  return event.step.diffs[0]?.new;
}
/** What a stack may hold: some secrets are words that stand in many properties. */
const config = ["admin", "contributor", "hunter2", "correct horse", "s3cr3t-token"].map(makeSecret);

test.each<[string, StateValue, StateValue]>([
  ["a role", "admin", "admin"],
  ["a longer role", "contributor", "contributor"],
  ["an enum member", "READ_ONLY", "READ_ONLY"],
  ["an address in which a short word stands", "admin@acme.dev", "admin@acme.dev"],
  ["a list of words", ["admin", "viewer"], ["admin", "viewer"]],
])("a property that is not secret shows %s, although a secret is the same word", (_, value, expected) => {
  expect(plain(value)).toEqual(expected);
});

test.each<[string, StateValue, StateValue]>([
  ["a secret that is no word", "s3cr3t-token", "[secret]"],
  ["a short one with a digit", "hunter2", "[secret]"],
  ["a phrase", "it is correct horse", "it is [secret]"],
  ["an address with a credential", "https://u:s3cr3t-token@h/", "https://u:[secret]@h/"],
  ["a longer word in a longer text", "of contributor", "of [secret]"],
  ["a member deep inside", { deep: ["is hunter2", 7] }, { deep: ["is [secret]", 7] }],
])("a property that is not secret does not show %s", (_, value, expected) => {
  expect(plain(value)).toEqual(expected);
});

test("a message masks a secret even where it is an everyday word", () => {
  expect(knowing(...config).mask("admin may not")).toBe("[secret] may not");
});

test("an event's messages, differences and states are masked; secrets stay marked", () => {
  const secrets = knowing(makeSecret("hunter2"));
  const state = {
    urn: "urn:pulumi:dev::p::t::n",
    type: "t",
    custom: true,
    inputs: { password: makeSecret("hunter2"), note: "hunter2" },
    outputs: { url: "https://u:hunter2@h/" },
  };
  const step = {
    op: "update" as const,
    urn: state.urn,
    type: "t",
    name: "n",
    old: state,
    new: state,
    diffs: [{ path: "text", kind: "update" as const, old: "was hunter2", new: { deep: ["is hunter2", 7] } }],
  };
  const masked = {
    ...state,
    inputs: { password: makeSecret("hunter2"), note: "[secret]" },
    outputs: { url: "https://u:[secret]@h/" },
  };
  expect(secrets.maskEvent({ kind: "stepFailed", step, message: "hunter2 is taken", time: 0 })).toEqual({
    kind: "stepFailed",
    step: {
      ...step,
      old: masked,
      new: masked,
      diffs: [{ path: "text", kind: "update", old: "was [secret]", new: { deep: ["is [secret]", 7] } }],
    },
    message: "[secret] is taken",
    time: 0,
  });
});
