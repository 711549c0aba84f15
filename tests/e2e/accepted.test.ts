import type { Values } from "../values";
import type { Site } from "./site";
import { onEachSite } from "./sites";

jest.setTimeout(300_000);

const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: true,
  allowTraining: true,
  allowServerlessFast: true,
};
const opened = { rules: [{ model: "accounts/platform/models/open-8b", permissions }] };
const program = (more: Values = {}) => ({
  resources: { policy: { kind: "PolicySettings", residency: "EUROPE", ...more } },
});
/** Without the breaks that a narrow terminal puts in. */
const text = (output: string): string => output.replace(/\s+/g, " ");
const looks = "refresh --preview-only --expect-no-changes";

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  test("access granted by hand is reported by every refresh until the program accepts it", async () => {
    await site.up(program());
    await site.expect(0, looks);
    const policy = site.resource("policy").id;
    await site.tamper(policy, opened);
    expect((await site.expect(7, looks)).output).toContain("has not been accepted");
    await site.expect(0, "refresh");
    await site.expect(7, looks);
    await site.expect(0, "up --refresh");
    await site.expect(0, "up");
    const { output } = await site.expect(7, looks);
    await site.expect(0, "preview --expect-no-changes");
    expect(site.emulator.world.get(policy!)?.fields).toMatchObject(opened);

    await site.up(program({ acceptDrift: /acceptDrift: "(\w+)"/.exec(output)![1] }));
    await site.expect(0, looks);
    await site.expect(0, "preview --expect-no-changes");
    expect(site.emulator.world.get(policy!)?.fields).toMatchObject(opened);
  });

  test("what the program says by now is not called reverted", async () => {
    const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "contributor" };
    await site.up({ resources: { ada } });
    await site.tamper(site.resource("ada").id, { role: "admin" });
    site.declare({ resources: { ada: { ...ada, role: "admin" } } });
    expect(text((await site.expect(0, "up --refresh")).output)).not.toContain("revert");
    expect(site.live("users/ada")).toMatchObject([{ role: "admin" }]);
  });

  test.each(["refresh --preview-only", "preview --refresh"])(
    "what `%s` advises works, though it records nothing",
    async (look) => {
      const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "contributor" };
      const bob = { ...ada, userId: "bob", email: "bob@example.com" };
      await site.up({ resources: { ada, bob } });
      const users = [site.resource("ada").id!, site.resource("bob").id!];
      const raise = () => Promise.all(users.map((each) => site.tamper(each, { role: "admin" })));
      await raise();
      const output = text((await site.expect(0, look)).output);
      const advised = [...output.matchAll(/`[^`]*?(up[^`]*)` makes `role` what the program says/g)].map(
        ([, line]) => line!,
      );
      expect(new Set(advised).size).toBe(1);
      await site.expect(0, advised[0]!);
      for (const each of users) expect(site.emulator.world.get(each)?.fields).toMatchObject({ role: "contributor" });

      await raise();
      const again = text((await site.expect(0, look)).output);
      const tokenOf = (user: string) => new RegExp(`User ${user} was [^]*?acceptDrift: "(\\w+)"`).exec(again)![1];
      const accepting = [ada, bob].map((each, index) => ({
        ...each,
        role: "admin",
        acceptDrift: tokenOf(users[index]!),
      }));
      site.declare({ resources: { ada: accepting[0], bob: accepting[1] } });
      await site.expect(0, "up --refresh");
      await site.expect(0, looks);
    },
  );

  test("what was opened by hand is closed by the program that says so, for good", async () => {
    await site.up(program());
    await site.tamper(site.resource("policy").id, opened);
    await site.expect(0, "refresh");
    await site.up(program({ rules: [] }));
    await site.expect(0, looks);
    await site.expect(0, "preview --expect-no-changes");
    expect(site.emulator.world.get(site.resource("policy").id!)?.fields).toMatchObject({ rules: [] });
  });
});
