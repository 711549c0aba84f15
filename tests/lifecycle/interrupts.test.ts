import type { Clock, ObjectCollection } from "../../provider/lifecycle/ports";
import { withSharedReads } from "../../provider/lifecycle/waiting/read-batcher";
import type { WaitCondition } from "../../provider/lifecycle/waiting/wait";
import { type WaitOptions, waitFor } from "../../provider/lifecycle/waiting/wait";
import { specOf } from "../../provider/resources/index";

/** What an interrupt and a crash leave behind. */

test("a wait that begins after an interrupt ends at once, without looping", async () => {
  let pauses = 0;
  const clock: Clock = {
    now: () => 0,
    // As Node's own timer does it: whoever sleeps after the abort is refused at once.
    sleep: (_, signal) => {
      pauses += 1;
      return pauses < 10 && signal?.aborted ? Promise.reject(signal.reason) : new Promise(() => undefined);
    },
  };
  const objects = withSharedReads(() => ({}) as ObjectCollection, clock);
  const waiting = objects.poll(
    "accounts/acme/users/ada",
    { signal: AbortSignal.abort(), deadline: 60_000 },
    { wait: { ms: 1000, apart: 50 } },
  );
  const ended = waiting.then(
    () => "answered",
    () => "refused",
  );
  const turns = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve("still waiting"))));
  expect(await Promise.race([ended, turns])).toBe("refused");
  expect(pauses).toBeLessThan(2);
});

test.each([
  [undefined, "interrupted before it was visible"],
  [{ state: "CREATING" }, "interrupted while CREATING"],
])("a wait that has seen %p and is interrupted says so in words", async (seen, detail) => {
  const clock: Clock = { now: () => 0, sleep: (_, signal) => Promise.reject(signal?.reason) };
  const call = { signal: AbortSignal.abort(), reporter: { status: () => undefined, warn: () => undefined } };
  const around = {
    spec: specOf("Deployment")!,
    call,
    clock,
    objects: withSharedReads(() => ({}) as ObjectCollection, clock),
  };
  const condition: WaitCondition = { isSatisfied: () => false, endsOnFailure: false };
  const wait: Partial<WaitOptions> = { name: "accounts/acme/deployments/chat", deadline: 60_000, condition };
  const ended = await waitFor(around as never, { ...wait, ...(seen && { seen }) } as WaitOptions);
  expect(ended).toMatchObject({ how: "aborted", detail });
});
