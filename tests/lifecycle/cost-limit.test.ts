import { InitFailedError } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const kind = "SupervisedFineTuningJob";
/** The emulator estimates 1.5 USD for each pass: 4.5 USD. */
const job = { baseModel: "accounts/platform/models/open-8b", dataset: "accounts/acme/datasets/tickets", epochs: 3 };
const atMost = (units: string, nanos?: number, currencyCode = "USD") => ({
  ...job,
  maxEstimatedCost: { currencyCode, units, ...(nanos !== undefined && { nanos }) },
});

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const writes = async (): Promise<string[]> =>
  (await at.requests())
    .filter((request) => !request.startsWith("GET"))
    .map((request) => request.replace(/\/tune-[^:]*/, "/tune"));

test("a job whose estimate is above the limit is cancelled and recorded as unfinished", async () => {
  const error = await rejection<InitFailedError>(at.process().create(kind, "tune", atMost("4")));
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.message).toContain("`estimatedCost` is 4.5 USD, and `maxEstimatedCost` is 4 USD");
  expect(error.message).toContain("cancelled (JOB_STATE_CANCELLED)");
  expect(error.outputs).toMatchObject({ state: "JOB_STATE_CANCELLED", maxEstimatedCost: { units: "4" } });
  expect(at.live("models")).toEqual([]);
  expect(await writes()).toEqual([
    "POST /v1/accounts/acme/supervisedFineTuningJobs",
    expect.stringMatching(/:cancel$/),
  ]);
});

test.each(["hold", "rerun"])("with `onFailure` %s it is not run again automatically", async (onFailure) => {
  const inputs = { ...atMost("4"), onFailure };
  const { outputs } = await rejection<InitFailedError>(at.process().create(kind, "tune", inputs));
  expect(await at.process().diff(kind, "tune", outputs, inputs)).toMatchObject({ changes: true, replaces: [] });
  await at.requests();
  const again = await rejection<InitFailedError>(at.process().update(kind, "tune", outputs, inputs));
  expect(again).toBeInstanceOf(InitFailedError);
  expect(again.message).toContain("Raise the limit or ask for less: `estimatedCost` is 4.5 USD");
  expect(await writes()).toEqual([]);
});

test("a higher limit lets `rerun` start another run, and new inputs always start one", async () => {
  const { outputs } = await rejection<InitFailedError>(at.process().create(kind, "tune", atMost("4")));
  const raised = { ...atMost("5"), onFailure: "rerun" };
  expect(await at.process().diff(kind, "tune", outputs, raised)).toMatchObject({ replaces: ["state"] });
  expect((await at.process().diff(kind, "tune", outputs, { ...atMost("4"), epochs: 2 })).replaces).toEqual(["epochs"]);
});

test.each([
  ["above the estimate", atMost("5")],
  ["equal to the estimate", atMost("4", 500_000_000)],
])("a job with a limit %s continues", async (_, inputs) => {
  expect((await at.process().create(kind, "tune", inputs)).outputs).toMatchObject({ state: "JOB_STATE_COMPLETED" });
});

test("a limit slightly below the estimate is exceeded", async () => {
  expect(
    (await rejection<InitFailedError>(at.process().create(kind, "tune", atMost("4", 499_999_999)))).message,
  ).toContain("`maxEstimatedCost` is 4.499999999 USD");
});

test("an estimate in another currency cannot be within the limit", async () => {
  expect(
    (await rejection<InitFailedError>(at.process().create(kind, "tune", atMost("100", 0, "EUR")))).message,
  ).toContain("cannot be compared");
});

test("a job that is not waited for is read once, right after it was accepted", async () => {
  const error = await rejection<InitFailedError>(
    at.process().create(kind, "tune", { ...atMost("4"), waitFor: "submitted" }),
  );
  expect(error.outputs).toMatchObject({ state: "JOB_STATE_CANCELLED" });
});

test("an estimate that grows above the limit while the job runs ends it", async () => {
  const creating = rejection<InitFailedError>(at.process().create(kind, "tune", atMost("5")));
  await at.clock.sleep(120_000);
  const [live] = at.live("supervisedFineTuningJobs");
  await at.change(String(live!["name"]), { estimatedCost: { currencyCode: "USD", units: "6" } });
  const error = await creating;
  expect(error.message).toContain("`estimatedCost` is 6.5 USD");
  expect(error.outputs).toMatchObject({ state: "JOB_STATE_CANCELLED" });
});

test("a lower limit ends a job that an interrupted run left running", async () => {
  const process = at.process();
  const creating = rejection<InitFailedError>(process.create(kind, "tune", atMost("5")));
  await at.clock.sleep(120_000);
  process.abort.abort();
  const { outputs } = await creating;
  const error = await rejection<InitFailedError>(at.process().update(kind, "tune", outputs, atMost("4")));
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.outputs).toMatchObject({ state: "JOB_STATE_CANCELLED" });
});

test("a job that has succeeded keeps its model, whatever it cost", async () => {
  const { outputs } = await at.process().create(kind, "tune", job);
  await at.requests();
  expect(await at.process().update(kind, "tune", outputs, atMost("4"))).toMatchObject({ state: "JOB_STATE_COMPLETED" });
  expect(await writes()).toEqual([]);
});

test.each([
  ["a number", 40, "maxEstimatedCost"],
  ["no currency", { units: "40" }, "maxEstimatedCost.currencyCode"],
  ["units that are a number", { currencyCode: "USD", units: 40 }, "maxEstimatedCost.units"],
  ["a fraction in units", { currencyCode: "USD", units: "4.5" }, "maxEstimatedCost.units"],
  ["a currency in words", { currencyCode: "dollars", units: "4" }, "maxEstimatedCost.currencyCode"],
])("a limit with %s fails the check", async (_, maxEstimatedCost, place) => {
  const { failures } = await at.process().judge(kind, "tune", { ...job, maxEstimatedCost });
  expect(failures.map(({ property }) => property)).toEqual([place]);
});
