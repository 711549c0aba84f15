import { client, type EdgeClient } from "./edge-client";

const name = "accounts/demo/models/own";
const path = `/v1/${name}`;

let at: EdgeClient;
let origin: string;
beforeEach(async () => {
  at = client();
  origin = (await at.emulator.listen({ port: 0 })).url;
  await at.api("POST", "/v1/accounts/demo/models", { modelId: "own", model: { kind: "EMBEDDING_MODEL" } });
});
afterEach(() => at.emulator.close());

/** The address that the emulator signs for a file, at the port where it listens. */
async function addressOf(file: string, size: number): Promise<string> {
  const { json } = await at.api("POST", `${path}:getUploadEndpoint`, { filenameToSize: { [file]: size } });
  return String(json.filenameToSignedUrls[file]).replace(/^http:\/\/[^/]+/, origin);
}

const put = (address: string, body: string, headers: Record<string, string> = {}) =>
  fetch(address, { method: "PUT", body, headers });
const validate = () => at.api("GET", `${path}:validateUpload`);

test("a file is taken at its signed address, sub-folders in its name included", async () => {
  expect((await put(await addressOf("weights/part 1.bin", 5), "12345")).status).toBe(200);
  expect((await validate()).status).toBe(200);
  expect((await at.api("GET", path)).json.state).toBe("READY");
});

test("a file is taken within the process, too", async () => {
  const request = new Request(await addressOf("a.bin", 3), { method: "PUT", body: "123" });
  expect((await at.emulator.fetch(request)).status).toBe(200);
});

test("a file of another size than announced is taken, and refused when validated", async () => {
  expect((await put(await addressOf("a.bin", 5), "123")).status).toBe(200);
  expect(await validate()).toMatchObject({
    status: 400,
    json: { code: 9, message: expect.stringContaining("`a.bin` has 3 bytes, not 5") },
  });
});

test("an address is good for its own file only, and for an hour", async () => {
  const address = await addressOf("a.bin", 3);
  expect((await put(address.replace("a.bin", "b.bin"), "123")).status).toBe(403);
  expect((await put(address.replace(/signature=.*/, "signature=x"), "123")).status).toBe(403);
  expect((await put(address.replace(/\?.*/, ""), "123")).status).toBe(403);
  at.emulator.world.clock.advance(3_600_000);
  expect((await put(address, "123")).status).toBe(200);
  at.emulator.world.clock.advance(1);
  expect((await put(address, "123")).status).toBe(403);
});

test("an upload in parts continues where it stopped, and tells where that is", async () => {
  const address = await addressOf("a.bin", 10);
  const ask = () => put(address, "", { "content-range": "bytes */10" });
  const fresh = await ask();
  expect([fresh.status, fresh.headers.get("range")]).toEqual([308, null]);
  const half = await put(address, "12345", { "content-range": "bytes 0-9/10" });
  expect([half.status, half.headers.get("range")]).toEqual([308, "bytes=0-4"]);
  expect((await put(address, "12345", { "content-range": "bytes 0-9/10" })).status).toBe(308);
  expect((await put(address, "67890", { "content-range": "bytes 5-9/10" })).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect((await validate()).status).toBe(200);
});

test("a range that makes no sense is refused", async () => {
  expect((await put(await addressOf("a.bin", 3), "123", { "content-range": "3 of 3" })).status).toBe(400);
});
