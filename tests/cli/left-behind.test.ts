import { join } from "node:path";
import type { CliContext } from "../../cli/command/context";
import { createEmulator, type Emulator } from "../../emulator/index";
import { journalIn } from "../../provider/lifecycle/journal/journal-files";
import { modelplatform, project } from "./terminal";

/** What an interrupted create has made and no program declares any longer, said by the command that ends its trace. */

const name = "accounts/acme/deployments/chat";
const removal = "npx pulumi-modelplatform call deleteDeployment --account acme --deployment-id chat";

let emulator: Emulator;
let env: { [name: string]: string };
let cwd: string;

beforeEach(async () => {
  emulator = createEmulator({ accounts: { acme: "acme-key" } });
  const { url } = await emulator.listen({ port: 0 });
  ({ cwd, env } = await project("dev"));
  Object.assign(env, {
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNT_ID: "acme",
    MODELPLATFORM_API_KEY: "acme-key",
    MODELPLATFORM_INTENTS: join(cwd, "intents"),
  });
  const body = JSON.stringify({ objects: { [name]: { state: "READY" } } });
  await fetch(`${url}/_emulator/seed`, { method: "POST", body, headers: { "content-type": "application/json" } });
});
afterEach(() => emulator.close());

/** A create of the stack whose run was killed. */
const begin = (stack: string, kind = "Deployment", place: { name?: string } = { name }): Promise<void> =>
  journalIn(join(cwd, "intents"), Date.now).append({
    fact: "sent",
    id: "1",
    kind,
    urn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/modelplatform:${kind}::chat`,
    origin: "loopback",
    account: "acme",
    at: Date.now(),
    place,
    digest: "d",
  });

const engine: CliContext["loadEngine"] = async () => async () =>
  ({ result: "succeeded", changes: {} }) as Awaited<ReturnType<Awaited<ReturnType<CliContext["loadEngine"]>>>>;

const commands = [
  "up --stack dev --yes --skip-preview",
  "destroy --stack dev --yes --skip-preview",
  "stack rm dev --yes",
];

test.each(commands)("`%s` names it, with the command that removes it", async (line) => {
  await begin("dev");
  const { code, stderr } = await modelplatform(line, { cwd, env, engine });
  expect(code).toBe(0);
  expect(stderr).toContain(`Deployment ${name} was created as chat by an interrupted run, and no state holds it`);
  expect(stderr).toContain(removal);
});

test.each(commands)("`%s` does not claim that a create whose answer was lost has made an object", async (line) => {
  await begin("dev", "User", {});
  const { stderr } = await modelplatform(line, { cwd, env, engine });
  expect(stderr).toContain("An interrupted run may have created a User of acme as chat: its answer was lost.");
  expect(stderr).toContain("drift --unmanaged");
});

test.each(commands)("`%s` says nothing where it is gone, or another stack's", async (line) => {
  await begin("prod");
  expect((await modelplatform(line, { cwd, env, engine })).stderr).toBe("");
});

test("`up` says nothing once it is gone, nor does a preview", async () => {
  await begin("dev");
  expect((await modelplatform("preview --stack dev", { cwd, env, engine })).stderr).toBe("");
  const headers = { authorization: "Bearer acme-key" };
  const address = `${env["MODELPLATFORM_BASE_URL"]}/v1/${name}?hard=true&ignoreChecks=true`;
  expect((await fetch(address, { method: "DELETE", headers })).status).toBe(200);
  expect((await modelplatform(commands[0]!, { cwd, env, engine })).stderr).toBe("");
});
