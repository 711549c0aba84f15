import { headline } from "../../drift/report/wording";
import { auditScene } from "./scene";

const user = (id: string) => `accounts/acme/users/${id}`;
const unknownYet = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** What an audit says of users, each by its verdict and its id; only `ada@example.com` and `ci` may be admins. */
async function judged(users: Readonly<Record<string, object>>) {
  const scene = auditScene();
  for (const [id, fields] of Object.entries(users)) scene.put(user(id), { state: "READY", ...fields });
  const report = await scene.audit([], {
    rules: { "admins-listed": { emails: ["ada@example.com", "kim@kelvin.example"], serviceAccounts: ["ci"] } },
  });
  const verdicts = report.findings.map(({ verdict, name }) => `${verdict} ${name.split("/").at(-1)}`);
  return { report, verdicts };
}

const admin = { role: "admin" };
const robot = { role: "admin", serviceAccount: true };

test.each([
  ["the person on the list", { a: { ...admin, email: "ada@example.com" } }, []],
  ["her address in other ASCII letters", { a: { ...admin, email: "ADA@Example.com" } }, []],
  ["the service account on the list", { ci: robot }, []],
  ["it with an address", { ci: { ...robot, email: "ada@example.com" } }, []],
  ["a service account with a listed address", { m: { ...robot, email: "ada@example.com" } }, ["breach m"]],
  ["a person whose id is that of a listed service account", { ci: { ...admin, email: "m@e.org" } }, ["breach ci"]],
  ["a person whose address is a listed id", { m: { ...admin, email: "ci" } }, ["breach m"]],
  ["a person with no address", { m: admin }, ["breach m"]],
  ["an address with the Kelvin sign", { m: { ...admin, email: "\u212aim@kelvin.example" } }, ["breach m"]],
  ["an address that reads as not known yet", { m: { ...admin, email: unknownYet } }, ["breach m"]],
  ["a role that reads as not known yet", { m: { role: unknownYet, email: "m@e.org" } }, ["error m"]],
  ["an admin who is leaving", { m: { ...admin, email: "m@e.org", state: "DELETING" } }, ["breach m"]],
  ["an admin in a state of no description", { m: { ...admin, email: "m@e.org", state: "LOCKED" } }, ["breach m"]],
])("an audit of %s judges who it is", async (_, users, expected) => {
  const { report, verdicts } = await judged(users);
  expect(verdicts).toEqual(expected);
  expect(report.exitCode).toBe(expected.length === 0 ? 0 : expected[0]!.startsWith("breach") ? 2 : 3);
});

test("of two users with one listed address, nobody knows which one is meant", async () => {
  const email = "ada@example.com";
  const both = await judged({ a: { ...admin, email }, b: { ...admin, email: "ADA@example.com" } });
  expect(both.verdicts).toEqual(["error a", "error b"]);
  expect(both.report).toMatchObject({ exitCode: 3, complete: false });
  expect(both.report.findings[0]!.reason).toContain(user("b"));
  expect(headline(both.report)).not.toContain("No breach");
  const harmless = await judged({ a: { ...admin, email }, b: { role: "user", email } });
  expect(harmless.verdicts).toEqual(["error a"]);
  expect((await judged({ a: { role: "user", email }, b: { role: "user", email } })).verdicts).toEqual([]);
});

const mallory = { name: user("m"), email: "m@e.org", state: "READY" };

test.each([
  ["counts more users than it has", { users: [{ ...mallory, role: "user" }], totalSize: 7 }, [], "1 of the 7"],
  ["counts users and has none", { users: [], totalSize: 7 }, [], "0 of the 7"],
  [
    "has a name twice, and only one of them is harmless",
    {
      users: [
        { ...mallory, role: "user" },
        { ...mallory, role: "admin" },
      ],
    },
    ["breach m"],
    `${user("m")} more than once`,
  ],
  [
    "has a name twice and counts it twice",
    { users: [1, 2].map(() => ({ ...mallory, role: "user" })), totalSize: 2 },
    [],
    "more than once",
  ],
])("a list that %s proves nothing about who is not in it", async (_, body, breaches, problem) => {
  const scene = auditScene();
  await scene.fault({ match: { operation: "listUsers" }, fault: { kind: "status", status: 200, body }, times: 9 });
  const report = await scene.audit();
  expect(report).toMatchObject({ exitCode: 3, complete: false });
  expect(report.findings.map(({ verdict, name }) => `${verdict} ${name.split("/").at(-1)}`)).toEqual(breaches);
  const users = report.accounts[0]!.collections.find(({ name }) => name === "users")!;
  expect(users).toMatchObject({ status: "error", total: null, problem: expect.stringContaining(problem) });
  // Nothing is held against users: how many there are decides nothing.
  expect(await scene.audit([], { rules: { "admins-listed": "disabled" } })).toMatchObject({ exitCode: 0 });
});
