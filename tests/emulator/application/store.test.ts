import { createClock, createWorld } from "../../../emulator/world/store";
import { client, demo } from "./client";

const model = "accounts/platform/models/open-8b";

describe("the clock", () => {
  test("a real clock runs `speed` times as fast as the machine's, from where it is", () => {
    let machine = 1_000_000;
    const clock = createClock({ kind: "real", speed: 60, machine: () => machine });
    machine += 1000;
    expect(clock.now()).toBe(1_060_000);
    clock.setSpeed(1);
    machine += 1000;
    expect(clock.now()).toBe(1_061_000);
  });

  test("a real clock cannot be advanced", () => {
    expect(() => createClock({ kind: "real" }).advance(1)).toThrow("--clock manual");
  });

  test("a world that ran ahead continues where it was, and never back", () => {
    const clock = createClock({ kind: "real", machine: () => 5000 });
    clock.resumeAt(9000);
    expect(clock.now()).toBe(9000);
    clock.resumeAt(1000);
    expect(clock.now()).toBe(5000);
  });
});

describe("transitions", () => {
  test("happen at the next read, however late that is", () => {
    const service = client();
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: model });
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("CREATING");
    service.wait(239);
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("CREATING");
    service.wait(1);
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("READY");
  });

  test("carry the time at which they were due", () => {
    const service = client();
    service.post(`${demo}/supervisedFineTuningJobs?supervisedFineTuningJobId=j`, { dataset: "d", baseModel: model });
    service.wait(86_400);
    // 5 s creating, 30 s pending, 30 s validating, 20 min running, 30 s writing.
    expect(service.get(`${demo}/supervisedFineTuningJobs/j`).body).toMatchObject({
      state: "JOB_STATE_COMPLETED",
      completedTime: "2026-01-01T00:21:35.000Z",
    });
  });

  test("of different objects happen in the order of their times", () => {
    const service = client();
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: model });
    service.wait(10_000);
    const [loaded] = service.get(`${demo}/deployedModels`).body["deployedModels"] as {
      state: string;
      updateTime: string;
    }[];
    expect(loaded).toMatchObject({ state: "DEPLOYED", updateTime: "2026-01-01T00:04:20.000Z" });
  });

  test("an account with a speed of its own passes them at that speed", () => {
    const service = client();
    service.world.changeSettings({ speed: 10 }, "demo");
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: model });
    service.post("/v1/accounts/other/deployments?deploymentId=chat", { baseModel: model }, "other-key");
    service.wait(24);
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("READY");
    expect(service.get("/v1/accounts/other/deployments/chat", "other-key").body["state"]).toBe("CREATING");
  });
});

describe("the store", () => {
  test("lists objects of an account by name, also after changes", () => {
    const world = createWorld();
    const names = () => world.list("User", "demo").map(({ name }) => name.slice(-1));
    for (const id of ["c", "a", "b"]) world.put({ kind: "User", name: `accounts/demo/users/${id}`, fields: {} });
    world.put({ kind: "User", name: "accounts/other/users/z", fields: {} });
    expect(names()).toEqual(["a", "b", "c"]);
    world.remove("accounts/demo/users/b");
    world.put({ kind: "User", name: "accounts/demo/users/b", fields: { back: true } });
    expect(names()).toEqual(["a", "b", "c"]);
    world.remove("accounts/demo/users/a");
    expect(names()).toEqual(["b", "c"]);
    expect(world.list("User")).toHaveLength(3);
  });

  test("goes back to a snapshot: objects, keys, settings, plans and time", () => {
    const service = client();
    service.post(`${demo}/deployments?deploymentId=chat`, { baseModel: model });
    service.world.changeSettings({ denied: 404 }, "demo");
    const snapshot = JSON.parse(JSON.stringify(service.world.snapshot())) as unknown;
    service.wait(600);
    service.delete(`${demo}/deployments/chat`);
    service.world.changeSettings({ denied: 403 }, "demo");
    service.world.setKey("late-key", "demo", "admin");
    service.world.restore(snapshot);
    expect(service.world.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("CREATING");
    expect(service.world.settingsOf("demo").denied).toBe(404);
    expect(service.get(`${demo}/users`, "late-key").status).toBe(401);
    service.wait(240);
    expect(service.get(`${demo}/deployments/chat`).body["state"]).toBe("READY");
  });

  test("settings are merged: the account's over everyone's over the defaults", () => {
    const { world } = client({ strict: true });
    world.changeSettings({ emitUnset: true });
    world.changeSettings({ emitUnset: false }, "demo");
    expect(world.settingsOf("demo")).toMatchObject({ strict: true, emitUnset: false, patch: "mask" });
    expect(world.settingsOf("other")).toMatchObject({ strict: true, emitUnset: true });
  });

  test("reports a change to listeners, with the object before it", () => {
    const service = client();
    const heard: (string | undefined)[] = [];
    service.world.onChange((name) => heard.push(name));
    service.post(`${demo}/users?userId=ada`, { role: "user", email: "ada@example.com" });
    service.wait(2);
    service.get(`${demo}/users/ada`);
    expect(heard).toEqual(["accounts/demo/users/ada", "accounts/demo/users/ada"]);
    expect(service.world.previous("accounts/demo/users/ada")?.fields["state"]).toBe("CREATING");
  });
});
