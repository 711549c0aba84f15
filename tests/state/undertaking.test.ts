import { renameSync } from "node:fs";
import { join } from "node:path";
import type { FileBackend } from "../../engine/state/backend";
import { finishing, type Undertaking } from "../../engine/state/undertaking";
import { Neighborhood } from "./neighborhood";
import { resource, snapshotOf } from "./states";

let all: Neighborhood;
let here: ReturnType<Neighborhood["machine"]>;
beforeEach(() => {
  all = new Neighborhood();
  here = all.machine("here");
});

const rename: Undertaking = { operation: "stack rename", from: "dev", to: "live" };

/** A process that notes what it does, does `work` on the stack, and is killed. */
async function killedAt(undertaking: Undertaking, work: (backend: FileBackend) => Promise<unknown>): Promise<void> {
  const backend = all.backendOf(here, 200);
  await backend.createStack("demo", "dev", snapshotOf([resource("a")]));
  await backend.lock("demo", "dev").acquire({ undertaking });
  await work(backend);
  here.kill(200);
}

/** As a rename has it between the old state and the new one. */
const putAside = async (): Promise<void> => {
  const states = join(all.folder, ".pulumi/stacks/demo");
  renameSync(join(states, "dev.json"), join(states, "dev.json@live.renamed"));
};

const acquired = (undertaking?: Undertaking) => all.backendOf(here, 100).lock("demo", "dev").acquire({ undertaking });

describe("what a command on two files notes in its lock", () => {
  test("stands beside what other engines read", async () => {
    await killedAt(rename, async () => undefined);
    expect(all.holders()).toEqual([
      {
        ...{ pid: 200, username: "ada", hostname: "here", timestamp: expect.any(String) },
        undertaking: rename,
        lease: { heartbeat: 5, renewed: "000000000000", process: { kernel: "boot-1 pid:[1]", started: "1" } },
      },
    ]);
  });

  test("is named while its process runs", async () => {
    await all.backendOf(here, 200).lock("demo", "dev").acquire({ undertaking: rename });
    await expect(acquired()).rejects.toThrow("at `stack rename` of dev to live");
  });

  test("has others refuse what is half done, and keeps the lock", async () => {
    await killedAt(rename, putAside);
    const other: Undertaking = { operation: "stack rename", from: "dev", to: "other" };
    for (const undertaking of [undefined, other, { ...rename, operation: "state move" as const }])
      await expect(acquired(undertaking)).rejects.toThrow(
        "The stack dev is in the middle of `stack rename` of dev to live, which was cut off. Run `npx pulumi-modelplatform stack rename live --stack dev`: it finishes that.",
      );
    expect(all.holders()).toMatchObject([{ pid: 200 }]);
  });

  test("lets the same command take over", async () => {
    await killedAt(rename, putAside);
    expect(await acquired(rename)).toMatchObject([{ pid: 200, because: "it has ended", undertaking: rename }]);
    expect(all.holders()).toMatchObject([{ pid: 100, undertaking: rename }]);
  });

  test.each<[string, unknown]>([
    ["that has changed nothing yet", rename],
    ["of a later release", { operation: "stack split", from: "dev" }],
    ["that is damaged", { operation: "stack rename", from: "../dev" }],
    ["that is no object", "rename"],
  ])("is no obstacle where it is of a command %s", async (_, undertaking) => {
    await killedAt(undertaking as Undertaking, async () => undefined).catch(() => undefined);
    here.kill(200);
    await acquired();
    expect(all.holders()).toMatchObject([{ pid: 100 }]);
  });
});

test.each<[Undertaking, string]>([
  [rename, "`npx pulumi-modelplatform stack rename live --stack dev`"],
  [
    { ...rename, to: "dev", projects: { from: "shop", to: "store" } },
    "`npx pulumi-modelplatform stack rename organization/store/dev --stack organization/shop/dev`",
  ],
  [
    { operation: "state move", from: "dev", to: "people" },
    "`npx pulumi-modelplatform state move --yes --source dev --dest people`",
  ],
  [{ operation: "stack rm", from: "dev" }, "`npx pulumi-modelplatform stack rm --yes dev`"],
  [{ operation: "stack init", from: "dev" }, "`npx pulumi-modelplatform stack init dev`"],
])("what finishes %j is a command to paste", (undertaking, command) => {
  expect(finishing(undertaking)).toBe(command);
});
