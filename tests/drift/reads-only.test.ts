import { type AccountResult, scan } from "../../drift/scan/scan";
import { createEmulator } from "../../emulator/index";
import { createClient } from "../../provider/api/client";
import { resolveSettings } from "../../provider/api/settings/config";
import type { ApiOperation, Client } from "../../provider/api/types";
import { instantTime } from "../api/support/instant-time";
import { catalogue } from "../api/support/test-client";
import { rejection } from "../rejection";
import { inProcess } from "./support/in-process";
import { origin, recordedStack } from "./support/stacks";

const chat = "accounts/acme/deployments/chat";
const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const { objects } = recordedStack([{ kind: "Deployment", inputs, live: { name: chat, ...inputs, state: "READY" } }]);

/** A client that may send anything, and what it has sent. */
function mightyClient() {
  const emulator = createEmulator({ clock: "manual", accounts: { acme: "acme-key" } });
  const { dispatcher, requests } = inProcess(emulator);
  const settings = resolveSettings({
    env: { MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key", MODELPLATFORM_BASE_URL: origin },
  });
  return { client: createClient({ settings, catalogue, time: instantTime(), dispatcher, env: {} }), requests };
}

const options = {
  targets: [{ account: "acme", origin, as: "acme" }],
  objectsOf: () => objects,
  conclude: async (result: AccountResult) => result,
  isListed: () => true,
  concurrency: 4,
  deadline: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
};

/** The client that a scan of `client` works with. */
async function clientWithin(client: Client): Promise<Client> {
  let seen: Client | undefined;
  await scan({
    ...options,
    client,
    journal: { find: async (each) => void (seen = each.client), write: async () => {}, clear: async () => {} },
  });
  return seen!;
}

const writing = catalogue.operations.filter(({ effect }) => effect !== "read");

test("there are operations that a scan must not send, of every effect", () => {
  expect(new Set(writing.map(({ effect }) => effect))).toEqual(new Set(["write", "readViaPost", "mintsCredential"]));
});

test.each(writing.map(({ name, effect }) => [name, effect]))(
  "a scan's own client refuses %s (%s), and sends nothing",
  async (name) => {
    const { client, requests } = mightyClient();
    const inner = await clientWithin(client);
    requests.length = 0;
    expect(
      (await rejection(inner.call(name, { parameters: { account: "acme" }, query: {}, body: {} }))).message,
    ).toMatch(/only `read` may be sent here/);
    expect(requests).toEqual([]);
  },
);

test("not even validation or an upload gets through", async () => {
  const { client, requests } = mightyClient();
  const inner = await clientWithin(client);
  requests.length = 0;
  await rejection(
    inner.call("createDeployment", { parameters: { account: "acme" }, query: { validateOnly: true }, body: {} }),
  );
  await rejection(
    inner.upload({
      name: "x",
      size: 0,
      address: async () => origin,
      open: async function* () {},
      resumable: false,
      onProgress: () => {},
      deadline: Number.POSITIVE_INFINITY,
      signal: options.signal,
    }),
  );
  expect(requests).toEqual([]);
});

test("a list that were a write would be an error of its rows", async () => {
  const { client, requests } = mightyClient();
  const spoilt = (operation: ApiOperation): ApiOperation =>
    operation.name === "listDeployments" ? { ...operation, effect: "write" } : operation;
  const liar: Client = {
    ...client,
    catalogue: { ...client.catalogue, operation: (name) => spoilt(client.catalogue.operation(name)) },
  };
  const [account] = await scan({ ...options, client: liar });
  expect(account!.collections[0]).toMatchObject({
    name: "deployments",
    status: "error",
    problem: expect.stringContaining("has the effect `write`"),
    counts: { error: 1 },
  });
  expect(requests.filter(({ path }) => path.includes("/deployments"))).toEqual([]);
});

test("everything that a scan sends is a GET", async () => {
  const { client, requests } = mightyClient();
  await scan({ ...options, client });
  expect(requests.length).toBeGreaterThan(8);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
});
