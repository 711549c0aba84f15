import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { builtIn } from "./engines";
import type { Site } from "./site";
import { openSite, runAsIs } from "./sites";

const program = `import { Config } from "@pulumi/pulumi";
import { Deployment } from "pulumi-modelplatform";

const baseModel = "accounts/platform/models/open-8b";
new Deployment("fixed", { baseModel, maxReplicaCount: 2 });
new Deployment("read", { baseModel, maxReplicaCount: new Config().getNumber("most") ?? 2 });
`;

let site: Site;
const text = (name: string): string => readFileSync(join(site.program, name), "utf8");

beforeEach(async () => {
  site = await openSite(builtIn, { program: "shop" });
  writeFileSync(join(site.program, "index.ts"), program);
  writeFileSync(join(site.program, "Pulumi.dev.yaml"), "config:\n  shop:most: 2\n");
  await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack("shop", "prod");
  await site.expect(0, "up");
  for (const resource of site.resources()) await site.tamper(resource.id, { maxReplicaCount: 4 });
  const up = await runAsIs(site, ["up", "--yes", "--skip-preview", "--stack", "prod"]);
  expect([up.code, up.output]).toEqual([0, expect.any(String)]);
});
afterEach(() => site.close());

test("`accept` of one stack refuses an edit that would change another stack", async () => {
  const backend = site.env["PULUMI_BACKEND_URL"]!;
  const { code, stderr } = await runAsIs(site, ["accept", "--backend", backend, "--stack", "dev", "--write"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      "is shared with the stack organization/shop/prod, where `up` would then change it from 2 to 4",
    ),
  ]);
  expect(stderr).not.toContain("takes no part in the proof");
  expect([text("index.ts"), text("Pulumi.dev.yaml")]).toEqual([program, expect.stringContaining("shop:most: 4\n")]);
});

test("a stack without its passphrase is reported as left out of the proof", async () => {
  const backend = site.env["PULUMI_BACKEND_URL"]!;
  const config = text("Pulumi.prod.yaml").replace(
    /^encryptionsalt: .*$/m,
    "encryptionsalt: v1:AAAAAAAAAAA=:v1:AAAAAAAAAAAAAAAA:AAAA",
  );
  writeFileSync(join(site.program, "Pulumi.prod.yaml"), config);
  const { code, stderr } = await runAsIs(site, ["accept", "--backend", backend, "--stack", "dev", "--write"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      "warning: organization/shop/prod takes no part in the proof, other than by its recorded values: its preview fails: ",
    ),
  ]);
});
