import { recordedOutputs } from "../../provider/core/comparison/recorded";
import type { ModelPlatformError } from "../../provider/core/errors";
import { InitFailedError } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import { refusal, rejection } from "../rejection";
import { engineState, urnIn } from "./engine-state";
import { createHarness, type Harness } from "./harness";
import { address } from "./in-process";

const kind = "PolicySettings";
const name = "accounts/acme/policySettings";
const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: false,
  allowServerlessFast: false,
};
const strict = { defaultPermissions: permissions, residency: "EUROPE" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const put = (object: unknown) =>
  at.emulator.fetch(
    new Request(`http://127.0.0.1/_emulator/objects/${name}`, {
      method: "PUT",
      body: JSON.stringify(object),
      headers: { host: "127.0.0.1", "content-type": "application/json" },
    }),
  );

test("a policy is created where there is none", async () => {
  const { id, outputs } = await at.process().create(kind, "policy", strict);
  expect(id).toBe(name);
  expect(at.object(name)).toMatchObject(strict);
  expect(outputs).toMatchObject({ previous: null });
});

test("an empty policy counts as none, however the service spells it", async () => {
  for (const unset of [
    {},
    { rules: [], residency: "MULTI_REGION_UNSPECIFIED", cmekRequired: false, zeroDataRetention: null },
  ]) {
    await put({ name, ...unset, updateTime: "2026-01-01T00:00:00Z" });
    const { outputs } = await at.process().create(kind, "policy", strict);
    expect(at.object(name)).toMatchObject(strict);
    expect(outputs).toMatchObject({ previous: null });
    expect(outputs["adopted"]).toBeUndefined();
  }
});

test("an existing policy is adopted only as it is, unless the program says otherwise", async () => {
  await at.process().create(kind, "policy", strict);
  await expect(at.process().create(kind, "another", { ...strict, residency: "US" })).rejects.toThrow(/loosen/);
  expect(
    (
      await refusal(
        "differs",
        at.process().create(kind, "another", { ...strict, zeroDataRetention: { defaultEnforced: true } }),
      )
    ).message,
  ).toMatch("`zeroDataRetention.defaultEnforced`");
  await at.requests();
  const { outputs } = await at.process().create(kind, "another", strict);
  expect(outputs).toMatchObject({ adopted: true });
  expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
});

test("an existing policy that is not adopted is refused, and has no other id", async () => {
  await at.process().create(kind, "policy", strict);
  const work = at.process().create(kind, "another", { ...strict, adopt: "never" });
  const error = await refusal<ModelPlatformError>("already-exists", work);
  expect(error.answers).toEqual({ adopt: ["ifEqual", "overwrite"] });
  expect(error.advice).toMatch(
    /Set `adopt: "ifEqual"` to manage it as it is, or `adopt: "overwrite"` to change it\. Then/,
  );
});

test("settings that the state has for another resource, too, are named with it", async () => {
  const { outputs } = await at.process().create(kind, "policy", strict);
  const first = urnIn(kind, "policy");
  const process = at.process({}, { state: engineState([{ id: name, outputs }], first) });
  await process.create(kind, "another", strict);
  expect(process.messages).toContainEqual(expect.stringContaining(`is recorded for ${first}, too`));
});

test("loosening needs the program's permission, already in a preview", async () => {
  const { outputs } = await at.process().create(kind, "policy", strict);
  const looser = { ...strict, defaultPermissions: { ...permissions, allowTraining: true } };
  expect((await refusal("loosens-policy", at.process().diff(kind, "policy", outputs, looser))).message).toMatch(
    "defaultPermissions.allowTraining from denied to allowed",
  );
  await expect(at.process().update(kind, "policy", outputs, looser)).rejects.toThrow("allowLoosening");
  expect(at.object(name)).toMatchObject(strict);
  await at.process().update(kind, "policy", outputs, { ...looser, allowLoosening: true });
  expect(at.object(name)).toMatchObject({ defaultPermissions: { allowTraining: true } });
});

test("a cleared value that the service keeps is not loosened by another change", async () => {
  const cleared = { ...strict, residency: null };
  const live = { name, ...strict, updateTime: "2026-01-01T00:00:00Z" };
  await put(live);
  const outputs = recordedOutputs(specOf(kind)!, cleared, live, { accountId: "acme", endpoint: address });
  const tighter = { ...cleared, defaultPermissions: { ...permissions, allowServerless: false } };
  expect(await at.process().diff(kind, "policy", outputs, tighter)).toMatchObject({ replaces: [] });
  await at.process().update(kind, "policy", outputs, tighter);
  expect(at.object(name)).toMatchObject({ defaultPermissions: { allowServerless: false }, residency: "EUROPE" });
});

test("tightening needs no permission", async () => {
  const { outputs } = await at.process().create(kind, "policy", strict);
  await at
    .process()
    .update(kind, "policy", outputs, { ...strict, defaultPermissions: { ...permissions, allowServerless: false } });
  expect(at.object(name)).toMatchObject({ defaultPermissions: { allowServerless: false } });
});

test("a policy that someone else has changed is not overwritten (A063)", async () => {
  const { outputs } = await at.process().create(kind, "policy", strict);
  await at.clock.sleep(1000);
  await at.change(name, { zeroDataRetention: { defaultEnforced: true } });
  expect(
    (
      await refusal(
        "changed-by-another",
        at.process().update(kind, "policy", outputs, {
          ...strict,
          defaultPermissions: { ...permissions, allowServerless: false },
        }),
      )
    ).message,
  ).toMatch("`zeroDataRetention`");
  expect(at.object(name)).toMatchObject({ defaultPermissions: permissions });
});

test("removing the declaration retains, clears or restores, as recorded", async () => {
  const found = { name, ...strict, updateTime: "2026-01-01T00:00:00Z" };
  await put(found);
  const tighter = { ...strict, defaultPermissions: { ...permissions, allowServerless: false }, adopt: "overwrite" };
  const { outputs } = await at.process().create(kind, "policy", tighter);
  await at.process().delete(kind, "policy", outputs);
  expect(at.object(name)).toMatchObject({ defaultPermissions: { allowServerless: false } });
  await expect(at.process().delete(kind, "policy", { ...outputs, onDelete: "restorePrevious" })).rejects.toThrow(
    "allowLoosening",
  );
  await at.process().delete(kind, "policy", { ...outputs, onDelete: "restorePrevious", allowLoosening: true });
  expect(at.object(name)).toMatchObject(strict);
  const { outputs: again } = await at.process().create(kind, "policy", { ...tighter, onDelete: "clear" });
  await at.process().delete(kind, "policy", { ...again, allowLoosening: true });
  expect(at.object(name)?.["defaultPermissions"] ?? null).toBeNull();
});

test("a removal that the service accepts and does not make is an error", async () => {
  await at.close();
  at = await createHarness({ patch: "populated" });
  const config = { updateMask: "off" };
  const inputs = { ...strict, onDelete: "clear", allowLoosening: true };
  const { outputs } = await at.process(config).create(kind, "policy", inputs);
  const removal = at.process(config).delete(kind, "policy", outputs);
  expect((await refusal("settings-not-cleared", removal)).message).toMatch(
    /did not make it: `defaultPermissions`, `residency` are unchanged.*`onDelete: "retain"`/s,
  );
  expect(at.object(name)).toMatchObject({ residency: "EUROPE" });
});

test("a first write that the service makes half is recorded as what it is", async () => {
  at.replica.form = (object) => ({ ...object, residency: "US" });
  const error = await rejection(at.process().create(kind, "policy", strict));
  expect(error).toBeInstanceOf(InitFailedError);
  const { id, outputs } = error as InitFailedError;
  expect([id, outputs]).toMatchObject([name, { residency: "US", defaultPermissions: permissions, previous: null }]);
  at.replica.form = undefined;
  await at.process().update(kind, "policy", outputs, strict);
  expect(at.object(name)).toMatchObject(strict);
});

describe.each(["restorePrevious", "clear"])(
  "removing the declaration (%s) after somebody else has tightened it",
  (onDelete) => {
    const found = { ...strict, residency: "GLOBAL" };
    const opened = { ...strict, defaultPermissions: { ...permissions, allowTraining: true } };
    const tight = { ...permissions, allowServerless: false };

    test.each([true, false])("leaves what they have set, and says so; refreshed before: %s", async (refreshes) => {
      await put({ name, ...found, updateTime: "2026-01-01T00:00:00Z" });
      const options = { adopt: "overwrite", onDelete, allowLoosening: true };
      const { outputs } = await at.process().create(kind, "policy", { ...opened, ...options });
      await put({ ...at.object(name), defaultPermissions: tight, updateTime: "2026-02-01T00:00:00Z" });
      const recorded = refreshes ? (await at.process().read(kind, "policy", outputs))!.outputs : outputs;
      const process = at.process();
      await process.delete(kind, "policy", recorded);
      expect(at.object(name)).toMatchObject({ defaultPermissions: tight });
      expect(process.messages.join("\n")).toContain("`defaultPermissions` stays as it is");
      expect(at.object(name)?.["residency"]).not.toBe("EUROPE");
    });
  },
);

test("a policy that was never saved reads as gone", async () => {
  const { outputs } = await at.process().create(kind, "policy", strict);
  for (const never of [
    {},
    {
      rules: [],
      residency: "MULTI_REGION_UNSPECIFIED",
      cmekRequired: false,
      zeroDataRetention: null,
      updateTime: null,
    },
  ]) {
    await put({ name, ...never });
    expect(await at.process().read(kind, "policy", outputs)).toBeUndefined();
  }
});

test("a policy of an interrupted create is the declaration's, an older one is not", async () => {
  for (const before of [undefined, { name, ...strict, updateTime: "2025-01-01T00:00:00Z" }]) {
    await put(before ?? { name });
    await at.fault({ match: { operation: "updatePolicySettings" }, fault: { kind: "hang", commit: true } });
    const tighter = {
      ...strict,
      defaultPermissions: { ...permissions, allowServerless: false },
      adopt: "overwrite",
      onDelete: "restorePrevious",
    };
    const interrupted = at.process();
    const creating = interrupted.create(kind, "policy", tighter).catch((error: Error) => error);
    while ((at.object(name)?.["defaultPermissions"] as typeof permissions | undefined)?.allowServerless !== false)
      await new Promise(setImmediate);
    interrupted.abort.abort();
    expect(await creating).toBeInstanceOf(Error);
    const next = at.process();
    const edited = {
      ...strict,
      defaultPermissions: { ...permissions, allowServerless: false, allowDedicatedDeployments: false },
    };
    const { outputs } = await next.create(kind, "policy", edited);
    expect(at.object(name)).toMatchObject({
      defaultPermissions: { allowServerless: false, allowDedicatedDeployments: false },
    });
    expect({ previous: outputs["previous"], adopted: outputs["adopted"] }).toEqual({
      previous: before ? expect.objectContaining(strict) : null,
      adopted: before && true,
    });
    expect(next.messages).toEqual([expect.stringContaining("interrupted run")]);
    await at.process().diff(kind, "policy", outputs, edited);
  }
});

test("a change by somebody else since an interrupted create is theirs", async () => {
  const cut = { kind: "resetAfterCommit" };
  await at.fault({ match: { operation: "updatePolicySettings" }, fault: cut, times: null });
  await rejection(at.process().create(kind, "policy", { ...strict, onDelete: "restorePrevious" }));
  await at.clearFaults();
  const theirs = { residency: "US", updateTime: "2026-02-01T00:00:00Z" };
  await at.change(name, theirs);
  const wanted = { ...strict, adopt: "overwrite", allowLoosening: true, onDelete: "restorePrevious" };
  const { outputs } = await at.process().create(kind, "policy", wanted);
  expect(outputs["previous"]).toMatchObject({ residency: "US" });
  await at.process().delete(kind, "policy", outputs);
  expect(at.object(name)).toMatchObject({ residency: "US" });
});

describe("where reads do not show yet what this stack has written", () => {
  const patches = async () => (await at.requests()).filter((each) => each.startsWith("PATCH"));
  const cleared = { ...strict, onDelete: "clear", allowLoosening: true };

  /** As a service answers that keeps nothing for an account that has never saved any. */
  function hidden(): void {
    const handle = at.replica.handle.bind(at.replica);
    at.replica.handle = async (request) =>
      handle(
        request.method === "GET" && request.path === `/v1/${name}` ? { ...request, path: `/v1/${name}s` } : request,
      );
  }

  test("a removal is sent, once a lagging replica has shown them", async () => {
    const { outputs } = await at.process().create(kind, "policy", cleared);
    await at.clock.sleep(10_000);
    at.replica.lag = 20_000;
    expect(await at.process().delete(kind, "policy", outputs)).toBe("deleted");
    expect(await patches()).toHaveLength(2);
    expect(at.object(name)?.["residency"] ?? null).toBeNull();
  });

  test("an update changes them, and speaks of nobody else", async () => {
    const { outputs } = await at.process().create(kind, "policy", strict);
    at.replica.lag = 20_000;
    await at.process().update(kind, "policy", outputs, { ...strict, zeroDataRetention: { defaultEnforced: true } });
    expect(at.object(name)).toMatchObject({ ...strict, zeroDataRetention: { defaultEnforced: true } });
  });

  test("a refresh keeps them, and one after half a minute of reads does not", async () => {
    const { outputs } = await at.process().create(kind, "policy", strict);
    at.replica.lag = 20_000;
    expect(await at.process().read(kind, "policy", outputs)).toBeDefined();
    at.replica.lag = 0;
    hidden();
    expect(await at.process().read(kind, "policy", outputs)).toBeUndefined();
  });

  test("a removal is sent however old they are", async () => {
    const { outputs } = await at.process().create(kind, "policy", cleared);
    await at.clock.sleep(3_600_000);
    hidden();
    await at.requests();
    await at.process().delete(kind, "policy", outputs);
    expect(await patches()).toHaveLength(1);
    expect(at.object(name)?.["residency"] ?? null).toBeNull();
  });

  test("a removal that the service answers with 404 as well is done", async () => {
    const { outputs } = await at.process().create(kind, "policy", cleared);
    await at.clock.sleep(3_600_000);
    hidden();
    const fault = { kind: "status", status: 404 };
    await at.fault({ match: { operation: "updatePolicySettings" }, fault, times: null });
    expect(await at.process().delete(kind, "policy", outputs)).toBe("deleted");
  });
});

test("permissions that a newer API adds are passed on", async () => {
  const grown = { ...permissions, allowBatch: true };
  const rule = { model: "accounts/acme/models/m", permissions: grown };
  await put({ name, defaultPermissions: grown, rules: [rule], updateTime: "2026-01-01T00:00:00Z" });
  const process = at.process();
  const { model } = rule;
  const declared = { defaultPermissions: permissions, rules: [{ model, permissions }], adopt: "overwrite" };
  const { outputs } = await process.create(kind, "policy", declared);
  const changed = { ...declared, rules: [{ model, permissions: { ...permissions, allowServerless: false } }] };
  await process.update(kind, "policy", outputs, changed);
  expect(at.object(name)).toMatchObject({
    defaultPermissions: grown,
    rules: [{ model, permissions: { ...grown, allowServerless: false } }],
  });
});

test("a program may set a permission that is not known, with one warning", async () => {
  const set = await at.process().judge(kind, "policy", { defaultPermissions: { ...permissions, allowBatch: false } });
  expect(set.failures).toEqual([]);
  expect(set.warnings).toEqual([
    expect.stringMatching(/^`defaultPermissions.allowBatch` is not a member this provider knows and is sent as it is/),
  ]);
  const near = await at
    .process()
    .judge(kind, "policy", { defaultPermissions: { ...permissions, allowTrainning: true } });
  expect(near.failures).toEqual([
    expect.objectContaining({
      property: "defaultPermissions.allowTrainning",
      reason: expect.stringMatching(/did you mean/),
    }),
  ]);
  const odd = await at.process().judge(kind, "policy", { defaultPermissions: { ...permissions, allowBatch: "yes" } });
  expect(odd.failures).toEqual([expect.objectContaining({ property: "defaultPermissions.allowBatch" })]);
});

test("a removal that the service refuses names the ways out", async () => {
  const inputs = { ...strict, onDelete: "clear", allowLoosening: true };
  const { outputs } = await at.process().create(kind, "policy", inputs);
  await at.fault({
    match: { operation: "updatePolicySettings" },
    fault: { kind: "status", status: 400, body: { code: 3, message: "defaultPermissions is required" } },
    times: 5,
  });
  const error = await refusal("settings-not-removed", at.process().delete(kind, "policy", outputs));
  expect(error.message).toMatch(/was not removed, the service refuses it: .*defaultPermissions is required/);
  expect(error.message).toMatch(/`onDelete: "retain"`, or `"restorePrevious"`/);
  expect(at.object(name)).toMatchObject(strict);
});
