import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtIn, onTheCli, pulumiCli, repository } from "./engines";
import { Site } from "./site";

/** The pack of the examples, with its packages. */
function pack(site: Site): string {
  const folder = join(site.folder, "policy-pack");
  cpSync(join(repository, "examples/policy-pack"), folder, {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  cpSync(join(repository, "examples/tsconfig.json"), join(site.folder, "tsconfig.json"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const kept = `import { Deployment, PolicySettings, Secret, User } from "pulumi-modelplatform";
const secret = new Secret("key", { keyName: "KEY", valueFrom: { env: "HOME" } });
new PolicySettings("policy", { residency: "EUROPE" });
new User("ada", { email: "ada@example.com", role: "admin" });
new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", description: secret.name, annotations: { "custom/team": "search" } });
`;

const broken = `import { Deployment, PolicySettings, Secret, User } from "pulumi-modelplatform";
const secret = new Secret("key", { keyName: "KEY", value: "hunter2" });
new PolicySettings("policy", { residency: "GLOBAL", allowLoosening: true });
new User("eve", { email: "eve@example.com", role: "admin" });
new Deployment("chat", { baseModel: "accounts/platform/models/open-8b", description: secret.name, minReplicaCount: 1, maxReplicaCount: 9 });
`;

onTheCli(() => {
  test("each rule of the pack is kept by one program and broken by another", async () => {
    const site = await Site.open(pulumiCli, { program: "shop" });
    try {
      const folder = pack(site);
      writeFileSync(join(site.program, "index.ts"), kept);
      const { output } = await site.expect(0, `preview --policy-pack ${folder}`);
      expect(output).toContain("modelplatform");
      writeFileSync(join(site.program, "index.ts"), broken);
      const ended = await site.run(`preview --policy-pack ${folder}`);
      expect(ended.code).not.toBe(0);
      for (const rule of [
        "no-loosening-without-ticket",
        "residency-required",
        "capacity-capped",
        "scale-to-zero-outside-production",
        "annotations-required",
        "secrets-from-elsewhere",
        "admins-listed",
        "no-shapeless-deployment",
      ])
        expect(ended.output).toContain(rule);
      expect(ended.output).not.toContain("hunter2");
    } finally {
      await site.close();
    }
  });
});

test("the built-in engine says who runs policy packs", async () => {
  const site = await Site.open(builtIn, { program: "shop" });
  try {
    const { code, output } = await site.run("preview --policy-pack policies");
    expect([code, output]).toEqual([64, expect.stringContaining("unknown option '--policy-pack'")]);
  } finally {
    await site.close();
  }
});
