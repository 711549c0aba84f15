import { mkdir, mkdtemp, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFiles } from "../../provider/lifecycle/changes/upload";
import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal } from "../rejection";
import { createHarness, type Harness, type Process } from "./harness";

const kind = "Model";
const id = "support";
const name = `accounts/acme/models/${id}`;
const config = '{"model":"support"}';

let at: Harness;
let folder: string;
beforeEach(async () => {
  at = await createHarness();
  folder = await mkdtemp(join(tmpdir(), "upload-"));
  await mkdir(join(folder, "weights"));
  await writeFile(join(folder, "config.json"), config);
  await writeFile(join(folder, "weights", "part 1.bin"), "weights".repeat(10_000));
  await writeFile(join(folder, ".hidden"), "not for the model");
});
afterEach(async () => {
  await at.close();
  await rm(folder, { recursive: true, force: true });
});

const program = (change: Values = {}): Values => ({
  modelId: id,
  kind: "EMBEDDING_MODEL",
  source: { folder },
  ...change,
});
/** Sizes of the files that the emulator has, by name. */
const stored = () => (at.emulator.world.get(name)?.notes?.["uploaded"] ?? {}) as Record<string, number>;
const forgetStored = () => {
  const object = at.emulator.world.get(name)!;
  at.emulator.world.put({ ...object, notes: { ...object.notes, uploaded: {} } });
};
const sent = (outputs: Values) => outputs["uploads"] as UploadedFiles;
const endpointAsked = async () =>
  (await at.requests()).filter((request) => request.endsWith(":getUploadEndpoint")).length;
const created = (change: Values = {}, from: Process = at.process()) => from.create(kind, "support", program(change));
const failed = async (work: Promise<unknown>): Promise<InitFailedError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof InitFailedError) return error;
  throw error instanceof Error ? error : new Error("nothing failed");
};
/** Makes one file arrive cut off, once. */
function cutOff(from: Process, file: string): void {
  const { objects } = from.world;
  let done = false;
  from.world.objects = (...where) => {
    const collection = objects(...where);
    return {
      ...collection,
      upload: (upload) =>
        upload.name === file && !done
          ? ((done = true), Promise.reject(new Error("the line is dead")))
          : collection.upload(upload),
    };
  };
}

test("without files a model is created and not waited for", async () => {
  const { outputs } = await at.process().create(kind, "support", { modelId: id, kind: "EMBEDDING_MODEL" });
  expect(outputs).toMatchObject({ state: "UPLOADING" });
  expect(outputs).not.toHaveProperty("uploads");
  expect((await at.process().diff(kind, "support", outputs, { modelId: id, kind: "EMBEDDING_MODEL" })).changes).toBe(
    false,
  );
  const changed = await at
    .process()
    .update(kind, "support", outputs, { modelId: id, kind: "EMBEDDING_MODEL", displayName: "Support" });
  expect(changed).toMatchObject({ state: "UPLOADING", displayName: "Support" });
});

test("a folder is uploaded with sub-folders and without hidden files, and validated", async () => {
  const { outputs } = await created();
  expect(outputs).toMatchObject({ state: "READY", source: { folder } });
  expect(stored()).toEqual({ "config.json": config.length, "weights/part 1.bin": 70_000 });
  expect(Object.keys(sent(outputs))).toEqual(expect.arrayContaining(["config.json", "weights/part 1.bin"]));
  expect(JSON.stringify(outputs)).not.toContain("signature");
});

test("files are uploaded under the names that the program gives them", async () => {
  await created({ source: { files: { "model/config.json": join(folder, "config.json") } } });
  expect(stored()).toEqual({ "model/config.json": config.length });
});

test("the status shows the files under way and the share that was sent, and no address", async () => {
  const process = at.process();
  await created({}, process);
  const statuses = process.messages.filter((message) => message.startsWith("status: uploading"));
  expect(statuses[0]).toBe("status: uploading 1 of 2 files, 0 %");
  expect(statuses.at(-1)).toBe("status: uploading 2 of 2 files, 100 %");
  expect(process.messages.join("\n")).not.toContain("signature");
  expect(process.messages.filter((message) => message.startsWith("warning"))).toEqual([]);
});

test("files that have not changed are no difference and are not sent again", async () => {
  const { outputs } = await created();
  await at.requests();
  expect((await at.process().diff(kind, "support", outputs, program())).changes).toBe(false);
  await at.process().update(kind, "support", outputs, program({ displayName: "Support" }));
  expect(await endpointAsked()).toBe(0);
});

test("a file that was only touched is no difference", async () => {
  const { outputs } = await created();
  await utimes(join(folder, "config.json"), 1, 1);
  expect((await at.process().diff(kind, "support", outputs, program())).changes).toBe(false);
});

test("a changed file is an update that sends only this file", async () => {
  const { outputs } = await created();
  forgetStored();
  await writeFile(join(folder, "config.json"), config.replace("support", "sopport"));
  const process = at.process();
  expect((await process.diff(kind, "support", outputs, program())).changes).toBe(true);
  expect(process.messages).toEqual(["info: files of `source` have changed or are not uploaded yet: they will be sent"]);
  const next = await at.process().update(kind, "support", outputs, program());
  expect(stored()).toEqual({ "config.json": config.length });
  expect(sent(next)["config.json"]!.digest).not.toBe(sent(outputs)["config.json"]!.digest);
  expect((await at.process().diff(kind, "support", next, program())).changes).toBe(false);
});

test("a file that moves to another folder is recorded and not sent", async () => {
  const { outputs } = await created({ source: { files: { "config.json": join(folder, "config.json") } } });
  await writeFile(join(folder, "copy.json"), config);
  await at.requests();
  const moved = program({ source: { files: { "config.json": join(folder, "copy.json") } } });
  expect((await at.process().diff(kind, "support", outputs, moved)).changes).toBeUndefined();
  const next = await at.process().update(kind, "support", outputs, moved);
  expect(next).toMatchObject({ source: { files: { "config.json": join(folder, "copy.json") } } });
  expect(await endpointAsked()).toBe(0);
});

test("a missing file is an error before a model is created for it", async () => {
  expect((await refusal("file-unreadable", created({ source: { folder: join(folder, "nowhere") } }))).message).toMatch(
    /`.*nowhere` cannot be read \(ENOENT\)/,
  );
  expect((await refusal("not-a-file", created({ source: { files: { a: join(folder, "weights") } } }))).message).toMatch(
    "is not a file",
  );
  await mkdir(join(folder, "empty"));
  expect((await refusal("no-files", created({ source: { folder: join(folder, "empty") } }))).message).toMatch(
    "holds none",
  );
  await expect(created({ source: { folder, files: {} } })).rejects.toThrow(
    "exactly one of `source.folder`, `source.files` must be set",
  );
  expect(at.live("models")).toEqual([]);
});

test("a machine without the files previews a new model with a warning", async () => {
  const { failures, warnings } = await at
    .process()
    .judge(kind, "support", program({ source: { folder: join(folder, "nowhere") } }));
  expect(failures).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/`.*nowhere` cannot be read \(ENOENT\).* `up` needs it to create this$/),
  ]);
});

test("a machine without a model's files previews and refreshes it", async () => {
  const { outputs } = await created();
  await rm(folder, { recursive: true });
  const process = at.process();
  await process.refresh(kind, "support", outputs, program());
  expect(await process.diff(kind, "support", outputs, program())).toMatchObject({ changes: false });
});

test("a failed upload leaves the model recorded, and the next update sends the rest", async () => {
  const process = at.process();
  cutOff(process, "config.json");
  const error = await failed(created({}, process));
  expect(error.reasons.join()).toContain("the line is dead");
  expect(error).toMatchObject({ id: name, outputs: { state: "UPLOADING" } });
  expect(sent(error.outputs)).not.toHaveProperty(["config.json"]);
  const arrived = Object.keys(sent(error.outputs));
  forgetStored();
  expect((await at.process().diff(kind, "support", error.outputs, program())).changes).toBe(true);
  const outputs = await at.process().update(kind, "support", error.outputs, program());
  expect(outputs).toMatchObject({ state: "READY" });
  expect(Object.keys(stored()).sort()).toEqual(
    ["config.json", "weights/part 1.bin"].filter((file) => !arrived.includes(file)),
  );
});

test("an upload whose run died is resumed by the next run", async () => {
  const process = at.process();
  cutOff(process, "config.json");
  await failed(created({}, process));
  const { outputs } = await created({ displayName: "Support" });
  expect(outputs).toMatchObject({ name, state: "READY", displayName: "Support" });
  expect(Object.keys(stored())).toHaveLength(2);
});

test("an interrupt ends an upload while reading or sending, and the model is recorded", async () => {
  for (const step of ["digest", "open"] as const) {
    const process = at.process();
    const { files } = process.world.machine;
    process.world.machine.files = {
      ...files,
      [step]: (...args: [never, never]) => (process.abort.abort(new Error("the engine is gone")), files[step](...args)),
    };
    const error = await failed(process.create(kind, step, { kind: "EMBEDDING_MODEL", source: { folder } }));
    expect(error.reasons.join()).toMatch(/^(reading|sending) `.*` was interrupted before it was done$/);
    expect(error.outputs).toMatchObject({ state: "UPLOADING", uploads: {} });
  }
});

test("a file that changes while it is uploaded is an error", async () => {
  const process = at.process();
  const { files } = process.world.machine;
  process.world.machine.files = {
    ...files,
    open: async function* (file, from) {
      const read: Buffer[] = [];
      for await (const chunk of files.open(file, from)) read.push(Buffer.from(chunk));
      if (file.path.endsWith(".bin")) await writeFile(file.path, "w8ights".repeat(10_000));
      yield* read;
    },
  };
  const error = await refusal<InitFailedError>("file-changed", created({}, process));
  expect(error.reasons.join()).toMatch(/part 1.bin` changed while it was read/);
  expect(sent(error.outputs)).not.toHaveProperty(["weights/part 1.bin"]);
});

test("a file that becomes shorter while it is uploaded is an error", async () => {
  const process = at.process();
  const { files } = process.world.machine;
  process.world.machine.files = {
    ...files,
    open: async function* (file, from) {
      if (file.path.endsWith(".json")) await truncate(file.path, 3);
      yield* files.open(file, from);
    },
  };
  expect((await failed(created({}, process))).reasons.join()).toMatch(/config.json` changed while it was read/);
});

test("files that the service refuses are sent again by the next update", async () => {
  await at.fault({
    match: { operation: "validateModelUpload" },
    fault: { kind: "status", status: 400, body: { code: 9, message: "config.json is no configuration" } },
  });
  const error = await failed(created());
  expect(error.reasons.join()).toContain("config.json is no configuration");
  expect(sent(error.outputs)).toEqual({});
  const outputs = await at.process().update(kind, "support", error.outputs, program());
  expect(outputs).toMatchObject({ state: "READY" });
});

test("an upload that was not validated is validated by the next update, and not resent", async () => {
  await at.fault({ match: { operation: "validateModelUpload" }, fault: { kind: "status", status: 501 } });
  const error = await failed(created());
  await at.requests();
  expect((await at.process().diff(kind, "support", error.outputs, program())).changes).toBe(true);
  expect(await at.process().update(kind, "support", error.outputs, program())).toMatchObject({ state: "READY" });
  expect(await endpointAsked()).toBe(0);
});

const unheeded = {
  ...{ match: { operation: "validateModelUpload" }, times: 1 },
  fault: { kind: "status", status: 200, body: {} },
};

test("files that the service refuses later on are an error, and are sent again", async () => {
  await at.fault(unheeded);
  const process = at.process();
  const { objects } = process.world;
  process.world.objects = (...where) => {
    const collection = objects(...where);
    return {
      ...collection,
      verb: async (object, verb, ...rest) => {
        const answer = await collection.verb(object, verb, ...rest);
        if (verb === "validateUpload")
          await at.change(name, { status: { code: "INVALID_ARGUMENT", message: "no tokenizer" } });
        return answer;
      },
    };
  };
  const error = await refusal<InitFailedError>("upload-refused", created({}, process));
  expect(error.reasons.join()).toContain("no tokenizer");
  expect(sent(error.outputs)).toEqual({});
});

test("a model that is not ready in time after its upload is recorded with its files", async () => {
  await at.fault(unheeded);
  const error = await refusal<InitFailedError>("upload-unready", created({ timeouts: { create: "5m" } }));
  expect(Object.keys(sent(error.outputs))).toEqual(["config.json", "weights/part 1.bin"]);
});

test("a service that gives no address to upload to is an error that names the file", async () => {
  await at.fault({
    match: { operation: "getModelUploadEndpoint" },
    fault: { kind: "status", status: 200, body: { filenameToSignedUrls: {} } },
  });
  expect((await refusal("no-upload-address", created())).message).toContain("gave no address to upload `");
});

test("an address that has expired is asked for again", async () => {
  const process = at.process();
  const { objects } = process.world;
  process.world.objects = (...where) => {
    const collection = objects(...where);
    const late = async () => {
      at.emulator.world.clock.advance(3_600_001);
    };
    return {
      ...collection,
      upload: async (upload) =>
        collection.upload({
          ...upload,
          address: async (refused) => {
            const address = await upload.address(refused);
            if (refused === undefined) await late();
            return address;
          },
        }),
    };
  };
  const { outputs } = await created({ source: { files: { "config.json": join(folder, "config.json") } } }, process);
  expect(outputs).toMatchObject({ state: "READY" });
  expect(await endpointAsked()).toBe(2);
});

test("resumable uploads are requested where the program allows them", async () => {
  const { outputs } = await created({ source: { folder, enableResumableUpload: true } });
  expect(outputs).toMatchObject({ state: "READY" });
  expect(stored()).toEqual({ "config.json": config.length, "weights/part 1.bin": 70_000 });
});

test("many files are sent, a few at a time", async () => {
  for (let number = 0; number < 40; number += 1)
    await writeFile(join(folder, "weights", `${number}.bin`), "x".repeat(number));
  const process = at.process();
  const { objects } = process.world;
  let [now, most] = [0, 0];
  process.world.objects = (...where) => {
    const collection = objects(...where);
    return {
      ...collection,
      upload: async (upload) => {
        most = Math.max(most, (now += 1));
        await collection.upload(upload);
        now -= 1;
      },
    };
  };
  await created({}, process);
  expect(Object.keys(stored())).toHaveLength(42);
  expect(most).toBe(4);
});
