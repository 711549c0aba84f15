import type { Values } from "../values";
import { builtIn } from "./engines";
import { openModel } from "./everything";
import type { DeclaredProgram, Site } from "./site";
import { openSite } from "./sites";

const open = { allowServerless: true, allowDedicatedDeployments: true, allowTraining: true, allowServerlessFast: true };
const tight = { ...open, allowTraining: false };

const program = (more: { policy?: Values; chat?: Values } = {}): DeclaredProgram => ({
  resources: {
    chat: { kind: "Deployment", deploymentId: "chat", baseModel: openModel, ...more.chat },
    ada: { kind: "User", userId: "ada", email: "ada@example.com", role: "user" },
    policy: { kind: "PolicySettings", defaultPermissions: tight, adopt: "overwrite", ...more.policy },
  },
});
const restoring = { onDelete: "restorePrevious" };
const loosens = "this would loosen the account's policy: defaultPermissions.allowTraining from denied to allowed";

let site: Site;
beforeEach(async () => {
  site = await openSite(builtIn);
  await site.seed({ "accounts/demo/policySettings": { defaultPermissions: open } });
});
afterEach(() => site.close());

const text = (output: string): string => output.replace(/\s+/g, " ");
/** A command that must be refused before anything is written. */
async function refused(line: string): Promise<string> {
  await site.requests();
  const { code, output } = await site.run(line);
  expect([line, code, await site.writes()]).toEqual([line, 1, []]);
  return text(output);
}

test.each(["pulumi-modelplatform", "pulumi-modelplatform/plugin"])(
  "a destroy that would loosen a policy deletes nothing, as its preview says (%s)",
  async (from) => {
    await site.up({ ...program({ policy: restoring }), from });
    expect(await refused("destroy --preview-only")).toContain(loosens);
    const output = await refused("destroy");
    expect(output).toContain(loosens);
    expect(output).toContain("up --target '**:PolicySettings::policy' --stack dev`");
    expect([site.live("deployments/"), site.live("users/")].map(({ length }) => length)).toEqual([1, 1]);
  },
);

test("the advice leads to a destroy that succeeds, and to nothing that is recreated", async () => {
  await site.up(program({ policy: restoring }));
  await refused("destroy");
  site.declare(program({ policy: { ...restoring, allowLoosening: true } }));
  await site.requests();
  await site.expect(0, "up --target **:PolicySettings::policy");
  expect(await site.writes()).toEqual([]);
  await site.expect(0, "destroy");
  expect(site.emulator.world.get("accounts/demo/policySettings")?.fields["defaultPermissions"]).toMatchObject(open);
  expect(site.resources()).toEqual([]);
});

test("a protected object keeps a destroy from deleting anything else", async () => {
  await site.up(program({ chat: { deletionProtection: true } }));
  for (const line of ["destroy --preview-only", "destroy"]) {
    const output = await refused(line);
    expect(output).toContain("accounts/demo/deployments/chat is protected by `deletionProtection`");
    expect(output).toContain("up --target '**:Deployment::chat' --stack dev`");
  }
  expect(site.live("users/")).toHaveLength(1);
});

test("an update that drops the undeletable deletes nothing, as its preview says", async () => {
  await site.up(program({ policy: restoring, chat: { deletionProtection: true } }));
  site.declare({ resources: {} });
  for (const line of ["preview", "up"]) {
    const output = await refused(line);
    expect(output).toContain(loosens);
    expect(output).toContain("accounts/demo/deployments/chat is protected by `deletionProtection`");
  }
  expect(site.live("users/")).toHaveLength(1);
});

test("`destroy --continue-on-error` deletes everything that is not refused", async () => {
  await site.up(program({ policy: restoring }));
  const { code, output } = await site.run("destroy --continue-on-error");
  expect([code, text(output)]).toEqual([1, expect.stringContaining(loosens)]);
  expect([site.live("deployments/"), site.live("users/")]).toEqual([[], []]);
});

test("a service that cannot be asked refuses nothing in advance", async () => {
  await site.up(program({ policy: restoring }));
  await site.fault({ operation: "getPolicySettings" }, { kind: "status", status: 503 }, { times: null });
  await site.expect(0, "destroy --preview-only");
});

test("`up` says of a policy what its removal would be refused for", async () => {
  const { output } = await site.up(program({ policy: restoring }));
  expect(text(output)).toContain(
    'removing it, as `destroy` does, will be refused: it would loosen the account\'s policy: defaultPermissions.allowTraining from denied to allowed. Set `allowLoosening: true`, or `onDelete: "retain"`',
  );
  const quiet = await site.up(program({ policy: { ...restoring, allowLoosening: true } }));
  expect(quiet.output).not.toContain("removing it");
});
