import type { Settings } from "../../emulator/index";
import type { Values } from "../../provider/lifecycle/types";
import { refusal } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** A service that takes the body of an update for the whole object loses what the body leaves out (A030). */

const open8b = "accounts/platform/models/open-8b";
const deployment = {
  deploymentId: "chat",
  baseModel: open8b,
  acceptShapelessRisk: true,
  placement: { multiRegion: "US" },
  preemptible: true,
  enableHotLoad: true,
  hotLoadBucketType: "S3",
  hotLoadBucketUrl: "s3://bucket/weights",
  deploymentTemplate: "accounts/acme/deploymentTemplates/t",
};

const cases: readonly (readonly [kind: string, inputs: Values, change: Values])[] = [
  ["Deployment", deployment, { displayName: "Chat" }],
  [
    "Model",
    { modelId: "addon", kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: open8b, r: 8 } },
    { displayName: "A" },
  ],
  ["Secret", { secretId: "key", keyName: "STORAGE_KEY", value: "s3cr3t-value" }, { keyName: "OTHER_KEY" }],
];

const services: readonly Partial<Settings>[] = [
  ...(["mask", "derive", "populated", "replace"] as const).map((patch) => ({ patch })),
  { fixedFields: "refuse" },
  { fixedFields: "refuse", errorStyle: "text" },
];

let at: Harness;
afterEach(() => at.close());

/** Makes the object, changes it, and gives what the service holds before and after. */
async function changed(kind: string, inputs: Values, change: Values, config: Record<string, string> = {}) {
  const { outputs, id } = await at.process(config).create(kind, "it", inputs);
  const before = at.emulator.world.get(id)!;
  const updated = await at.process(config).update(kind, "it", outputs, { ...inputs, ...change });
  return { before, after: at.emulator.world.get(id)!, updated };
}

test.each(services.flatMap((settings) => cases.map((given) => [settings, ...given] as const)))(
  "with %j an update of a %s loses nothing immutable or input only (A031)",
  async (settings, kind, inputs, change) => {
    at = await createHarness(settings);
    const { before, after, updated } = await changed(kind, inputs, change);
    const { updateTime: _, createTime: __, ...held } = before.fields;
    expect(after.fields).toMatchObject({ ...held, ...change });
    expect(after.hidden).toEqual(before.hidden);
    expect(await at.process().diff(kind, "it", updated, { ...inputs, ...change })).toMatchObject({ changes: false });
  },
);

test("with `patchBody: mutable` a service that refuses fixed fields is asked once", async () => {
  at = await createHarness({ fixedFields: "refuse" });
  const { after } = await changed("Deployment", deployment, { displayName: "Chat" }, { patchBody: "mutable" });
  expect(after.fields).toMatchObject({ displayName: "Chat", preemptible: true });
  expect((await at.requests()).filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
});

test("an update refused for another reason is not repeated without fixed fields", async () => {
  at = await createHarness({ patch: "replace" });
  const { outputs } = await at.process().create("Deployment", "it", deployment);
  const held = at.object("accounts/acme/deployments/chat");
  const message = "`placement.multiRegion`: must be a region of the account";
  await at.fault({
    match: { operation: "updateDeployment" },
    fault: { kind: "status", status: 400, body: { code: 3, message } },
  });
  const later = { ...deployment, displayName: "Chat" };
  await expect(at.process().update("Deployment", "it", outputs, later)).rejects.toThrow(/a region of the account/);
  expect(at.object("accounts/acme/deployments/chat")).toEqual(held);
});

test("an update that lost what cannot change is an error that names it, not a success", async () => {
  at = await createHarness({ patch: "replace" });
  expect(
    (
      await refusal(
        "update-lost-fields",
        changed("Deployment", deployment, { displayName: "Chat" }, { patchBody: "minimal" }),
      )
    ).message,
  ).toMatch(
    /replaced the object with the body of the update: .*`placement`.* are gone.*`modelplatform:patchBody` to `full`/s,
  );
});
