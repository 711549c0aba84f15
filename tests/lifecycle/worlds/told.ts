import type { Values } from "../../../provider/lifecycle/types";
import type { Harness, Process } from "../harness";

/** What a command ends with, and everything that it said. */
export interface CallOutcome {
  created?: { id: string; outputs: Values };
  error?: Error;
  said: string;
}

/** Creates what a program declares, as `up` does it for what no state holds. */
export async function up(process: Process, kind: string, name: string, inputs: Values): Promise<CallOutcome> {
  const end: Partial<CallOutcome> = await process.create(kind, name, inputs).then(
    (created) => ({ created }),
    (error: Error) => ({ error }),
  );
  return { ...end, said: [...process.messages, end.error?.message ?? ""].join("\n") };
}

/** Acts right before the service gets the first request that matches. */
export function before(at: Harness, method: string, path: RegExp, act: () => Promise<void>): void {
  const handle = at.replica.handle.bind(at.replica);
  let pending = true;
  at.replica.handle = async (request) => {
    if (pending && request.method === method && path.test(request.path)) {
      pending = false;
      await act();
    }
    return handle(request);
  };
}

/** How a create ends whose process died before the engine heard of it: the service never got the request. */
export const neverArrived: readonly [how: string, strike: (at: Harness, operation: string) => Promise<void>][] = [
  ["was reset", async (at) => void at.wire.push(struck("request"))],
  ["got a 500", (at, operation) => refusing(at, operation, 500)],
  ["got a 503", (at, operation) => refusing(at, operation, 503)],
  ["was never answered", (at, operation) => at.fault({ match: { operation }, fault: { kind: "hang" }, times: null })],
];

const struck = (at: "request") => {
  return { method: "POST", path: /./, at, code: "ECONNRESET", skip: 0, times: 1000, hits: 0 };
};

const refusing = (at: Harness, operation: string, status: number): Promise<void> =>
  at.fault({ match: { operation }, fault: { kind: "status", status }, times: null });
