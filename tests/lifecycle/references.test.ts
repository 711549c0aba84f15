import { unknownValue } from "../../provider/core/values/values";
import { createHarness, type Harness } from "./harness";

/** What a check knows before any request: which kind a name is of, and whether there is a key. */

const job = "accounts/acme/supervisedFineTuningJobs/tuning";
const inputs = { deploymentId: "chat", baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const reasonsOf = async (settings: Record<string, string>, accountId?: string): Promise<string[]> => {
  const ofAccount = accountId === undefined ? inputs : { ...inputs, accountId };
  const { failures } = await at.process(settings).judge("Deployment", "chat", ofAccount);
  return failures.map(({ reason }) => reason);
};

test("a name of another kind fails the check, and sends nothing", async () => {
  const { failures } = await at.process().judge("Deployment", "chat", { ...inputs, baseModel: job });
  expect(failures).toEqual([{ property: "baseModel", reason: expect.stringContaining("its `outputModelName`") }]);
  expect(await at.requests()).toEqual([]);
});

test("a state that holds such a name is refreshed and destroyed", async () => {
  const process = at.process();
  const { id, outputs } = await process.create("Deployment", "chat", { ...inputs, deletionMode: "hard" });
  await at.change(id, { hotLoadTrainerJob: job });
  const recorded = { ...outputs, hotLoadTrainerJob: job };
  const later = at.process();
  expect((await later.read("Deployment", "chat", recorded))?.outputs).toMatchObject({
    name: id,
    hotLoadTrainerJob: job,
  });
  expect(await later.delete("Deployment", "chat", recorded)).toBe("deleted");
  expect(at.names("deployments")).toEqual([]);
});

test("an account without a key is a failure; one with a command for its key is not", async () => {
  expect(await reasonsOf({}, "gamma")).toEqual([expect.stringContaining("no API key for account `gamma`")]);
  const accounts = JSON.stringify({ gamma: { keyCommand: ["there-is-no-such-command"] } });
  expect(await reasonsOf({ accounts }, "gamma")).toEqual([]);
  expect(await at.requests()).toEqual([]);
});

test("a service without an address is a failure", async () => {
  expect(await reasonsOf({ baseUrl: "" })).toEqual([expect.stringContaining("no base URL is given")]);
});

test.each(["apiKey", "accounts", "baseUrl", "accountId"])("an `%s` that is not known yet is none", async (setting) => {
  expect(await reasonsOf({ [setting]: unknownValue }, "gamma")).toEqual([]);
  expect(await at.requests()).toEqual([]);
});
