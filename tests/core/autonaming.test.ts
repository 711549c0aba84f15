import { readAutonaming } from "../../protocol/autonaming";

const stack = {
  organization: "acme",
  project: "shop",
  stack: "dev",
  config: (key: string) => ({ "shop:team": "core" })[key],
};
const type = "modelplatform:index:Deployment";
const naming = (config: unknown, name = "chat", seed = "one") =>
  readAutonaming(
    JSON.stringify(config),
    stack,
  )({ types: [type, "pulumi-nodejs:dynamic/modelplatform:Deployment"], name, seed });

test.each([
  [{}, undefined],
  [{ mode: "default" }, undefined],
  [{ mode: "verbatim" }, { proposedName: "chat", mode: "enforce", isFixed: true }],
  [{ mode: "disabled" }, { proposedName: "", mode: "disabled", isFixed: true }],
  [{ pattern: "x-${name}" }, { proposedName: "x-chat", mode: "propose", isFixed: true }],
  [
    { pattern: "${name}", enforce: true },
    { proposedName: "chat", mode: "enforce", isFixed: true },
  ],
  [
    { pattern: "${organization}-${project}-${stack}-${config.team}-${name}" },
    { proposedName: "acme-shop-dev-core-chat", mode: "propose", isFixed: true },
  ],
  // The most special rule counts, whatever the others say.
  [{ mode: "disabled", providers: { modelplatform: { mode: "verbatim" } } }, { proposedName: "chat" }],
  [{ mode: "disabled", providers: { aws: { mode: "verbatim" } } }, { mode: "disabled" }],
  [
    { providers: { modelplatform: { mode: "disabled", resources: { [type]: { pattern: "r-${name}" } } } } },
    { proposedName: "r-chat" },
  ],
  [{ providers: { "pulumi-nodejs": { pattern: "d-${name}" } } }, { proposedName: "d-chat" }],
  [{ providers: { modelplatform: { resources: { other: { mode: "disabled" } } } } }, undefined],
] as const)("a stack that has %j names so", (config, expected) => {
  const found = naming(config);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

test.each([
  ["${name}-${hex(6)}", /^chat-[0-9a-f]{6}$/],
  ["${alphanum(8)}", /^[a-z0-9]{8}$/],
  ["${string(5)}${num(3)}", /^[a-z]{5}\d{3}$/],
  ["${uuid}", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
])("what is random in %s follows from the seed", (pattern, expected) => {
  const [once, again, other] = ["one", "one", "two"].map((seed) => naming({ pattern }, "chat", seed));
  expect(once).toMatchObject({ isFixed: false, proposedName: expect.stringMatching(expected) });
  expect(again).toEqual(once);
  expect(other!.proposedName).not.toBe(once!.proposedName);
});

test("a name that looks like a replacement is taken as it is", () => {
  expect(naming({ pattern: "x-${name}" }, "$&$1")?.proposedName).toBe("x-$&$1");
});

test.each([
  [[], "`pulumi:autonaming` is not an object."],
  [{ mode: "loud" }, "`pulumi:autonaming` has the mode `loud`: there are default, verbatim and disabled."],
  [{ mode: "verbatim", pattern: "x" }, "`pulumi:autonaming` has both a `mode` and a `pattern`: keep one."],
  [{ enforce: true }, "`pulumi:autonaming` needs a `pattern` that is a text."],
  [{ patern: "x" }, "`pulumi:autonaming` has no member `patern`: there are mode, pattern, enforce, providers."],
  [
    { providers: { modelplatform: { resources: { [type]: {} } } } },
    `\`pulumi:autonaming.providers.modelplatform.resources.${type}\` needs a \`mode\` or a \`pattern\`.`,
  ],
  [{ pattern: "${config.none}" }, "`pulumi:autonaming` names the config `none`, which is not set."],
])("%j is refused by name", (config, text) => {
  expect(() => naming(config)).toThrow(text);
});
