import { Concurrency } from "../../provider/lifecycle/ports";
import { ReadBatcher, type ReadRequest } from "../../provider/lifecycle/waiting/wait-schedule";

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
const clock = { now: () => 0, sleep: async () => {} };

test("a batch that fails is the answer of those who have asked, and not of the next", async () => {
  let batches = 0;
  const batcher = new ReadBatcher<ReadRequest>(
    { concurrency: new Concurrency(), clock, togetherFrom: 1 },
    async (batch) => {
      batches += 1;
      if (batches === 1) throw new Error("not to be read");
      for (const { name, resolve } of batch) resolve({ name });
    },
  );
  const ask = (name: string) => batcher.request({ name, options, due: Number.NEGATIVE_INFINITY });
  const first = await Promise.allSettled([ask("a"), ask("b")]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask("c")).toEqual({ name: "c" });
});
