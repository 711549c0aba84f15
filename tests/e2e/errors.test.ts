import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import type { Values } from "../values";
import { builtIn, type Engine, onTheCli, pulumiCli, repository } from "./engines";
import { chat } from "./everything";
import { Site } from "./site";
import { type OpenSite, onEachDoor, onEachSite } from "./sites";

jest.setTimeout(300_000);

/** What a user gets wrong, and the words that tell it: what is wrong, and what to do. */
const mistakes: readonly { what: string; env?: NodeJS.ProcessEnv; inputs?: Values; words: readonly string[] }[] = [
  {
    what: "a wrong key",
    env: { MODELPLATFORM_API_KEY: "wrong-key" },
    words: ["401", "does not accept the API key of account `demo`", "check `modelplatform:apiKey`"],
  },
  {
    what: "a missing key",
    env: { MODELPLATFORM_API_KEY: undefined },
    words: [
      "no API key for account `demo`",
      "`MODELPLATFORM_API_KEY`",
      "Set it with `$ENGINE config set --secret modelplatform:apiKey`",
    ],
  },
  {
    what: "an unreachable server",
    env: { MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" },
    words: ["no connection to 127.0.0.1:9", "Check the base URL, that the service runs, and the network"],
  },
  {
    what: "a base URL that would show the key",
    env: { MODELPLATFORM_BASE_URL: "http://api.example.com" },
    words: ["base URL in the environment variable `MODELPLATFORM_BASE_URL` uses http", "Use https"],
  },
  {
    what: "an account without a key",
    inputs: { accountId: "nobody" },
    words: ["no API key for account `nobody`", "`modelplatform:accounts`", "keys are configured for `demo`"],
  },
  {
    what: "a misspelt input",
    inputs: { maxReplicaCont: 2 },
    words: ["maxReplicaCont", "is not a property", "did you mean `maxReplicaCount`?"],
  },
  {
    what: "impossible values, all at once",
    inputs: { maxReplicaCount: -1, directRouteType: "INTERNT" },
    words: ["maxReplicaCount", "must be at least 0", "directRouteType", "did you mean `INTERNET`?"],
  },
  {
    what: "a missing passphrase",
    env: { PULUMI_CONFIG_PASSPHRASE: undefined },
    words: ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"],
  },
];

const stackTrace = /^\s+at .*:\d+:\d+\)?$/m;
/** What is left of one in a report, whose lines are folded. */
const frame = /\bat (async )?[\w.<>]+ \(|\.[jt]s:\d+:\d+/;

/** Two show what processes add: an error of the program's, and one of what surrounds the engine. */
const isOfDoor = ({ what }: { what: string }): boolean => ["a misspelt input", "a missing passphrase"].includes(what);

onEachDoor((open) => areReadable(open, mistakes.filter(isOfDoor)));
onEachSite((open) =>
  areReadable(
    open,
    mistakes.filter((each) => !isOfDoor(each)),
  ),
);

function areReadable(open: OpenSite, some: typeof mistakes): void {
  let site: Site;
  const { stackTraceLimit } = Error;
  beforeEach(async () => {
    site = await open();
    // Where everything runs in this process, errors have no stack that could be printed.
    Error.stackTraceLimit = 10;
  });
  afterEach(() => {
    Error.stackTraceLimit = stackTraceLimit;
    return site.close();
  });

  test.each(some)(
    "$what is a readable error that says what to do, and nothing is written",
    async ({ env = {}, inputs = {}, words }) => {
      site.declare({ resources: { chat: { ...chat, ...inputs } } });
      const { output } = await site.expect(1, "up", { env });
      const plain = output.replace(/\s+/g, " ");
      const command = site.engine === builtIn ? "npx pulumi-modelplatform" : "pulumi";
      for (const word of words) expect(plain).toContain(word.replace("$ENGINE", command));
      // Every error is told once; the CLI quotes that of a resource in its row as well.
      const [longest = ""] = words.map((word) => word.replace("$ENGINE", command)).sort((a, b) => b.length - a.length);
      const times = plain.split(longest).length - 1;
      expect([1, site.engine.isBuiltIn ? 1 : 2]).toContain(times);
      expect(plain).not.toMatch(frame);
      expect(output).not.toContain(join("dist", ""));
      expect(await site.writes()).toEqual([]);
      expect(site.resources()).toEqual([]);
    },
  );
}

describe("a package that is not installed any longer", () => {
  let site: Site;
  afterEach(() => site.close());

  /** A project with a deployment, and nothing but Pulumi's SDK installed. */
  const bereft = async (engine: Engine): Promise<Site> => {
    site = await Site.open(engine);
    await site.up({ resources: { chat } });
    await site.requests();
    const modules = join(site.program, "node_modules");
    rmSync(modules);
    mkdirSync(modules);
    symlinkSync(join(repository, "node_modules", "@pulumi"), join(modules, "@pulumi"));
    return site;
  };

  nightly("what a command loads of the package is told by `own-kinds`, and each is three processes", () => {
    test("is not needed by `refresh` and `destroy` of the built-in engine", async () => {
      await bereft(builtIn);
      for (const command of ["refresh", "destroy"]) expect(await site.start(command).ended).toMatchObject({ code: 0 });
      expect(site.live("deployments")).toEqual([]);
    });
  });

  nightly("on the Pulumi CLI alone a process of the SDK looks for it", () =>
    onTheCli(() =>
      test("is a readable error that says how to install it", async () => {
        await bereft(pulumiCli);
        const { code, output } = await site.start("refresh").ended;
        expect(code).toBe(1);
        expect(output.replace(/\s+/g, " ")).toContain(
          `Cannot find module 'pulumi-modelplatform/runtime'. Run \`npm install pulumi-modelplatform\` in ${site.program} or a folder above it`,
        );
        expect(output).not.toMatch(stackTrace);
        expect(await site.requests()).toEqual([]);
        expect(site.resource("chat").outputs).toMatchObject({ state: "READY" });
      }),
    ),
  );
});
