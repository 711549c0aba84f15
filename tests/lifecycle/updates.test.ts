import { isNightly, longerAtNight } from "../nightly";
import { refusal } from "../rejection";
import { createHarness, type Harness } from "./harness";

const chat = {
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  maxReplicaCount: 2,
  displayName: "Chat",
  annotations: { "custom/team": "a" },
};

const servers = ["mask", "derive", "populated", "replace"] as const;

let at: Harness;
afterEach(() => at.close());

describe.each(servers)("on a server that treats PATCH as `%s`", (patch) => {
  beforeEach(async () => void (at = await createHarness({ patch })));

  test("what someone else set on a field that the program leaves alone survives", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    await at.change(String(outputs["name"]), { maxConcurrencyPerReplica: 7 });
    await at.process().update("Deployment", "chat", outputs, { ...chat, displayName: "Better" });
    expect(at.object(String(outputs["name"]))).toMatchObject({ maxConcurrencyPerReplica: 7, displayName: "Better" });
  });

  test("what someone else has set since the updates before listed the object survives", async () => {
    const names = ["a", "b", "c", "d", "last"];
    const own = at.process();
    const scaling = (scaleDownWindow: string) => ({ ...chat, autoscalingPolicy: { scaleDownWindow } });
    const created = await Promise.all(names.map((name) => own.create("Deployment", name, scaling("15m"))));
    const update = (name: string) =>
      own.update("Deployment", name, created[names.indexOf(name)]!.outputs, scaling("10m"));
    await Promise.all(names.slice(0, -1).map(update));
    const last = String(created.at(-1)!.outputs["name"]);
    const theirs = {
      maxConcurrencyPerReplica: 7,
      autoscalingPolicy: { scaleDownWindow: "900s", scaleUpWindow: "60s" },
    };
    await at.change(last, theirs);
    await update("last");
    const both = { scaleDownWindow: "600s", scaleUpWindow: "60s" };
    expect(at.object(last)).toMatchObject({ maxConcurrencyPerReplica: 7, autoscalingPolicy: both });
  });

  test("a zero is sent as a zero", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", { ...chat, minReplicaCount: 1 });
    await at.process().update("Deployment", "chat", outputs, { ...chat, minReplicaCount: 0, maxReplicaCount: 0 });
    const live = at.object(String(outputs["name"]))!;
    expect([live["minReplicaCount"] ?? 0, live["maxReplicaCount"]]).toEqual([0, 0]);
  });

  test("a member that the program stops setting keeps its live value; null clears it", async () => {
    const policy = (scaleUpWindow?: string | null) => ({
      ...chat,
      autoscalingPolicy: { scaleDownWindow: "15m", ...(scaleUpWindow !== undefined && { scaleUpWindow }) },
    });
    const { outputs } = await at.process().create("Deployment", "chat", policy("1m"));
    const name = String(outputs["name"]);
    const without = { ...policy(), displayName: "Better" };
    const updated = await at.process().update("Deployment", "chat", outputs, without);
    expect(at.object(name)).toMatchObject({ autoscalingPolicy: { scaleUpWindow: "60s" }, displayName: "Better" });
    await at.process().update("Deployment", "chat", updated, policy(null));
    const { autoscalingPolicy } = at.object(name) as { autoscalingPolicy: { scaleUpWindow?: string } };
    expect(autoscalingPolicy.scaleUpWindow ?? "30s").toBe("30s");
    expect(autoscalingPolicy).toMatchObject({ scaleDownWindow: "900s" });
  });

  test("a cleared field gets the service's own default, for good (A032, A035)", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const cleared = { ...chat, maxReplicaCount: null };
    const updated = await at.process().update("Deployment", "chat", outputs, cleared);
    expect(updated).toMatchObject({ maxReplicaCount: 1 });
    expect(await at.process().diff("Deployment", "chat", updated, cleared)).toMatchObject({ changes: false });
  });

  test("clearing a field that already has its default is no update", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", { ...chat, maxReplicaCount: 1 });
    expect(
      await at.process().update("Deployment", "chat", outputs, { ...chat, maxReplicaCount: null, draftModel: null }),
    ).toMatchObject({ maxReplicaCount: 1 });
  });

  test("a value that a shape decides stays when the program drops it (A031, A047)", async () => {
    const addons = { ...chat, deploymentShape: "open-8b-fast", enableAddons: true };
    const { outputs } = await at.process().create("Deployment", "chat", addons);
    const { enableAddons: _, ...rest } = addons;
    expect(await at.process().update("Deployment", "chat", outputs, rest)).toMatchObject({ enableAddons: true });
    const { deploymentShape: __, ...without } = rest;
    expect(await at.process().diff("Deployment", "chat", outputs, without)).toMatchObject({ changes: false });
  });

  test("another shape is in use as the version that it stands for (A047)", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const shape = { ...chat, deploymentShape: "open-8b-throughput" };
    const updated = await at.process().update("Deployment", "chat", outputs, shape);
    expect(updated["deploymentShape"]).toMatch(/^accounts\/platform\/deploymentShapes\/open-8b-throughput\/versions\//);
    expect(await at.process().diff("Deployment", "chat", updated, shape)).toMatchObject({ changes: false });
  });
});

describe("with the usual server", () => {
  beforeEach(async () => void (at = await createHarness()));

  test("an update that changes only an option sends nothing that writes", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    await at.requests();
    const updated = await at.process().update("Deployment", "chat", outputs, { ...chat, ignoreChecks: true });
    expect((await at.requests()).filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(updated).toMatchObject({ ignoreChecks: true });
  });

  test("an unchanged secret is not written again, and another version writes it", async () => {
    const { outputs } = await at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "one" });
    expect(await at.process().diff("Secret", "key", outputs, { keyName: "STORAGE_KEY", value: "one" })).toMatchObject({
      changes: false,
    });
    expect(await at.process().diff("Secret", "key", outputs, { keyName: "STORAGE_KEY", value: "two" })).toMatchObject({
      changes: true,
    });
    await at.requests();
    await at.process().update("Secret", "key", outputs, { keyName: "STORAGE_KEY", value: "one", valueVersion: "2" });
    expect(await at.requests()).toContain("PATCH /v1/accounts/acme/secrets/storage-key");
  });

  test("a change during a transition waits until the transition is over", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    const name = String(outputs["name"]);
    const other = at
      .process()
      .update("Deployment", "chat", outputs, { ...chat, maxReplicaCount: 3 })
      .catch(() => undefined);
    while (at.object(name)?.["state"] !== "UPDATING") await at.clock.sleep(10);
    await at.process().update("Deployment", "chat", outputs, { ...chat, maxReplicaCount: 4 });
    await other;
    expect(at.object(String(outputs["name"]))).toMatchObject({ maxReplicaCount: 4, state: "READY" });
  });

  test("where labels cannot be patched, the verbs for them are used", async () => {
    await at.close();
    at = await createHarness({ annotationsPatch: "refuse" });
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    await at.process().update("Deployment", "chat", outputs, { ...chat, annotations: { "custom/owner": "b" } });
    expect(Object.entries(at.object(String(outputs["name"]))!["annotations"] as object)).toEqual([
      ["custom/owner", "b"],
    ]);
  });

  test("an object that is gone is not recreated by an update", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", { ...chat, deploymentId: "chat" });
    await at.process().delete("Deployment", "chat", outputs);
    expect(
      (
        await refusal(
          "not-visible",
          at.process().update("Deployment", "chat", outputs, { ...chat, deploymentId: "chat", displayName: "Other" }),
        )
      ).message,
    ).toContain("Run `refresh`");
  });
});

describe("reading", () => {
  beforeEach(async () => void (at = await createHarness()));

  test("returns the recorded outputs and the program's own spelling", async () => {
    const inputs = { ...chat, autoscalingPolicy: { scaleUpWindow: "1m" } };
    const { outputs } = await at.process().create("Deployment", "chat", inputs);
    const read = await at.process().read("Deployment", "chat", outputs);
    expect(read?.outputs).toEqual(outputs);
    expect(read?.inputs).toMatchObject(inputs);
  });

  test("shows drift in outputs and inputs, and diff finds exactly that", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", chat);
    await at.change(String(outputs["name"]), { maxReplicaCount: 9, replicaCount: 5 });
    const read = await at.process().read("Deployment", "chat", outputs);
    expect(read?.inputs).toMatchObject({ maxReplicaCount: 9, displayName: "Chat" });
    expect(await at.process().diff("Deployment", "chat", read!.outputs, chat)).toMatchObject({ changes: undefined });
    await at.change(String(outputs["name"]), { maxReplicaCount: 2 });
    const again = await at.process().read("Deployment", "chat", outputs);
    expect(await at.process().diff("Deployment", "chat", again!.outputs, chat)).toMatchObject({ changes: false });
  });

  test("counts an object as gone only where that is certain", async () => {
    const { outputs, id } = await at.process().create("Deployment", "chat", chat);
    for (const status of [401, 500, 503]) {
      await at.fault({ match: { operation: "getDeployment" }, fault: { kind: "status", status }, times: 20 });
      await expect(at.process().read("Deployment", "chat", outputs)).rejects.toThrow(String(status));
      await at.emulator.fetch(
        new Request("http://127.0.0.1/_emulator/faults", { method: "DELETE", headers: { host: "127.0.0.1" } }),
      );
    }
    // A service that answers no read by name has a list, and what that lacks may be hidden.
    await at.fault({ match: { operation: "getDeployment" }, fault: { kind: "status", status: 403 }, times: null });
    expect((await at.process().read("Deployment", "chat", outputs))?.outputs).toMatchObject({ name: id });
    await at.vanish(id);
    await expect(at.process().read("Deployment", "chat", outputs)).rejects.toThrow("403");
    await at.emulator.fetch(
      new Request("http://127.0.0.1/_emulator/faults", { method: "DELETE", headers: { host: "127.0.0.1" } }),
    );
    expect(await at.process().read("Deployment", "chat", outputs)).toBeUndefined();
  });

  const reads = isNightly
    ? { count: 1000, title: "a thousand reads of one collection take five list pages" }
    : { count: 300, title: "300 reads of one collection take two list pages" };

  longerAtNight(() => {
    test(reads.title, async () => {
      const process = at.process();
      const made = await Promise.all(
        Array.from({ length: reads.count }, (_, index) =>
          process.create("Secret", `s${index}`, { keyName: `KEY_${index}`, value: "v" }),
        ),
      );
      await at.requests();
      const other = at.process();
      await Promise.all(made.map(({ outputs }, index) => other.read("Secret", `s${index}`, outputs)));
      expect(await at.requests()).toEqual(
        Array.from({ length: Math.ceil(reads.count / 200) }, () => "GET /v1/accounts/acme/secrets"),
      );
    });
  });
});
