import { longerAtNight, nightly } from "../nightly";
import { builtIn, withCliAtNight } from "./engines";
import { chat, openModel, tuning } from "./everything";
import type { Site } from "./site";
import { openToStrike } from "./sites";

jest.setTimeout(300_000);

/** Why a crash is left to the nightly run. */
const told =
  "each runs several commands with real processes; tests/model runs such crashes at every request in one process";

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const storage = { kind: "Secret", keyName: "STORAGE_KEY", value: { secret: "one" } };

longerAtNight(() => {
  withCliAtNight("what is found again is noted by the provider, whichever engine it served", (engine) => {
    let site: Site;
    beforeEach(async () => void (site = await openToStrike(engine)));
    afterEach(() => site.close());

    /**
     * What serves the resources dies without a word, which is the engine itself where it serves them; resolves when the
     * engine has given up as well.
     */
    const killProvider = async (command: ReturnType<Site["start"]>): Promise<void> => {
      if (engine.isBuiltIn) return killEngine(command);
      for (const pid of site.providers()) process.kill(pid, "SIGKILL");
      expect((await command.ended).code).not.toBe(0);
    };

    /** The engine dies without a word; resolves when what it has started has ended by itself. */
    const killEngine = async (command: ReturnType<Site["start"]>): Promise<void> => {
      command.signal("SIGKILL");
      await command.ended;
      await site.until(() => site.processes().length === 0);
      await site.expect(0, "cancel");
    };

    /** Starts `up`, and resolves when the service has begun to make an object of each of three kinds. */
    const startCreates = async (): Promise<ReturnType<Site["start"]>> => {
      site.freeze();
      site.declare({ resources: { chat, tuning, ada } });
      const command = site.start("up");
      await site.until(
        () => site.live("deployments/")[0] && site.live("supervisedFineTuningJobs/")[0] && site.live("users/")[0],
      );
      return command;
    };

    /** Runs `up` for the program with two edits: there is one object of each kind, the recorded one, as edited. */
    const expectFoundAndChanged = async (): Promise<void> => {
      site.thaw();
      await site.up({
        resources: { chat: { ...chat, maxReplicaCount: 5 }, tuning, ada: { ...ada, role: "contributor" } },
      });
      expect(site.only("deployments/")).toMatchObject({
        name: site.resource("chat").id,
        state: "READY",
        maxReplicaCount: 5,
      });
      expect(site.only("supervisedFineTuningJobs/")).toMatchObject({
        name: site.resource("tuning").id,
        state: "JOB_STATE_COMPLETED",
      });
      expect(site.only("users/")).toMatchObject({ name: site.resource("ada").id, role: "contributor" });
      await site.expect(0, "preview --expect-no-changes");
    };

    test("an edited program finds and changes each object after the provider is killed", async () => {
      await killProvider(await startCreates());
      const kinds = ["Deployment", "SupervisedFineTuningJob", "User"];
      const pending = site
        .pendingOperations()
        .map(({ type, resource }) => `${type} ${resource.type.split(":").at(-1)}`);
      // The CLI outlives its provider, and takes for failed what it was asked.
      expect(pending.sort()).toEqual(engine.isBuiltIn ? kinds.map((kind) => `creating ${kind}`) : []);
      await expectFoundAndChanged();
    });

    nightly("a process's end by its lifeline is tested in engine/child", () => {
      test.each([
        ["the program's process has started", () => site.processes().length > 1],
        ["what serves resources has started", () => engine.isBuiltIn || site.providers().length > 0],
        ["the service has been asked", async () => (await site.requests({ keep: true })).length > 0],
      ])("no process is left where the engine is killed when %s", async (_, reached) => {
        site.freeze();
        site.declare({ resources: { chat } });
        const command = site.start("up");
        await site.until(reached);
        if (engine === builtIn) return killEngine(command);
        // The CLI's processes end by themselves once they have heard from it.
        await site.until(async () => (await site.requests({ keep: true })).length > 0);
        await killEngine(command);
      });
    });

    nightly(told, () => {
      test("the next `up` repairs a provider killed in updates, replacements and deletes", async () => {
        await site.up({
          resources: {
            chat,
            moving: chat,
            gone: chat,
            tuning,
            ada,
            bob: { ...ada, email: "bob@example.com" },
            storage,
          },
        });
        const wanted = {
          resources: {
            chat: { ...chat, maxReplicaCount: 5 },
            moving: { ...chat, preemptible: true },
            tuning: { ...tuning, epochs: 3 },
            ada: { ...ada, role: "admin" },
          },
        };
        site.freeze();
        site.declare(wanted);
        const updating = site.start("up");
        await site.until(
          () =>
            site.live("deployments/").length === 4 &&
            site.live("supervisedFineTuningJobs/").length === 2 &&
            site.live("users/").some((user) => user["role"] === "admin") &&
            site.live("deployments/").some((object) => object["maxReplicaCount"] === 5),
        );
        await killProvider(updating);
        site.thaw();
        for (const commit of [true, false])
          await site.fault({ method: "DELETE" }, { kind: "hang", commit }, { times: 2 });
        const deleting = site.start("up");
        await site.until(async () => (await site.faultHits()) === 4);
        await killProvider(deleting);
        await site.clearFaults();
        await site.expect(0, "up");
        expect(site.live("deployments/").map(({ name }) => name)).toEqual([
          site.resource("chat").id,
          site.resource("moving").id,
        ]);
        expect(site.emulator.world.get(String(site.resource("chat").id))?.fields).toMatchObject({
          state: "READY",
          maxReplicaCount: 5,
        });
        expect(site.emulator.world.get(String(site.resource("moving").id))?.fields).toMatchObject({
          state: "READY",
          preemptible: true,
        });
        expect(site.only("supervisedFineTuningJobs/")).toMatchObject({ name: site.resource("tuning").id, epochs: 3 });
        expect(site.only("users/")).toMatchObject({ name: site.resource("ada").id, role: "admin" });
        expect(site.live("secrets/")).toEqual([]);
        await site.expect(0, "preview --expect-no-changes");
      });
    });

    test("an operation that is interrupted twice ends at once, and the next `up` continues", async () => {
      site.freeze();
      site.declare({ resources: { chat } });
      const command = site.start("up");
      const created = await site.until(() => site.live("deployments/")[0]);
      command.signal("SIGINT");
      await site.until(() => command.output().includes("again"));
      command.signal("SIGINT");
      expect((await command.ended).code).not.toBe(0);
      await site.until(() => site.processes().length === 0);
      site.thaw();
      await site.expect(0, "up");
      expect(site.only("deployments/")).toMatchObject({ name: created["name"], state: "READY" });
      expect(site.resource("chat").id).toBe(created["name"]);
      // The CLI keeps a begun create, and warns of it, until a refresh clears it.
      if (engine.isBuiltIn) expect(site.pendingOperations()).toEqual([]);
      await site.expect(0, "preview --expect-no-changes");
    });
  });

  test("one interrupt of the built-in engine records unfinished objects, and continues", async () => {
    const site = await openToStrike(builtIn);
    try {
      site.freeze();
      site.declare({
        resources: {
          chat,
          after: { kind: "User", email: "after@example.com", role: "user", opts: { dependsOn: ["@chat"] } },
        },
      });
      const command = site.start("up");
      const begun = await site.until(() => site.live("deployments/")[0]);
      command.signal("SIGINT");
      expect(await command.ended).toMatchObject({ code: 130, output: expect.stringContaining("press ^C again") });
      expect(site.resource("chat")).toMatchObject({
        id: begun["name"],
        initErrors: [expect.stringContaining("CREATING")],
      });
      expect(site.pendingOperations()).toEqual([]);
      expect(site.processes()).toEqual([]);
      site.thaw();
      await site.requests();
      await site.expect(0, "up");
      expect(await site.writes()).toEqual(["POST /v1/accounts/demo/users"]);
      expect(site.only("deployments/")).toMatchObject({ name: begun["name"], baseModel: openModel, state: "READY" });
      await site.expect(0, "preview --expect-no-changes");
    } finally {
      await site.close();
    }
  });
});
