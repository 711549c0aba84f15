import fc from "fast-check";
import { GroupCommit } from "../../io/files/group-commit";

// Random cases take as long as they take.
jest.setTimeout(120_000);

/** Lets everything that is ready run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Writes that end when the test says so. */
function held(): { write: () => Promise<void>; ends: { resolve: () => void; reject: (error: Error) => void }[] } {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  return { write: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })), ends };
}

describe("a group commit", () => {
  test("never acknowledges a step without a finished write, and has one write in flight", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 20 }),
        fc.array(fc.boolean()),
        async (scheduler, steps, failures) => {
          let state = 0;
          let durable = 0;
          let inFlight = 0;
          const commits = new GroupCommit(async () => {
            const taken = state;
            expect(++inFlight).toBe(1);
            await scheduler.schedule(Promise.resolve());
            inFlight--;
            if (failures.pop()) throw new Error("disk full");
            durable = taken;
          });
          const acknowledged = steps.map(async (pause) => {
            if (pause) await scheduler.schedule(Promise.resolve());
            const mine = ++state;
            await commits.commit().then(
              () => expect(durable).toBeGreaterThanOrEqual(mine),
              (error: Error) => expect(error.message).toBe("disk full"),
            );
          });
          await scheduler.waitFor(Promise.all(acknowledged));
        },
      ),
    );
  });

  test("covers with one write all that was asked for while another was in flight", async () => {
    const { write, ends } = held();
    const commits = new GroupCommit(write);
    const first = [commits.commit(), commits.commit()];
    await settled();
    const later = [commits.commit(), commits.commit(), commits.commit()];
    await settled();
    expect(ends).toHaveLength(1);
    ends[0]!.resolve();
    await Promise.all(first);
    expect(ends).toHaveLength(2);
    ends[1]!.resolve();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  test("rejects all that a failed write covered, and writes again for the next", async () => {
    const { write, ends } = held();
    const commits = new GroupCommit(write);
    const failing = Promise.allSettled([commits.commit(), commits.commit()]);
    await settled();
    const next = commits.commit();
    ends[0]!.reject(new Error("disk full"));
    expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    ends[1]!.resolve();
    await next;
    const last = commits.commit();
    await settled();
    ends[2]!.resolve();
    await last;
  });

  test("flushes writes in flight and waiting ones, and returns at once if there are none", async () => {
    const { write, ends } = held();
    const commits = new GroupCommit(write);
    await commits.flush();
    const waiting = [commits.commit()];
    await settled();
    waiting.push(commits.commit());
    let flushed = false;
    const flush = commits.flush().then(() => (flushed = true));
    ends[0]!.resolve();
    await settled();
    expect(flushed).toBe(false);
    ends[1]!.resolve();
    await Promise.all([...waiting, flush]);
  });

  test("takes no commit after it was closed", async () => {
    const commits = new GroupCommit(() => Promise.resolve());
    const before = commits.commit();
    await commits.close();
    await before;
    await expect(commits.commit()).rejects.toThrow(/after the state was closed/);
  });
});
