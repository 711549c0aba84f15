import { createHarness, type Harness, type Process } from "./harness";

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const looking = (): Process => at.process();
const blind = (): Process => at.process({ preflight: "false" });

describe("the end of a model's serverless deployment", () => {
  const old = "accounts/acme/models/old";
  const inputs = { baseModel: old, acceptShapelessRisk: true };

  /** A model that is taken down so many days from now, and that day. */
  async function endingIn(days: number): Promise<string> {
    const date = new Date(at.clock.now() + days * 86_400_000);
    const deprecationDate = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    await at.put(old, { kind: "HUB_BASE_MODEL", baseModelDetails: {}, state: "READY", deprecationDate });
    return date.toISOString().slice(0, 10);
  }

  const judged = (settings: Record<string, string> = {}) => at.process(settings).judge("Deployment", "it", inputs);

  test("is a warning from 90 days before, and fails nothing: others keep running", async () => {
    const day = await endingIn(90);
    expect(await judged()).toMatchObject({
      failures: [],
      warnings: [
        `\`baseModel\`: is made from ${old}, whose serverless deployment is taken down on ${day}. Choose another model`,
      ],
    });
    await endingIn(91);
    expect(await judged()).toMatchObject({ failures: [], warnings: [] });
    expect((await judged({ retirementDays: "91" })).warnings).toHaveLength(1);
  });

  test("is an error by choice, also by way of an addon", async () => {
    const day = await endingIn(30);
    const addon = "accounts/acme/models/addon";
    await at.put(addon, { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: old }, state: "READY" });
    const process = at.process({ retirementErrorDays: "30" });
    const { failures } = await process.judge("Deployment", "it", { ...inputs, baseModel: addon });
    expect(failures).toEqual([
      {
        property: "baseModel",
        reason: `is made from ${old}, whose serverless deployment is taken down on ${day}. Choose another model (preflight)`,
      },
    ]);
    await endingIn(31);
    expect((await judged({ retirementErrorDays: "30" })).failures).toEqual([]);
  });

  test("costs no request, and leaves inputs and existing objects as they are", async () => {
    await at.requests();
    await judged();
    const without = (await at.requests()).sort();
    await endingIn(1);
    await at.requests();
    await judged();
    expect((await at.requests()).sort()).toEqual(without);
    const checked = await looking().check("Deployment", "it", inputs);
    const plain = await blind().check("Deployment", "it", inputs);
    expect(checked).toEqual(plain);
    await at.requests();
    const process = at.process({ retirementErrorDays: "30" });
    await expect(process.check("Deployment", "it", inputs, checked)).resolves.toMatchObject(inputs);
    expect(await at.requests()).toEqual([]);
  });
});
