import type { Values } from "../../../provider/lifecycle/types";
import { createHarness, type Harness, type Process } from "../harness";
import { up } from "./told";

/** The settings of an account, which more than one stack may declare. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const kind = "PolicySettings";
const name = "accounts/acme/policySettings";
const all = (allowed: boolean): Values => ({
  allowServerless: allowed,
  allowServerlessFast: allowed,
  allowDedicatedDeployments: allowed,
  allowTraining: allowed,
});
const closed: Values = { defaultPermissions: all(false), residency: "EUROPE" };
const open: Values = { defaultPermissions: all(true), residency: "GLOBAL" };

/** Where a security team works: by hand, from another machine, or from another stack of the same machine. */
const teams: readonly [where: string, tighten: () => Promise<unknown>][] = [
  ["by hand", () => at.change(name, { ...closed, updateTime: new Date(at.clock.now()).toISOString() })],
  [
    "in a stack elsewhere",
    () => at.elsewhere({}, "security").create(kind, "policy", { ...closed, adopt: "overwrite" }),
  ],
  ["in a stack here", () => at.process({}, {}, "security").create(kind, "policy", { ...closed, adopt: "overwrite" })],
];

for (const onDelete of ["restorePrevious", "clear"])
  for (const [where, tighten] of teams)
    for (const refreshed of [false, true])
      test(`what others tightened ${where} survives ${onDelete}, refreshed: ${refreshed}`, async () => {
        const growth = { ...open, allowLoosening: true, onDelete, adopt: "overwrite" };
        const { outputs } = await at.process().create(kind, "policy", growth);
        await at.clock.sleep(60_000);
        await tighten();
        await at.clock.sleep(60_000);
        const process = at.process();
        const known = refreshed ? (await process.read(kind, "policy", outputs))!.outputs : outputs;
        await process.delete(kind, "policy", known).catch((error: Error) => process.messages.push(error.message));
        expect(at.object(name)).toMatchObject(closed);
        expect(process.messages.join("\n")).toContain(name);
      });

describe("a second stack that declares other settings", () => {
  const firstly = (): Promise<unknown> => at.process().create(kind, "policy", { ...closed, adopt: "overwrite" });
  const said = async (process: Process, inputs: Values): Promise<string> =>
    (await up(process, kind, "policy", inputs)).said;

  for (const [where, second] of [
    ["elsewhere", () => at.elsewhere({}, "growth")],
    ["here", () => at.process({}, {}, "growth")],
  ] as const) {
    test(`${where} is refused before it writes, and told what stands there`, async () => {
      await firstly();
      await at.clock.sleep(60_000);
      expect(await said(second(), { ...open, allowLoosening: true })).toContain(name);
      expect(at.object(name)).toMatchObject(closed);
    });

    test(`${where} that overwrites them is told so`, async () => {
      await firstly();
      await at.clock.sleep(60_000);
      const text = await said(second(), { ...open, allowLoosening: true, adopt: "overwrite" });
      expect(text).toMatch(/warning: .* was set by somebody else.*`residency`.* is overwritten/);
    });
  }

  test("is told by its next update that the first has changed them since", async () => {
    await firstly();
    const growth = { ...closed, adopt: "overwrite", residency: "EUROPE" };
    const { outputs } = await at.elsewhere({}, "growth").create(kind, "policy", growth);
    await at.clock.sleep(60_000);
    await at.change(name, { residency: "US", updateTime: new Date(at.clock.now()).toISOString() });
    const process = at.elsewhere({}, "growth");
    const error = await process
      .update(kind, "policy", outputs, { ...growth, defaultPermissions: all(true), allowLoosening: true })
      .then(() => undefined)
      .catch((reason: Error) => reason);
    expect(error?.message).toContain(name);
    expect(at.object(name)).toMatchObject({ residency: "US", defaultPermissions: all(false) });
  });
});
