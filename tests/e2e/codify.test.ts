import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtIn, onEachEngine, repository } from "./engines";
import { liveWorld } from "./live-world";
import { account, Site } from "./site";

const run = promisify(execFile);

/** Compiles the program with the types of this package. */
const compile = (folder: string): string => execFileSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });

/** The command line, beside whichever engine runs the program. The emulator serves from this process, so that nothing may block it. */
async function modelplatform(site: Site, line: string): Promise<{ stdout: string; stderr: string }> {
  return run(builtIn.command, [...builtIn.args, ...line.split(" ")], { cwd: site.program, env: site.env });
}

/** What `codify` says to set, by config key. */
const secrets = { storageKeyValue: "live-value", chatDirectRouteApiKeys: '["direct-route-key"]' };

async function setSecrets(site: Site): Promise<void> {
  for (const [key, value] of Object.entries(secrets)) await modelplatform(site, `config set --stack ${site.stack} --secret ${key} ${value}`);
}

test("the program of a whole account compiles, and says nothing that a person would leave out", async () => {
  const site = await Site.open(builtIn, { program: "codified" });
  try {
    await site.seed(liveWorld(account));
    await modelplatform(site, "codify --finished-jobs --output .");
    expect(compile(site.program)).toBe("");
    const text = readFileSync(join(site.program, "index.ts"), "utf8");
    for (const secret of ["live-value", "direct-route-key"]) expect(text).not.toContain(secret);
    for (const ownOrDefault of ["createTime", "state:", "url:", "minReplicaCount: 0", "GLOBAL", "scaleUpWindow", "nodeCount", "versions/v1", "900s", "fineTuningJob"]) expect(text).not.toContain(ownOrDefault);
    for (const expected of ["model: tune1.outputModelName", "deployment: chat.name", "baseModel: support8b.name", "credentialsSecret: storageKey.name", "learningRate: 0.0001", 'scaleDownWindow: "15m"', "maxReplicaCount: 0"]) expect(text).toContain(expected);
    expect(await site.writes()).toEqual([]);
  } finally {
    await site.close();
  }
});

onEachEngine((engine) => {
  test("what is live is taken over by the program that describes it, and nothing is written", async () => {
    const site = await Site.open(engine, { program: "codified" });
    const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
    try {
      await site.seed(liveWorld(account));
      await modelplatform(site, "codify --finished-jobs --output .");
      await setSecrets(site);
      const before = structuredClone([...site.emulator.world.all()].map(({ fields }) => fields));
      await site.expect(0, "up", { env });
      expect(site.resources()).toHaveLength(12);
      expect(site.resources().filter(({ outputs }) => outputs?.["adopted"] !== true)).toEqual([]);
      await site.expect(0, "preview --expect-no-changes", { env });
      await site.expect(0, "refresh --preview-only --expect-no-changes", { env });
      expect(await site.writes()).toEqual([]);
      expect([...site.emulator.world.all()].map(({ fields }) => fields)).toEqual(before);
    } finally {
      await site.close();
    }
  });
});
