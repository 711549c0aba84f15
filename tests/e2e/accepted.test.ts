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

  test.each(["refresh --preview-only", "preview --refresh"])(
    "what `%s` advises works, though it records nothing",
    async (look) => {
      const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "contributor" };
      await site.up({ resources: { ada } });
      const user = site.resource("ada").id!;
      await site.tamper(user, { role: "admin" });
      const advised = /To resolve it: `.*?(up[^`]*)` reverts `role`/.exec(
        text((await site.expect(0, look)).output),
      )?.[1];
      await site.expect(0, advised!);
      expect(site.emulator.world.get(user)?.fields).toMatchObject({ role: "contributor" });

      await site.tamper(user, { role: "admin" });
      const [, acceptDrift] = /acceptDrift: "(\w+)"/.exec(text((await site.expect(0, look)).output))!;
      site.declare({ resources: { ada: { ...ada, role: "admin", acceptDrift } } });
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
