import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { textOf } from "../../provider/api/http/transport";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { testClient } from "./support/test-client";

const text = '{"displayName": "Zoë"}';
const read = (bytes: Buffer, encoding: string | undefined, ceiling = 1000): Promise<string> =>
  textOf(Readable.from([bytes]) as unknown as Dispatcher.ResponseData["body"], encoding, {
    ceiling,
    received: { status: 200 },
  });

test.each<[string | undefined, Buffer]>([
  [undefined, Buffer.from(text)],
  ["identity", Buffer.from(text)],
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["BR", brotliCompressSync(text)],
  ["gzip, br", brotliCompressSync(gzipSync(text))],
  [undefined, Buffer.from(`\uFEFF${text}`)],
  ["gzip", gzipSync(`\uFEFF${text}`)],
])("a body in the encoding %s is read as its text", async (encoding, bytes) => {
  expect(await read(bytes, encoding)).toBe(text);
});

test("a packed body without bytes is an empty text", async () => {
  expect(await read(Buffer.alloc(0), "gzip")).toBe("");
});

test.each<[string, Buffer, string]>([
  ["gzip", gzipSync("a".repeat(1001)), "oversize"],
  ["br", brotliCompressSync("a".repeat(1001)), "oversize"],
  ["gzip", Buffer.from(text), "packed"],
  ["zpaq", Buffer.from(text), "packed"],
])("a body in %s that cannot be unpacked within the ceiling is a fault", async (encoding, bytes, kind) => {
  expect(await rejection(read(bytes, encoding))).toMatchObject({ kind, response: { status: 200 } });
});

test("an encoding that cannot be undone is not asked for again", async () => {
  const origin = "https://service.test";
  const { agent, requests } = mockService([origin], () => ({ headers: { "content-encoding": "zpaq" } }));
  const client = testClient(origin, { dispatcher: agent });
  const error = await rejection(client.call("getUser", { parameters: { name: "accounts/acme/users/ada" } }));
  expect(String(error)).toContain('answered in the encoding "zpaq"');
  expect(requests.map(({ headers }) => headers["accept-encoding"])).toEqual(["gzip, deflate, br"]);
});
