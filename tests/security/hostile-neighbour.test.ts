import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createEmulator, type EmulatorOptions } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import { modelplatform, project, temporaryFolder } from "../cli/terminal";
import { snapshotOf } from "../state/states";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const update = {
  kind: "update",
  startTime: 1,
  endTime: 2,
  message: "",
  environment: {},
  config: {},
  result: "succeeded",
  resourceChanges: {},
} as const;

/** A stack that was written to and whose history has an entry; `before` sees the state's path before the last write. */
async function written(before: (path: string) => void = () => {}): Promise<{ cwd: string; path: string }> {
  const { cwd } = await project("dev");
  const files = openBackend("file://.", { cwd }).stack("shop", "dev");
  const path = await files.path();
  before(path);
  await files.save(snapshotOf([]));
  await files.record(update);
  return { cwd, path };
}

test("a new state is its owner's alone", async () => expect(modeOf((await written()).path)).toBe("600"));
test("history and backups are their owner's alone", async () => {
  const { cwd } = await written();
  const kept = filesBelow(join(cwd, ".pulumi")).filter((path) => /\/(history|backups)\//.test(path));
  expect(kept.length).toBeGreaterThan(2);
  expect(kept.filter((path) => modeOf(path) !== "600")).toEqual([]);
});
test("a state that others may read is its owner's alone after the next write", async () => {
  const { path } = await written((before) => chmodSync(before, 0o644));
  expect(modeOf(path)).toBe("600");
});
test("so is the copy of the state before it", async () => {
  const { path } = await written((before) => chmodSync(before, 0o644));
  expect(modeOf(`${path}.bak`)).toBe("600");
});
test("a state that is stricter stays so", async () => {
  const { path } = await written((before) => chmodSync(before, 0o400));
  expect(modeOf(path)).toBe("400");
});
test("a link where the next state is written is not followed", async () => {
  const target = join(temporaryFolder(), "target");
  writeFileSync(target, "untouched");
  await written((path) => symlinkSync(target, `${path}.tmp`));
  expect(readFileSync(target, "utf8")).toBe("untouched");
});
test("a link where the copy of the state is written is not followed", async () => {
  const target = join(temporaryFolder(), "target");
  writeFileSync(target, "untouched");
  await written((path) => symlinkSync(target, `${path}.bak.tmp`));
  expect(readFileSync(target, "utf8")).toBe("untouched");
});
test("an export into a file that others may read is its owner's alone", async () => {
  const { cwd, env } = await project("dev");
  writeFileSync(join(cwd, "out.json"), "old", { mode: 0o644 });
  await modelplatform("stack export --stack dev --show-secrets --file out.json", { cwd, env });
  expect([modeOf(join(cwd, "out.json")), readFileSync(join(cwd, "out.json"), "utf8").includes("deployment")]).toEqual([
    "600",
    true,
  ]);
});
test("an export into a new file is its owner's alone", async () => {
  const { cwd, env } = await project("dev");
  await modelplatform("stack export --stack dev --file new.json", { cwd, env });
  expect(modeOf(join(cwd, "new.json"))).toBe("600");
});
test("an export does not write through a link", async () => {
  const { cwd, env } = await project("dev");
  const target = join(temporaryFolder(), "target");
  writeFileSync(target, "untouched");
  symlinkSync(target, join(cwd, "out.json"));
  await modelplatform("stack export --stack dev --file out.json", { cwd, env });
  expect(readFileSync(target, "utf8")).toBe("untouched");
});

interface Told {
  status: number;
  body: string;
}

/** One request to an emulator of its own on this machine. */
async function asked(
  options: EmulatorOptions,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<Told> {
  const emulator = createEmulator(options);
  const { port } = await emulator.listen({ port: 0 });
  try {
    return await new Promise<Told>((told, failed) => {
      const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
        let body = "";
        response.on("data", (piece: Buffer) => (body += piece.toString()));
        response.on("end", () => told({ status: response.statusCode!, body }));
      });
      sent.on("error", failed);
      sent.end();
    });
  } finally {
    await emulator.close();
  }
}

const demo = { authorization: "Bearer demo-key" };
const list = "/v1/accounts";

for (const host of [
  "evil.example",
  "evil.example:8787",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "169.254.169.254",
]) {
  test(`the API of an emulator does not answer to the name ${JSON.stringify(host)}`, async () => {
    expect(await asked({}, list, { ...demo, host })).toMatchObject({ status: 403 });
  });
}
for (const host of ["evil.example", "127.0.0.1.evil.example"]) {
  test(`its store of uploads does not answer to the name ${host}`, async () => {
    expect(await asked({}, "/_emulator/uploads/x", { host }, "PUT")).toMatchObject({ status: 403 });
  });
}
for (const host of ["localhost:8787", "127.0.0.1", "127.0.0.2:1", "[::1]:8787", "localhost."]) {
  test(`the API of an emulator answers to ${host}`, async () => {
    expect((await asked({}, list, { ...demo, host })).status).toBe(200);
  });
}
for (const host of ["evil.example", "127.0.0.1.evil.example"]) {
  test(`the control plane does not answer to the name ${host}`, async () => {
    expect((await asked({}, "/_emulator/objects", { host })).status).toBe(403);
  });
}
test("the control plane takes nothing from another page", async () => {
  const { status } = await asked({}, "/_emulator/reset", { origin: "https://evil.example" }, "POST");
  expect(status).toBe(403);
});
test("an emulator with accounts of its own has no superuser key that everybody knows", async () => {
  const { status } = await asked({ accounts: { acme: "acme-key" } }, list, { authorization: "Bearer superuser-key" });
  expect(status).toBe(401);
});
test("an emulator whose folder was made without accounts has no known superuser key", async () => {
  const data = temporaryFolder();
  expect((await asked({ data }, list, { authorization: "Bearer superuser-key" })).status).toBe(200);
  const options = { data, accounts: { acme: "acme-key" } };
  expect((await asked(options, list, { authorization: "Bearer superuser-key" })).status).toBe(401);
});
test("a superuser key that is given is the only one", async () => {
  const options = { accounts: { acme: "acme-key" }, superuserKey: "chosen-key" };
  expect((await asked(options, list, { authorization: "Bearer chosen-key" })).status).toBe(200);
  expect((await asked(options, list, { authorization: "Bearer superuser-key" })).status).toBe(401);
});
test("the control token comes from the environment, which no list of processes shows", async () => {
  const { code, stderr } = await modelplatform("emulator --port 0", {
    cwd: temporaryFolder(),
    env: { MODELPLATFORM_CONTROL_TOKEN: "a-token" },
    onListen: (interrupt) => setImmediate(interrupt),
  });
  expect([code, stderr]).toEqual([0, ""]);
});
test("a control token asks everybody for it", async () => {
  expect((await asked({ controlToken: "a-token" }, "/_emulator/objects", {})).status).toBe(401);
  const told = await asked({ controlToken: "a-token" }, "/_emulator/objects", { authorization: "Bearer a-token" });
  expect(told.status).toBe(200);
});
for (const generation of ["../../victim", "1/../../../victim", -1, 1.5, null, { toString: "x" }]) {
  test(`a world whose generation is ${JSON.stringify(generation)} is refused`, () => {
    const parent = temporaryFolder();
    const data = join(parent, "a", "data");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(parent, "victim.jsonl"), "untouched");
    const world = { time: 0, keys: [], settings: {}, accountSettings: [], objects: [] };
    writeFileSync(join(data, "world.json"), JSON.stringify({ version: 1, generation, world }));
    expect(() => createEmulator({ data })).toThrow("generation is not a number");
    expect(readFileSync(join(parent, "victim.jsonl"), "utf8")).toBe("untouched");
  });
}
test("what an emulator keeps is its owner's alone", async () => {
  const data = temporaryFolder();
  await createEmulator({ data }).close();
  const kept = filesBelow(data).filter((path) => existsSync(path) && !path.includes("lock"));
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.filter((path) => modeOf(path) !== "600")).toEqual([]);
});
