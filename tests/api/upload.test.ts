import { inspect } from "node:util";
import { restrictTo } from "../../provider/api/client";
import type { Time } from "../../provider/api/time";
import type { Upload } from "../../provider/api/types";
import { rejection } from "../rejection";
import { instantTime } from "./support/instant-time";
import { hang, type Reply, raw, reset, type ScriptedServer, scriptedServer } from "./support/scripted-server";
import { type TestClient, testClient } from "./support/test-client";

const content = Buffer.from("0123456789");

let server: ScriptedServer;
let client: TestClient;
async function serving(...replies: Reply[]): Promise<void> {
  server = await scriptedServer(...replies);
  client = testClient(server.url);
}
afterEach(async () => {
  await client.close();
  await server.close();
});

/** Sends `content` to the server; what is asked for is told by `asked`. */
function upload(change: Partial<Upload> = {}): Promise<void> & { asked: (string | undefined)[]; progress: number[] } {
  const asked: (string | undefined)[] = [];
  const progress: number[] = [];
  const whole: Upload = {
    name: "a.bin",
    size: content.length,
    address: async (refused) => `${server.url}/files/a.bin?signature=secret-${asked.push(refused)}`,
    open: async function* (from) {
      yield content.subarray(from, Math.max(from, 4));
      yield content.subarray(Math.max(from, 4));
    },
    resumable: false,
    onProgress: (bytes) => void progress.push(bytes),
    deadline: client.time.now() + 3_600_000,
    signal: new AbortController().signal,
    ...change,
  };
  return Object.assign(client.upload(whole), { asked, progress });
}

const ok = raw(200, "");
const bodies = () => server.seen.map(({ body }) => body);

test("a file is put to its address as it is, with its length and without the key", async () => {
  await serving(ok);
  const sending = upload();
  await sending;
  expect(server.seen).toMatchObject([{ method: "PUT", url: "/files/a.bin?signature=secret-1", body: "0123456789" }]);
  expect(server.seen[0]!.headers).toMatchObject({ "content-length": "10" });
  expect(server.seen[0]!.headers).not.toHaveProperty("authorization");
  expect(server.seen[0]!.headers).not.toHaveProperty("transfer-encoding");
  expect(sending.progress.at(-1)).toBe(10);
});

test("an empty file is put as well", async () => {
  await serving(ok);
  await upload({ size: 0 });
  expect(server.seen).toMatchObject([{ method: "PUT", body: "", headers: { "content-length": "0" } }]);
});

test.each([
  ["503", raw(503, "")],
  ["429", raw(429, "", { "retry-after": "7" })],
  ["a broken connection", reset],
])("after %s the file is sent again, to the same address", async (_, reply) => {
  await serving(reply, ok);
  const sending = upload();
  await sending;
  expect(server.seen.map(({ url }) => url)).toEqual(Array(2).fill("/files/a.bin?signature=secret-1"));
  expect(bodies().at(-1)).toBe("0123456789");
  expect(client.time.pauses).toHaveLength(1);
});

test("the storage says how long to wait", async () => {
  await serving(raw(503, "", { "retry-after": "7" }), ok);
  await upload();
  expect(client.time.pauses).toEqual([7000]);
});

test.each([400, 401, 403, 404, 410])("an address refused with %d is given back for another one", async (status) => {
  await serving(raw(status, ""), ok);
  const sending = upload();
  await sending;
  expect(sending.asked).toEqual([undefined, `${server.url}/files/a.bin?signature=secret-1`]);
  expect(server.seen.at(-1)!.url).toBe("/files/a.bin?signature=secret-2");
});

test("addresses that are all refused end in an error that shows none of them", async () => {
  await serving(raw(403, "<Error><Code>AccessDenied</Code><Message>signature=secret-1</Message></Error>"));
  const error = await rejection(upload());
  expect(error.message).toBe(
    `sending \`a.bin\` (10 bytes) to ${server.url}: answered 403: AccessDenied (after 4 attempts). Run \`up\` again: what has arrived is not sent again.`,
  );
  expect(inspect(error, { depth: 9 })).not.toContain("secret");
});

test("a file that can be resumed continues where the storage has it", async () => {
  await serving(raw(503, ""), raw(308, "", { range: "bytes=0-5" }), ok);
  await upload({ resumable: true });
  expect(bodies()).toEqual(["0123456789", "", "6789"]);
  expect(server.seen.map(({ headers }) => headers["content-range"])).toEqual([
    "bytes 0-9/10",
    "bytes */10",
    "bytes 6-9/10",
  ]);
});

test("a file that turns out to be complete is not sent again", async () => {
  await serving(reset, ok);
  await upload({ resumable: true });
  expect(bodies()).toEqual(["0123456789", ""]);
});

test("what goes wrong with the file itself is not tried again", async () => {
  await serving(ok);
  const broken = async function* () {
    yield content.subarray(0, 4);
    throw new Error("the disk is gone");
  };
  expect((await rejection(upload({ open: broken }))).message).toBe("the disk is gone");
  expect(client.time.pauses).toEqual([]);
});

test("a caller that gives up ends the upload", async () => {
  await serving(hang);
  const abort = new AbortController();
  const sending = upload({
    signal: abort.signal,
    onProgress: (bytes) => bytes === 10 && abort.abort(new Error("enough")),
  });
  expect((await rejection(sending)).name).toBe("AbortedError");
});

test("the deadline ends the upload between two pieces", async () => {
  await serving(ok);
  const error = await rejection(upload({ deadline: client.time.now() - 1 }));
  expect(error.name).toBe("DeadlineError");
  expect(error.message).toContain("after 0 of 10 bytes");
});

describe("a deadline that passes", () => {
  /** A clock on which the deadline passes when the test says so. */
  function clock(): { time: Time; pass(): void } {
    const instant = instantTime();
    let pass = (): void => undefined;
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    const sleep: Time["sleep"] = (ms, signal) => (ms >= 50_000 ? passed : instant.sleep(ms, signal));
    return { time: { ...instant, sleep }, pass: () => pass() };
  }

  async function ending(reply: Reply, change: (pass: () => void) => Partial<Upload>): Promise<Error> {
    server = await scriptedServer(reply);
    const { time, pass } = clock();
    client = testClient(server.url, { time });
    return rejection(upload(change(pass)));
  }

  test("ends a request that the storage never answers", async () => {
    const error = await ending(hang, (pass) => ({ onProgress: (bytes) => bytes === 10 && pass() }));
    expect(error.name).toBe("DeadlineError");
    expect(error.message).toContain("sending `a.bin` stopped after 10 of 10 bytes: the deadline passed");
  });

  test("ends a file that gives no more bytes", async () => {
    const error = await ending(hang, (pass) => ({
      open: async function* () {
        yield content.subarray(0, 4);
        pass();
        await new Promise(() => undefined);
      },
    }));
    expect(error.message).toContain("after 4 of 10 bytes");
  });

  test("ends a wait for an address that never comes", async () => {
    const error = await ending(hang, (pass) => ({
      address: () => {
        pass();
        return new Promise(() => undefined);
      },
    }));
    expect(error.message).toContain("after 0 of 10 bytes");
  });
});

test.each([
  "http://storage.example.com/a",
  "ftp://storage.example.com/a",
  "https://me:hunter2@storage.example.com/a",
  "https://169.254.169.254/a",
  "a.bin",
  "",
])("nothing is sent to %j", async (address) => {
  await serving(ok);
  const error = await rejection(upload({ address: async () => `${address}?signature=secret` }));
  expect(error.name).toBe("ModelPlatformError");
  expect(inspect(error, { depth: 9 })).not.toMatch(/secret|hunter2/);
  expect(server.seen).toEqual([]);
});

test("a client that may only read sends no file", async () => {
  await serving(ok);
  const reading = restrictTo(client, ["read"]);
  const error = await rejection(reading.upload({ name: "a.bin" } as Upload));
  expect(error.message).toBe("an upload has the effect `write`, and only `read` may be sent here");
});
