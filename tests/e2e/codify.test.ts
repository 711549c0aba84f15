import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import type { Ended } from "./commands";
import { builtIn, repository, withCliAtNight } from "./engines";
import { liveWorld, openWorld } from "./live-world";
import { account, type Site } from "./site";
import { openSite, openToStrike, runAsIs } from "./sites";

/** Compiles the program with the types of this package. */
const compile = (folder: string): string =>
  execFileSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", folder], {
    encoding: "utf8",
  });

/** The command line, which must end well. */
async function modelplatform(site: Site, line: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const ended = await runAsIs(site, line.split(" "), env);
  if (ended.code !== 0) throw Object.assign(new Error(`\`${line}\` ended with ${ended.code}:\n${ended.output}`), ended);
  return ended;
}

/** What `codify` says to set, by config key. */
const secrets = { storageKeyValue: "live-value", chatDirectRouteApiKeys: '["direct-route-key"]' };

async function setSecrets(site: Site): Promise<void> {
  for (const [key, value] of Object.entries(secrets))
    await modelplatform(site, `config set --stack ${site.stack} --secret ${key} ${value}`);
}

test("the program of a whole account compiles, and says nothing superfluous", async () => {
  const site = await openSite(builtIn, { program: "codified" });
  try {
    await site.seed(liveWorld(account));
    await modelplatform(site, "codify --finished-jobs --output .");
    expect(compile(site.program)).toBe("");
    const text = readFileSync(join(site.program, "index.ts"), "utf8");
    for (const secret of ["live-value", "direct-route-key"]) expect(text).not.toContain(secret);
    for (const ownOrDefault of [
      "createTime",
      "state:",
      "url:",
      "minReplicaCount: 0",
      "GLOBAL",
      "scaleUpWindow",
      "nodeCount",
      "versions/v1",
      "900s",
      "fineTuningJob",
    ])
      expect(text).not.toContain(ownOrDefault);
    for (const expected of [
      "model: tune1.outputModelName",
      "deployment: chat.name",
      "baseModel: support8b.name",
      "credentialsSecret: storageKey.name",
      "learningRate: 0.0001",
      'scaleDownWindow: "15m"',
      "maxReplicaCount: 0",
    ])
      expect(text).toContain(expected);
    expect(await site.writes()).toEqual([]);
  } finally {
    await site.close();
  }
});

/** Why a program is left to the nightly run. */
const told = "each compiles or runs a whole program again; a normal run does so once for each way of taking over";

const accounts = {
  MODELPLATFORM_ACCOUNTS: JSON.stringify({ other: { apiKey: "other-key" } }),
  PULUMI_NODEJS_TRANSPILE_ONLY: "true",
};

nightly(told, () => {
  test("several accounts have a provider and a file each, in one program", async () => {
    const site = await openSite(builtIn, { program: "codified" });
    try {
      await site.seed({ ...liveWorld(account), ...liveWorld("other") });
      const { stdout } = await modelplatform(
        site,
        "codify --all-accounts --finished-jobs --split account --output . --json",
        accounts,
      );
      expect(
        readdirSync(site.program)
          .filter((name) => name.endsWith(".ts"))
          .sort(),
      ).toEqual(["demo.ts", "index.ts", "other.ts", "providers.ts"]);
      expect(compile(site.program)).toBe("");
      const { config } = JSON.parse(stdout) as { config: { key: string; required: boolean }[] };
      const required = config.filter((value) => value.required).map(({ key }) => key);
      expect(required.sort()).toEqual([
        "chatDirectRouteApiKeys",
        "otherChatDirectRouteApiKeys",
        "otherStorageKeyValue",
        "storageKeyValue",
      ]);
      for (const key of required)
        await modelplatform(
          site,
          `config set --stack ${site.stack} --secret ${key} ${key.endsWith("ApiKeys") ? secrets.chatDirectRouteApiKeys : "x"}`,
        );
      await site.expect(0, "up", { env: accounts });
      await site.expect(0, "preview --expect-no-changes", { env: accounts });
      expect(site.resources()).toHaveLength(24);
      expect(await site.writes()).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

nightly(told, () => {
  test("a file per collection compiles, and files that are there are not overwritten", async () => {
    const site = await openSite(builtIn, { program: "codified" });
    try {
      await site.seed({ ...liveWorld(account), ...liveWorld("other") });
      const line = "codify --all-accounts --finished-jobs --split collection --output .";
      await modelplatform(site, line, accounts);
      expect(compile(site.program)).toBe("");
      await expect(modelplatform(site, line, accounts)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining("already exists (nothing was written)"),
      });
    } finally {
      await site.close();
    }
  });
});

withCliAtNight("its program is the same, and so is the provider that takes over", (engine) => {
  test("a generated program adopts what is live without a write", async () => {
    const site = await openSite(engine, { program: "codified" });
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
      const { stdout, stderr } = await modelplatform(
        site,
        `codify --finished-jobs --backend ${site.env["PULUMI_BACKEND_URL"]!}`,
      );
      expect(stdout).toMatch(/\nexport \{\};\n$/);
      expect(stderr).toMatch(/Declared 0 of \d+ objects read\./);
      expect(await site.writes()).toEqual([]);
      expect([...site.emulator.world.all()].map(({ fields }) => fields)).toEqual(before);
    } finally {
      await site.close();
    }
  });

  nightly(told, () => {
    test("what is live is imported as its program has it", async () => {
      const site = await openSite(engine, { program: "codified" });
      const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
      try {
        await site.seed(openWorld(account));
        await modelplatform(site, "codify --finished-jobs --import --output .");
        await site.expect(0, "import --file import.json --generate-code=false", { env });
        expect(site.resources()).toHaveLength(11);
        expect(site.resources().filter(({ protect }) => protect !== true)).toEqual([]);
        await site.expect(0, "preview --expect-no-changes", { env });
        await site.expect(0, "refresh --preview-only --expect-no-changes", { env });
        await site.expect(0, "up", { env });
        expect(site.resources().filter(({ protect }) => protect !== true)).toEqual([]);
        expect(await site.writes()).toEqual([]);
      } finally {
        await site.close();
      }
    });
  });

  nightly(told, () => {
    test("what is live in several accounts is imported with a provider for each", async () => {
      const site = await openToStrike(engine, { program: "codified" });
      try {
        await site.seed({ ...openWorld(account), ...openWorld("other") });
        await modelplatform(
          site,
          "codify --all-accounts --finished-jobs --import --split account --output .",
          accounts,
        );
        await site.expect(0, "import --file import.json --generate-code=false", { env: accounts });
        expect(site.resources()).toHaveLength(22);
        await site.expect(0, "preview --expect-no-changes", { env: accounts });
        expect(await site.writes()).toEqual([]);
      } finally {
        await site.close();
      }
    });
  });
});

test("an entry without outputs is read by the provider", async () => {
  const site = await openSite(builtIn, { program: "codified" });
  const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  try {
    await site.seed(openWorld(account));
    await modelplatform(site, "codify --finished-jobs --import --output .");
    const { resources } = JSON.parse(readFileSync(join(site.program, "import.json"), "utf8")) as {
      resources: { outputs: unknown }[];
    };
    writeFileSync(
      join(site.program, "read.json"),
      JSON.stringify({ resources: resources.map(({ outputs: _, ...entry }) => entry) }),
    );
    await site.expect(0, "import --file read.json", { env });
    expect(site.resources()).toHaveLength(11);
    await site.expect(0, "preview --expect-no-changes", { env });
    expect(site.resource("chat").outputs).toMatchObject({
      state: "READY",
      name: `accounts/${account}/deployments/chat`,
    });
    expect(await site.writes()).toEqual([]);
  } finally {
    await site.close();
  }
});
