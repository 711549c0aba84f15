import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { StoredObject, World } from "../../emulator/types";
import { openPersistence } from "../../emulator/world/persistence";
import { createClock, createWorld } from "../../emulator/world/store";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "emulator-data-"));
  folder = join(root, "data");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const newWorld = (): World => createWorld({ clock: createClock({ kind: "manual" }), catalogue: false });

const user = (id: string, displayName = id): StoredObject => ({
  kind: "User",
  name: `accounts/demo/users/${id}`,
  fields: { name: `accounts/demo/users/${id}`, displayName },
});

/** The folder as a crash at this moment leaves it: everything but the process that held it. */
function afterCrash(): string {
  const copy = mkdtempSync(join(root, "crash-"));
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, "emulator.lock"), { force: true });
  return copy;
}

/** The world that a folder brings back. */
async function broughtBack(from: string): Promise<World> {
  const world = newWorld();
  await openPersistence(from, world).close();
  return world;
}

const logOf = (place: string): string => join(place, readdirSync(place).find((name) => name.startsWith("changes-"))!);

const usersIn = (world: World): string[] =>
  world.list("User", "demo").map(({ fields }) => String(fields["displayName"]));

test("a world is restored with objects, hidden values, keys, settings and time", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  expect(persistence.restored).toBe(false);
  world.setKey("demo-key", "demo", "admin");
  world.changeSettings({ denied: 404 }, "demo");
  world.put({ ...user("ada"), hidden: { value: "x" }, notes: { seen: 1 } });
  world.clock.advance(60_000);
  await persistence.close();

  const next = newWorld();
  const again = openPersistence(folder, next);
  expect(again.restored).toBe(true);
  expect(next.snapshot()).toEqual(world.snapshot());
  await again.close();
});

test("synced changes survive a crash, others may be lost", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  world.put(user("ada"));
  world.put(user("bob"));
  await persistence.sync();
  world.remove("accounts/demo/users/ada");
  world.put(user("bob", "Bob"));
  await persistence.sync();
  world.put(user("eve"));
  expect(usersIn(await broughtBack(afterCrash()))).toEqual(["Bob"]);
  await persistence.close();
});

test("a manual clock that was moved continues from there", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  world.clock.advance(90_000);
  persistence.touch();
  await persistence.sync();
  expect((await broughtBack(afterCrash())).clock.now()).toBe(world.clock.now());
  await persistence.close();
});

test("a transition on its way goes on", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  const now = world.clock.now();
  const account = {
    kind: "User",
    name: "accounts/demo/users/ada",
    fields: { name: "accounts/demo/users/ada", state: "CREATING" },
    plan: [
      { state: "CREATING", at: now },
      { state: "READY", at: now + 1000 },
    ],
  };
  world.put(account);
  await persistence.sync();
  const next = await broughtBack(afterCrash());
  expect(next.get(account.name)?.fields["state"]).toBe("CREATING");
  next.clock.advance(1000);
  expect(next.get(account.name)?.fields["state"]).toBe("READY");
  await persistence.close();
});

test("a last line that a crash has torn is dropped", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  await persistence.sync();
  world.put(user("ada"));
  await persistence.sync();
  const copy = afterCrash();
  appendFileSync(logOf(copy), '{"at":1,"put":{"kind":"User","na');
  expect(usersIn(await broughtBack(copy))).toEqual(["ada"]);
  await persistence.close();
});

test("a line damaged otherwise is an error with its place, and the folder stays", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  await persistence.sync();
  world.put(user("ada"));
  await persistence.sync();
  const copy = afterCrash();
  const log = logOf(copy);
  const damaged = `{"at":1,\n${readFileSync(log, "utf8")}`;
  writeFileSync(log, damaged);
  expect(() => openPersistence(copy, newWorld())).toThrow(`${log}, line 1 is damaged`);
  expect(readFileSync(log, "utf8")).toBe(damaged);
  await persistence.close();
});

test("a long log is folded into a new base, and nothing is lost", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world, { compactAt: 300 });
  for (let index = 0; index < 10; index++) {
    world.put(user(`u${index}`));
    await persistence.sync();
  }
  const logs = readdirSync(folder).filter((name) => name.startsWith("changes-"));
  expect(logs).toHaveLength(1);
  expect(statSync(join(folder, logs[0]!)).size).toBeLessThan(600);
  expect(usersIn(await broughtBack(afterCrash()))).toHaveLength(10);
  await persistence.close();
});

test("a crash between a new base and the end of the old log leaves the new base", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  world.put(user("ada"));
  await persistence.close();
  writeFileSync(join(folder, "changes-0.jsonl"), `{"at":0,"put":${JSON.stringify(user("old"))}}\n`);
  writeFileSync(join(folder, "world.json.tmp"), "{");
  expect(usersIn(await broughtBack(folder))).toEqual(["ada"]);
});

test("there is nothing to wait for where nothing has changed", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  await persistence.sync();
  expect(persistence.sync()).toBeUndefined();
  world.put(user("ada"));
  expect(persistence.sync()).toBeInstanceOf(Promise);
  await persistence.close();
});

test("changes that come while one is being written share the next write", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  await persistence.sync();
  const waits = Array.from({ length: 100 }, (_, index) => {
    world.put(user(`u${String(index).padStart(3, "0")}`));
    return persistence.sync();
  });
  expect(new Set(waits).size).toBeLessThan(4);
  await Promise.all(waits);
  expect(usersIn(await broughtBack(afterCrash()))).toHaveLength(100);
  await persistence.close();
});

test("a failed write is reported, and the next one catches up", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  await persistence.sync();
  const log = logOf(folder);
  rmSync(log);
  mkdirSync(log);
  world.put(user("ada"));
  await expect(persistence.sync()).rejects.toThrow("EISDIR");
  rmSync(log, { recursive: true });
  world.put(user("bob"));
  await persistence.sync();
  expect(usersIn(await broughtBack(afterCrash()))).toEqual(["ada", "bob"]);
  await persistence.close();
});

test("a folder is one process's at a time; the lock of one that died is taken over", async () => {
  const persistence = openPersistence(folder, newWorld());
  expect(() => openPersistence(folder, newWorld())).toThrow(
    `the data folder ${folder} is in use by process ${process.pid}`,
  );
  await persistence.close();
  writeFileSync(join(folder, "emulator.lock"), String(2 ** 22 + 1));
  await openPersistence(folder, newWorld()).close();
  writeFileSync(join(folder, "emulator.lock"), String(process.pid));
  await openPersistence(folder, newWorld()).close();
});

test("closing twice does not release the next owner's lock", async () => {
  const first = openPersistence(folder, newWorld());
  await first.close();
  const second = openPersistence(folder, newWorld());
  await first.close();
  expect(() => openPersistence(folder, newWorld())).toThrow("is in use");
  await second.close();
});

test("files are for their owner's eyes alone", async () => {
  const world = newWorld();
  const persistence = openPersistence(folder, world);
  world.put(user("ada"));
  await persistence.sync();
  world.put(user("bob"));
  await persistence.sync();
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  await persistence.close();
});

test("whatever happens between two syncs, a crash brings back the world of a sync", async () => {
  const step = fc.oneof(
    fc.record({ put: fc.constantFrom("a", "b", "c"), as: fc.string({ maxLength: 3 }) }),
    fc.record({ remove: fc.constantFrom("a", "b", "c") }),
    fc.record({ strict: fc.boolean() }),
    fc.record({ advance: fc.integer({ min: 1, max: 1000 }) }),
    fc.constant("sync" as const),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      folder = join(root, `run-${run++}`);
      const world = newWorld();
      const persistence = openPersistence(folder, world, { compactAt: 500 });
      await persistence.sync();
      let synced = world.snapshot();
      for (const taken of steps) {
        if (taken === "sync") {
          await persistence.sync();
          synced = world.snapshot();
        } else if ("put" in taken) world.put(user(taken.put, taken.as));
        else if ("remove" in taken) world.remove(user(taken.remove).name);
        else if ("strict" in taken) world.changeSettings({ strict: taken.strict });
        else {
          world.clock.advance(taken.advance);
          persistence.touch();
        }
      }
      expect(sorted((await broughtBack(afterCrash())).snapshot())).toEqual(sorted(synced));
      await persistence.close();
    }),
    { numRuns: 25 },
  );
});

/** Objects in the order of their names; the order in which they were put is nobody's business. */
const sorted = (snapshot: unknown): unknown => {
  const { objects, ...rest } = snapshot as { objects: StoredObject[] };
  return { ...rest, objects: [...objects].sort((left, right) => (left.name < right.name ? -1 : 1)) };
};
