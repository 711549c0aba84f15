import { everyNth, nightly, tonight } from "../nightly";
import { openFor, type StruckCommand, strike, strikeAtLock, struckCommands } from "./struck";

jest.setTimeout(300_000);

/**
 * What a signal does to each command at ten points of its life, as processes of their own: at its first, second, …
 * request the service stops answering and the signals come. It ends with 130, sends nothing more, leaves no process.
 * No time is measured: what waits for the service would wait for ever.
 */
const points = Array.from({ length: 10 }, (_, index) => index + 1);
const kills: readonly (readonly NodeJS.Signals[])[] = [["SIGINT"], ["SIGTERM"], ["SIGINT", "SIGTERM"]];

const cases = Object.entries(struckCommands).flatMap(([title, command]) =>
  points.map((point) => ({ title, command, point, signals: kills[point % kills.length]! })),
);

everyNth(43, 40, cases, (now) =>
  test.each(tonight(3, now))("$title ends by $signals at request $point", async ({ command, point, signals }) => {
    await endsInOrder(command, point, signals);
  }),
);

async function endsInOrder(command: StruckCommand, point: number, signals: readonly NodeJS.Signals[]): Promise<void> {
  const site = await openFor(command);
  try {
    const { seconds, output, later, ...ended } = await strike(site, command, point, signals);
    // Some commands need fewer requests.
    if (seconds === undefined) return expect(point).toBeGreaterThan(1);
    expect({ output, ...ended }).toEqual({ code: 130, left: 0, output: expect.stringMatching(/interrupted/i) });
    if (command.isInTurn) expect(later).toBe(0);
  } finally {
    await site.close();
  }
}

nightly("the wait is tested in state/lock, and a real one takes a process", () => {
  test.each(["up", "refresh", "destroy"])("%s ends while it watches a lock", async (title) => {
    const command = struckCommands[title]!;
    const site = await openFor(command);
    try {
      expect(await strikeAtLock(site, command, "SIGTERM")).toMatchObject({ code: 130, left: 0 });
    } finally {
      await site.close();
    }
  });
});
