import type { OwnershipJournal } from "../../../provider/lifecycle/memory/history";
import { createHarness, type Harness, keptJournal } from "../harness";
import { up } from "./told";

/** Journals that cannot be written, or that are older than the state. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const full = Object.assign(new Error("the disk is full"), { code: "ENOSPC" });

/** A disk with room for so many facts. */
function disk(room: number, kept: OwnershipJournal = keptJournal()): { journal: OwnershipJournal } {
  let written = 0;
  return { journal: { ...kept, append: (fact) => (written++ < room ? kept.append(fact) : Promise.reject(full)) } };
}

test("a disk that is full before a create keeps it from being sent, and says why", async () => {
  const { created, said } = await up(at.process({}, disk(0)), "Deployment", "chat", served);
  expect(created).toBeUndefined();
  expect(said).toContain("the disk is full");
  expect(at.names("deployments")).toEqual([]);
});

for (const room of [1, 2])
  test(`a full disk after ${room} facts makes no error of a successful create`, async () => {
    const machine = disk(room);
    const { created, error } = await up(at.process({}, machine), "Deployment", "chat", served);
    expect(error).toBeUndefined();
    const { changes } = await at.process({}, machine).diff("Deployment", "chat", created!.outputs, served);
    expect(changes).toBe(false);
    await at.process({}, machine).delete("Deployment", "chat", created!.outputs);
    expect(at.names("deployments")).toEqual([]);
  });

test("a disk that was full after a create was sent still lets the next run find it", async () => {
  const journal = keptJournal();
  const lost = await at.process({}, disk(1, journal)).create("Deployment", "chat", served);
  const { created } = await up(at.process({}, { journal }), "Deployment", "chat", served);
  expect(created?.id).toBe(lost.id);
  expect(at.names("deployments")).toEqual([lost.id]);
});

test("a journal older than the state changes nothing of what the state holds", async () => {
  const { id, outputs } = await at.process().create("Deployment", "chat", served);
  await at.process().diff("Deployment", "chat", outputs, served);
  const wanted = { ...served, maxReplicaCount: 3 };
  expect((await at.elsewhere().diff("Deployment", "chat", outputs, served)).changes).toBe(false);
  const updated = await at.elsewhere().update("Deployment", "chat", outputs, wanted);
  expect(updated).toMatchObject({ name: id, maxReplicaCount: 3 });
  await at.elsewhere().delete("Deployment", "chat", updated);
  expect(at.names("deployments")).toEqual([]);
});
