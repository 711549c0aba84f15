import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { scan } from "../../drift/scan/scan";
import { RecordsByAccount, readStacks } from "../../drift/scan/stacks";
import { resolveSettings } from "../../provider/api/settings/config";
import type { Client, Json } from "../../provider/api/types";
import { createRedactor } from "../../provider/core/redact";
import { catalogue } from "../api/support/test-client";
import { exported, origin } from "./support/stacks";

const pages = 60;
const perPage = 200;
/** Characters of each object; all of them together are 60 MB. */
const size = 5_000;

/** A service that makes up its deployments page by page, so that only the scan can hold on to them. */
function endless(length = size): Client {
  const page = (account: string, number: number): Json => ({
    deployments: Array.from({ length: perPage }, (_, index) => ({
      name: `accounts/${account}/deployments/d-${number}-${index}`,
      state: "READY",
      description: Buffer.alloc(length, (number % 97) + 32).toString("latin1"),
    })),
    ...(number + 1 < pages && { nextPageToken: String(number + 1) }),
  });
  return {
    settings: resolveSettings({
      env: { MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { apiKey: "acme-key" } }), MODELPLATFORM_BASE_URL: origin },
    }),
    catalogue,
    ledger: { tallies: () => [], sent: () => 0 },
    redactor: createRedactor(),
    call: async (name, options) => ({
      value:
        name === "listDeployments"
          ? page(String(options?.parameters?.["account"]), Number(options?.query?.["pageToken"] ?? 0))
          : {},
      status: 200,
      size: 1,
    }),
    serviceTime: () => undefined,
    validateOnly: () => undefined,
    now: () => 0,
    upload: () => Promise.reject(new Error("nothing is uploaded")),
    close: async () => {},
  };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heap = (): number => (collect(), process.memoryUsage().heapUsed);

/** Bytes in buffers, the least of some looks: what is collected is released a little later, beside the program. */
async function bufferBytes(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 10; look++) {
    collect();
    await setImmediate();
    looks.push(process.memoryUsage().arrayBuffers);
  }
  return Math.min(...looks);
}

const read = (client: Client, accounts: readonly string[], onProgress?: () => void) =>
  scan({
    client,
    targets: accounts.map((account) => ({ account, origin, as: "acme" })),
    objectsOf: () => [],
    conclude: async (result) => result,
    isListed: (verdict) => verdict !== "in-sync" && verdict !== "unmanaged",
    concurrency: 1,
    deadline: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    ...(onProgress && { onProgress }),
  });

test("objects are in memory only while their page is", async () => {
  const before = heap();
  let most = 0;
  let told = 0;
  const [account] = await read(endless(), ["acme"], () => {
    if (++told % 25 === 0) most = Math.max(most, heap() - before);
  });
  expect(account!.collections.find(({ name }) => name === "deployments")).toMatchObject({
    status: "read",
    total: pages * perPage,
  });
  expect(most).toBeLessThan(40 * 2 ** 20);
});

test("the names of an account are in memory only until it is read", async () => {
  const client = endless(1);
  const before = heap();
  const accounts = await read(
    client,
    Array.from({ length: 6 }, (_, index) => `acme-${index}`),
  );
  const held = heap() - before;
  expect(accounts.map(({ collections }) => collections.map(({ total }) => total))).toHaveLength(6);
  expect(client.ledger.sent()).toBe(0);
  // With all names it is 8 MB.
  expect(held).toBeLessThan(3 * 2 ** 20);
});

test("a stack is held in no more than its packed size", async () => {
  const folder = mkdtempSync(join(tmpdir(), "states-"));
  const live = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "admin" };
  const files = Array.from({ length: 500 }, (_, stack) => `${stack}.json`);
  const document = JSON.stringify(exported([{ kind: "User", inputs: { email: live.email, role: live.role }, live }]));
  for (const file of files) writeFileSync(join(folder, file), document);
  const before = await bufferBytes();
  const stacks = await readStacks({ files }, { cwd: folder, env: {} });
  const held = (await bufferBytes()) - before;
  rmSync(folder, { recursive: true });
  expect(stacks).toHaveLength(files.length);
  // The buffers of zlib are 16 KB for each.
  expect(held).toBeLessThan(files.length * 2 ** 12);
});

test("what stacks record is in memory only while it is looked at", async () => {
  const folder = mkdtempSync(join(tmpdir(), "states-"));
  const objects = 20;
  const recorded = (stack: number) =>
    Array.from({ length: objects }, (_, index) => {
      const description = `${stack} ${"answers ".repeat(size / 8)}`;
      const inputs = { baseModel: "accounts/platform/models/open-8b", description };
      return { kind: "Deployment", inputs, live: { name: `accounts/acme/deployments/d-${stack}-${index}`, ...inputs } };
    });
  const files = Array.from({ length: 100 }, (_, stack) => {
    const document = exported(recorded(stack), { stack: `s${stack}` });
    writeFileSync(join(folder, `${stack}.json`), JSON.stringify(document));
    return `${stack}.json`;
  });
  const before = heap();
  const stacks = await readStacks({ files }, { cwd: folder, env: {} });
  const held = heap() - before;
  const records = new RecordsByAccount(stacks);
  const heldByAccount = heap() - before;
  rmSync(folder, { recursive: true });
  expect(records.of("acme")).toHaveLength(files.length * objects);
  expect(stacks.map((stack) => stack.objects.length)).toEqual(files.map(() => objects));
  expect(held).toBeLessThan(4 * 2 ** 20);
  expect(heldByAccount).toBeLessThan(4 * 2 ** 20);
});
