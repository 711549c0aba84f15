import { createEmulator, type Emulator } from "../../emulator/index";
import { declared, urnOf } from "./support/declared";
import { DynamicCallError, type DynamicProcess, startProcess } from "./support/dynamic-process";

let emulator: Emulator;
let url: string;

beforeAll(async () => {
  emulator = createEmulator({ accounts: { acme: "acme-key" }, clock: "manual" });
  ({ url } = await emulator.listen({ port: 0 }));
});

afterAll(() => emulator.close());

/** A process that waits for a deployment which does not get ready before someone moves the emulator's clock. */
async function waiting(name: string): Promise<{ provider: DynamicProcess; create: Promise<unknown> }> {
  const provider = await startProcess();
  await provider.configure({
    "modelplatform:accountId": "acme",
    "modelplatform:apiKey": "acme-key",
    "modelplatform:baseUrl": url,
  });
  const { inputs } = await provider.check(
    {},
    declared("Deployment", name, { baseModel: "accounts/platform/models/open-8b" }),
  );
  const create = provider.create(inputs).catch((error: unknown) => error);
  await provider.engine.seen(({ urn, ephemeral }) => urn === urnOf("Deployment", name) && ephemeral);
  return { provider, create };
}

test("a process whose engine is gone stops waiting and exits, and races no other", async () => {
  const { provider } = await waiting("orphan");
  provider.engine.kill();
  expect(await provider.exited).toBe(0);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the wait, answers with the object that was made, and then the process", async (signal, code) => {
  const name = `interrupted-${signal.toLowerCase()}`;
  const { provider, create } = await waiting(name);
  provider.signal(signal);
  const error = await create;
  expect(error).toBeInstanceOf(DynamicCallError);
  expect((error as DynamicCallError).initFailure).toMatchObject({
    id: expect.stringContaining(`accounts/acme/deployments/${name}-`),
    properties: { state: "CREATING", __provider: expect.any(String) },
  });
  expect(await provider.exited).toBe(code);
});
