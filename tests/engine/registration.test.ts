import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import { Callback } from "@pulumi/pulumi/proto/callback_pb";
import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { SourcePosition } from "@pulumi/pulumi/proto/source_pb";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { goalOf } from "../../engine/program/monitor";

const folders = { project: "/home/me/project", program: "/home/me/project" };

const request = () =>
  new RegisterResourceRequest()
    .setType("pulumi-nodejs:dynamic:Box")
    .setName("a")
    .setCustom(true)
    .setObject(Struct.fromJavaScript({}));

const hooks = () => {
  const binding = new RegisterResourceRequest.ResourceHooksBinding();
  binding.setAfterUpdateList(["mine"]);
  return binding;
};

test.each<[string, (request: RegisterResourceRequest) => unknown]>([
  ["A remote component", (each) => each.setRemote(true)],
  ["A parameterized or extended package", (each) => each.setPackageref("ref")],
  ["A resource transform", (each) => each.setTransformsList([new Callback()])],
  ["A resource hook", (each) => each.setHooks(hooks())],
  ["The resource option `import`", (each) => each.setImportid("id")],
  ["The resource option `replaceWith`", (each) => each.setReplaceWithList(["urn:x"])],
  ["The resource option `replacementTrigger`", (each) => each.setReplacementTrigger(new Value().setBoolValue(true))],
  ["The resource option `envVarMappings`", (each) => each.getEnvvarmappingsMap().set("A", "B")],
])("%s is refused by name, with the way out", async (feature, ask) => {
  const asked = request();
  ask(asked);
  await expect(goalOf(asked, folders)).rejects.toThrow(
    `${feature} (resource "a" of type pulumi-nodejs:dynamic:Box) is not supported by the built-in engine. Run this project with the Pulumi CLI`,
  );
});

test("an asset at a URL and an archive of a folder are refused; a text gets its hash", async () => {
  const signed = (signature: string, rest: object) =>
    request().setObject(Struct.fromJavaScript({ it: { "4dabf18193072939515e22adb298388d": signature, ...rest } }));
  const asset = "c44067f5952c0a294b673a41bacd8c17";
  await expect(goalOf(signed(asset, { uri: "https://example.com/x" }), folders)).rejects.toThrow("Pulumi CLI");
  await expect(goalOf(signed("0def7320c3a5731c473e5ecbe6d01bc7", { path: "folder" }), folders)).rejects.toThrow(
    "Pulumi CLI",
  );
  const { properties } = await goalOf(signed(asset, { text: "hello", __pulumiAsset: true }), folders);
  // SHA-256 of "hello".
  expect(properties["it"]).toEqual({
    "4dabf18193072939515e22adb298388d": asset,
    text: "hello",
    hash: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
  });
});

test("options become the goal: unset ones stay open, durations are seconds", async () => {
  const asked = request().setProtect(false).setDeletebeforereplacedefined(true).setDeletedwith("urn:x");
  asked.setCustomtimeouts(new RegisterResourceRequest.CustomTimeouts().setCreate("1h30m").setDelete("500ms"));
  asked.setSourceposition(
    new SourcePosition().setUri("file:///home/me/project/src/my%20file.ts").setLine(3).setColumn(7),
  );
  asked.setAliasesList([
    new Alias().setUrn("urn:old"),
    new Alias().setSpec(new Alias.Spec().setName("old").setNoparent(true)),
  ]);
  expect(await goalOf(asked, folders)).toMatchObject({
    protect: false,
    deleteBeforeReplace: false,
    deletedWith: "urn:x",
    customTimeouts: { create: 5400, delete: 0.5 },
    sourcePosition: "project:///src/my%20file.ts#3,7",
    aliases: [{ urn: "urn:old" }, { name: "old", noParent: true }],
  });
  const goal = await goalOf(request(), folders);
  expect(goal.protect).toBeUndefined();
  expect(goal.retainOnDelete).toBeUndefined();
  expect(goal.deleteBeforeReplace).toBeUndefined();
});

test("output values become what they hold, their resources dependencies", async () => {
  const output = (rest: object) => ({
    "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
    ...rest,
  });
  const asked = request().setObject(
    Struct.fromJavaScript({
      known: output({ value: 1, dependencies: ["urn:a"] }),
      open: output({}),
      hidden: [output({ value: "x", secret: true })],
    }),
  );
  expect(await goalOf(asked, folders)).toMatchObject({
    properties: {
      known: 1,
      open: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      hidden: [{ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "x" }],
    },
    propertyDependencies: { known: ["urn:a"], open: [], hidden: [] },
  });
});

test("a duration that is none is refused", async () => {
  const asked = request().setCustomtimeouts(new RegisterResourceRequest.CustomTimeouts().setCreate("soon"));
  await expect(goalOf(asked, folders)).rejects.toThrow('"soon" is not a duration');
});
