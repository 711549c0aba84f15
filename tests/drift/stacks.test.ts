import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formats } from "../../drift/report/formats";
import { recordedObjects } from "../../drift/scan/recorded-object";
import { readStacks, type StackSources } from "../../drift/scan/stacks";
import { openBackend } from "../../engine/state/backend";
import { importDeployment } from "../../engine/state/checkpoint";
import type { Values } from "../values";
import { byName, createScene } from "./support/scene";
import { exported, type RecordedResource, recordedStack, secretText, stateOf } from "./support/stacks";

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const deployment = (name: string): Values => ({ name: `accounts/acme/deployments/${name}`, ...inputs, state: "READY" });
const of = (name: string, state: Values = {}): RecordedResource => ({
  kind: "Deployment",
  inputs,
  live: deployment(name),
  state,
});

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "stacks-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const around = () => ({ cwd: folder, env: { PATH: join(folder, "bin") } });
const write = (name: string, bytes: string | Uint8Array): string => (writeFileSync(join(folder, name), bytes), name);

test.each([
  ["an export", (document: string) => document],
  ["a compressed export", gzipSync],
  [
    "a state file",
    (document: string) =>
      JSON.stringify({
        version: 3,
        checkpoint: { stack: "organization/shop/prod", latest: (JSON.parse(document) as Values)["deployment"] },
      }),
  ],
])("%s is read, and called as its URNs have it", async (_, form) => {
  const file = write("stack.json", form(JSON.stringify(exported([of("chat")]))));
  expect(await readStacks({ files: [file] }, around())).toMatchObject([
    {
      stack: "shop/prod",
      unusable: [],
      warnings: [],
      objects: [{ name: "accounts/acme/deployments/chat", account: "acme", stack: "shop/prod" }],
    },
  ]);
});

test("every stack of a backend is read, or those asked for, without a passphrase", async () => {
  const backend = openBackend("file://.", { cwd: folder });
  const secret: RecordedResource = {
    kind: "Secret",
    inputs: { keyName: "KEY", value: secretText("v1:x") },
    live: { name: "accounts/acme/secrets/key", keyName: "KEY" },
  };
  for (const [project, stack] of [
    ["shop", "prod"],
    ["shop", "dev"],
    ["base", "prod"],
  ] as const)
    await backend.createStack(
      project,
      stack,
      importDeployment(exported([of(`${project}-${stack}`), secret], { project, stack })),
    );
  const stacksOf = async (only: Omit<StackSources, "backends">): Promise<string[]> =>
    (await readStacks({ backends: ["file://."], ...only }, around())).map(({ stack }) => stack).sort();
  expect(await stacksOf({})).toEqual(["organization/base/prod", "organization/shop/dev", "organization/shop/prod"]);
  expect(await stacksOf({ project: "shop" })).toEqual(["organization/shop/dev", "organization/shop/prod"]);
  expect(await stacksOf({ stacks: ["prod"] })).toEqual(["organization/base/prod", "organization/shop/prod"]);
  expect(await stacksOf({ stacks: ["prod"], home: "shop" })).toEqual(["organization/shop/prod"]);
  expect(await stacksOf({ stacks: ["dev"], home: "base" })).toEqual(["organization/shop/dev"]);
  expect(await stacksOf({ stacks: ["base/prod", "dev"], home: "shop" })).toEqual([
    "organization/base/prod",
    "organization/shop/dev",
  ]);
  expect(await stacksOf({ stacks: ["organization/base/prod"] })).toEqual(["organization/base/prod"]);
  await expect(stacksOf({ project: "shop", stacks: ["test"] })).rejects.toThrow(
    /^There is no stack test in \/.* \(the backend file:\/\/\.\)\. It has dev, prod\.$/,
  );
  await expect(stacksOf({ stacks: ["shop/prd"] })).rejects.toThrow("Did you mean shop/prod?");
});

test("a folder without state is not an empty backend, and is left alone", async () => {
  await expect(readStacks({ backends: ["file://."] }, around())).rejects.toThrow(
    /There is no Pulumi state in file:\/\/\./,
  );
});

test.each([
  ["what is no JSON", "{"],
  ["another document", "{}"],
])("%s is refused by its file's name", async (_, text) => {
  await expect(readStacks({ files: [write("odd.json", text)] }, around())).rejects.toThrow(
    /^The stack file odd\.json cannot be read: /,
  );
});

test("the Pulumi CLI exports a stack by its full name", async () => {
  const asked: unknown[] = [];
  const run = async (...call: unknown[]): Promise<string> => (asked.push(call), JSON.stringify(exported([of("chat")])));
  expect(await readStacks({ stacks: ["acme/shop/prod"] }, { ...around(), run })).toMatchObject([
    { stack: "acme/shop/prod", objects: [{ stack: "acme/shop/prod" }] },
  ]);
  expect(asked).toEqual([["pulumi", ["stack", "export", "--stack", "acme/shop/prod"]]]);
});

test("a stack of another organization is exported, whatever lies in the folder", async () => {
  const asked: unknown[] = [];
  const run = async (...call: unknown[]): Promise<string> => (asked.push(call), JSON.stringify(exported([of("chat")])));
  await openBackend("file://.", { cwd: folder }).createStack("shop", "prod");
  const read = await readStacks({ backends: ["file://."], stacks: ["acme/shop/prod"] }, { ...around(), run });
  expect(read.map(({ stack }) => stack)).toEqual(["acme/shop/prod"]);
  expect(asked).toEqual([["pulumi", ["stack", "export", "--stack", "acme/shop/prod"]]]);
});

test("a backend elsewhere needs the names of its stacks", async () => {
  await expect(readStacks({ backends: ["s3://states"] }, around())).rejects.toThrow(
    "s3://states is read by the Pulumi CLI. Name its stacks with --stack.",
  );
});

test("without the Pulumi CLI the error says what to do; the CLI's own is passed on", async () => {
  await expect(readStacks({ stacks: ["acme/shop/prod"] }, around())).rejects.toThrow(
    "--stack acme/shop/prod needs the Pulumi CLI, and there is no `pulumi` on the PATH outside of the checkout. Install it, or export the stack where it is and give --stack-file.",
  );
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "pulumi"), "#!/bin/sh\necho 'error: no stack named prod found' >&2\nexit 255\n", {
    mode: 0o755,
  });
  await expect(
    readStacks({ stacks: ["acme/shop/prod"] }, { cwd: folder, env: { PATH: `${join(folder, "bin")}:/bin:/usr/bin` } }),
  ).rejects.toThrow("`pulumi stack export --stack acme/shop/prod` failed: error: no stack named prod found");
});

test.each(["%zz", "100%", "%ff"])("a source position with %p, which is no encoded text, ends no scan", (text) => {
  const { objects } = recordedStack([of("chat", { sourcePosition: `project:///src/${text}.ts#12,3` })]);
  expect(objects).toMatchObject([{ source: { path: `src/${text}.ts`, line: 12, column: 3 } }]);
});

test("a program's place, what it ignores and what went wrong come along", () => {
  const { objects } = recordedStack([
    of("chat", {
      sourcePosition: "project:///src/index.ts#12,3",
      ignoreChanges: ["description"],
      initErrors: ["not ready in time"],
    }),
  ]);
  expect(objects).toMatchObject([
    {
      source: { path: "src/index.ts", line: 12, column: 3 },
      ignoreChanges: ["description"],
      failure: "not ready in time",
    },
  ]);
});

test("other providers' resources, mere reads and leftovers are not managed", () => {
  const other = { ...of("other"), state: { type: "aws:s3/bucket:Bucket" } };
  expect(
    recordedStack([other, of("read", { external: true }), of("left", { delete: true, retainOnDelete: true })]).objects,
  ).toEqual([]);
});

test("what is to be deleted is on its way while it is there, and nothing once gone", async () => {
  const scene = createScene();
  const stack = [of("old", { delete: true })];
  scene.put("accounts/acme/deployments/old", deployment("old"));
  expect(await scene.scan(stack, { unmanaged: true })).toMatchObject({
    exitCode: 0,
    findings: [{ verdict: "in-flight", reason: "is READY, and is to be deleted by the next `up`" }],
  });
  await scene.remove("accounts/acme/deployments/old");
  expect(await scene.scan(stack, { unmanaged: true })).toMatchObject({ exitCode: 0, findings: [] });
});

test("an object both recorded and to be deleted under another URN is the record's", async () => {
  const scene = createScene();
  scene.put("accounts/acme/deployments/chat", deployment("chat"));
  const again = of("chat", {
    delete: true,
    urn: "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::before",
  });
  expect(await scene.scan([of("chat"), again])).toMatchObject({ summary: { "in-sync": 1 }, findings: [] });
});

test("what was deleted to be replaced, and was not, is missing", async () => {
  expect(await createScene().scan([of("chat", { pendingReplacement: true })])).toMatchObject({
    exitCode: 2,
    findings: [{ verdict: "missing", reason: expect.stringContaining("a replacement that was not created") }],
  });
});

test("of an unfinished create, what is there is reported; one without a name warns", async () => {
  const begun = (chosen: Values): Values => {
    const {
      id: _,
      outputs: __,
      ...resource
    } = stateOf(
      { kind: "Deployment", inputs: { ...inputs, ...chosen }, live: deployment("begun") },
      "urn:pulumi:prod::shop",
    );
    return { type: "creating", resource };
  };
  const scene = createScene();
  const named = recordedStack([], { pending: [begun({ accountId: "acme", deploymentId: "begun" })] });
  expect(await scene.scan([named])).toMatchObject({ exitCode: 0, findings: [] });
  scene.put("accounts/acme/deployments/begun", deployment("begun"));
  expect(byName(await scene.scan([named], { unmanaged: true }))["accounts/acme/deployments/begun"]).toMatchObject({
    verdict: "in-flight",
    reason: expect.stringContaining("its create did not finish"),
  });
  const nameless = recordedStack([], { pending: [begun({})] });
  expect(nameless.objects).toEqual([]);
  expect(nameless.warnings).toEqual([
    expect.stringMatching(
      /stack shop\/prod: the create of urn:.* did not finish; .* The next `up` takes it over if it exists\./,
    ),
  ]);
});

test("what a run is creating is said to be under way, and no refresh is advised", async () => {
  const begun = (name: string, chosen: Values): Values => {
    const recorded: RecordedResource = { kind: "Deployment", inputs: { ...inputs, ...chosen }, live: deployment(name) };
    const { id: _, outputs: __, ...resource } = stateOf(recorded, "urn:pulumi:prod::shop");
    return { type: "creating", resource };
  };
  const pending = [begun("begun", { accountId: "acme", deploymentId: "begun" }), begun("nameless", {})];
  const backend = openBackend("file://.", { cwd: folder });
  await backend.createStack("shop", "prod", importDeployment(exported([], { pending })));
  const lock = backend.lock("shop", "prod");
  await lock.acquire();
  const scene = createScene();
  scene.put("accounts/acme/deployments/begun", deployment("begun"));
  const stacks = await readStacks({ backends: ["file://."] }, around());
  expect(stacks[0]!.warnings).toEqual([
    expect.stringMatching(/a run that holds its lock is creating urn:.*Scan again when that run has ended\.$/),
  ]);
  expect(byName(await scene.scan(stacks, { unmanaged: true }))["accounts/acme/deployments/begun"]).toMatchObject({
    verdict: "in-flight",
    reason: "is being created by a run that holds the lock of its stack",
  });
  await lock.release();
  const [afterwards] = await readStacks({ backends: ["file://."] }, around());
  expect(afterwards!.warnings).toEqual([expect.stringContaining("did not finish")]);
});

test("an id that is not a name of its kind is reported, and the report is incomplete", async () => {
  const stack = recordedStack([of("chat", { id: "chat" }), of("code")]);
  expect(stack.objects).toHaveLength(1);
  const scene = createScene();
  scene.put("accounts/acme/deployments/code", deployment("code"));
  const report = await scene.scan([stack]);
  expect(report).toMatchObject({
    complete: false,
    exitCode: 3,
    unusable: [
      {
        stack: "shop/prod",
        urn: expect.stringMatching(/::chat$/),
        reason: 'has the id "chat", which is not the name of a Deployment',
      },
    ],
  });
  expect(formats["text"]!.render(report, { columns: 400, color: false })).toMatch(
    /::chat of stack shop\/prod has the id "chat"/,
  );
});

test.each([5, true, "name", [{}], { a: 1 }])(
  "a state whose managed fields are %j compares nothing with them",
  (managedFields) => {
    const urn = "urn:pulumi:prod::infra::modelplatform:index:User::ada";
    const outputs = { name: "accounts/acme/users/ada", role: "user", managedFields };
    const resource = { urn, type: "modelplatform:index:User", custom: true, id: outputs.name, outputs };
    const manifest = { time: "", magic: "", version: "" };
    const { objects, unusable } = recordedObjects("infra/prod", {
      manifest,
      resources: [resource],
      pendingOperations: [],
    });
    expect(objects).toEqual([]);
    expect(unusable).toEqual([{ urn, reason: expect.stringContaining("the state is damaged") }]);
  },
);

test("a state with unsupported features can still be read", async () => {
  const document = exported([of("chat", { resourceHooks: { BeforeDelete: ["tidy"] } })]);
  const file = write(
    "stack.json",
    JSON.stringify({ ...document, version: 4, features: ["hooks", "views", "something-new"] }),
  );
  expect((await readStacks({ files: [file] }, around()))[0]!.objects).toHaveLength(1);
  await expect(
    readStacks({ files: [write("later.json", JSON.stringify({ ...document, version: 5 }))] }, around()),
  ).rejects.toThrow(/format version 5/);
});
