import { createHarness, type Harness } from "./harness";

const kind = "PolicySettings";
const policy = { residency: "EUROPE" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

test("two declarations of one account's policy fail, and the failure names both", async () => {
  const process = at.process();
  await process.check(kind, "baseline", policy);
  const second = process.check(kind, "extra", { zeroDataRetention: { defaultEnforced: true } });
  await expect(second).rejects.toThrow(/accountId: .*`acme`.*::baseline and .*::extra/);
  expect(await at.requests()).toEqual([]);
});

test("one declaration may be checked any number of times", async () => {
  const process = at.process();
  await process.check(kind, "baseline", policy);
  await expect(process.check(kind, "baseline", policy, policy)).resolves.toMatchObject(policy);
});

test("each account has a policy of its own, and any number of objects of other kinds", async () => {
  const process = at.process();
  await process.check(kind, "baseline", policy);
  await expect(process.check(kind, "beta", { ...policy, accountId: "beta" })).resolves.toMatchObject({
    accountId: "beta",
  });
  await process.check("User", "ada", { email: "ada@example.com" });
  await expect(process.check("User", "bob", { email: "bob@example.com" })).resolves.toMatchObject({
    email: "bob@example.com",
  });
});

test("a policy of an unknown account is judged once the account is known", async () => {
  const process = at.process();
  const unknown = { ...policy, accountId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" };
  await process.check(kind, "one", unknown);
  await expect(process.check(kind, "other", unknown)).resolves.toMatchObject(policy);
});

test("another run of the program may give the policy another name", async () => {
  await at.process().check(kind, "baseline", policy);
  await expect(at.process().check(kind, "renamed", policy)).resolves.toMatchObject(policy);
});
