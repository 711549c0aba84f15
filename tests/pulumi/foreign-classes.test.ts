import * as pulumi from "@pulumi/pulumi";
import { dynamicPackage, dynamicToken, packageName, pluginToken } from "../../provider/core/pulumi-names";
import * as dynamic from "../../provider/index";
import * as plugin from "../../provider/plugin-classes";
import { matching } from "./support/policy-server";
import { type Registered, runAsProgram, valueOf } from "./support/program";

let registered: Registered[];
beforeEach(async () => {
  registered = await runAsProgram();
});

/** A class of another package, which registers its resources under one of our types. */
const foreignClass = (type: string) =>
  class User extends pulumi.CustomResource {
    declare readonly name: pulumi.Output<string>;
    constructor(name: string, opts?: pulumi.CustomResourceOptions) {
      super(type, name, { name: "accounts/acme/users/eve", role: "admin" }, opts);
    }
  };

class ForeignProvider extends pulumi.ProviderResource {}

describe.each([
  ["dynamic", dynamicToken("User"), dynamic],
  ["plugin", pluginToken("User"), plugin],
] as const)("a foreign class under our %s type", (_, type, { Deployment, User }) => {
  const Foreign = foreignClass(type);

  test("counts as ours by its type, as with a generated SDK, and not by its class", () => {
    const foreign: object = new Foreign("eve");
    expect([User.isInstance(foreign), foreign instanceof User]).toEqual([true, false]);
  });

  test("is seen by policies about ours: its type is what they go by", async () => {
    const pack = [
      {
        ...{ name: "no-admins", description: "No admins.", enforcementLevel: "mandatory" as const },
        validateResource: (args: { isType(resource: unknown): boolean }, report: (message: string) => void) =>
          args.isType(User) ? report("!") : undefined,
      },
    ];
    expect(await matching(pack as never, [type], { role: "admin" })).toEqual(["no-admins"]);
  });

  test("leaves ours alone: the same name beside it is registered as declared", async () => {
    new Foreign("eve");
    const own = new User("ada", { email: "ada@example.com", role: "user" });
    await valueOf(own.urn);
    const inputs = registered.filter((each) => each.type === type).map((each) => [each.name, each.inputs["role"]]);
    expect(inputs).toEqual([
      ["eve", "admin"],
      ["ada", "user"],
    ]);
  });

  test("is refused as a whole, and by its name where another kind's is meant", () => {
    const foreign = new Foreign("eve");
    const declare = (baseModel: unknown) => () => new Deployment("chat", { baseModel: baseModel as string });
    expect(declare(foreign)).toThrow(
      "Deployment chat: `baseModel` is the User `eve` as a whole. Give the name of a Model.",
    );
    expect(declare(foreign.name)).toThrow(
      "Deployment chat: `baseModel` is the name of the User `eve`. Give the name of a Model.",
    );
  });
});

test("a live dynamic provider of another package is no `Provider`, by its mark", () => {
  const foreign = new ForeignProvider(dynamicPackage, "foreign", {});
  expect(dynamic.Provider.isInstance(foreign)).toBe(false);
  expect(dynamic.Provider.isInstance(new dynamic.Provider("own", {}))).toBe(true);
});

test("a live provider of a generated SDK is one of the plugin's", () => {
  expect(plugin.Provider.isInstance(new ForeignProvider(packageName, "generated", {}))).toBe(true);
});

test("the plugin's class refuses a provider of dynamic resources", () => {
  const provider = new dynamic.Provider("elsewhere", { accountId: "beta" });
  expect(() => new plugin.User("ada", { email: "ada@example.com" }, { provider })).toThrow(
    "User ada: its option `provider` is a provider of dynamic resources, and the class is the plugin's.",
  );
  const own = new plugin.Provider("here", { accountId: "beta" });
  expect(() => new plugin.User("bob", { email: "bob@example.com" }, { provider: own })).not.toThrow();
});

test("a type that throws when it is read is the asker's own error", () => {
  const value = Object.defineProperty({}, "__pulumiType", {
    get: () => {
      throw new Error("not now");
    },
  });
  expect(() => dynamic.User.isInstance(value)).toThrow("not now");
});

test.each([5, [dynamicToken("User")], { toString: () => dynamicToken("User") }, new String(dynamicToken("User"))])(
  "a type that is not text, %p, is nobody's",
  (__pulumiType) => {
    expect(dynamic.User.isInstance({ __pulumiType })).toBe(false);
  },
);
