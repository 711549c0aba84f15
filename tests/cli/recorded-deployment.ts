import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { type Setting, temporaryFolder } from "./terminal";

/** A service with one deployment, and folders with the export of a stack that has recorded it. */

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2, description: "answers" };
export const name = "accounts/demo/deployments/chat";
const live = { name, ...inputs, state: "READY", updateTime: "2026-01-20T10:00:00Z" };

let emulator: Emulator;
let service: string;

beforeAll(async () => {
  emulator = createEmulator({ clock: "manual" });
  ({ url: service } = await emulator.listen({ port: 0 }));
});
afterAll(() => emulator.close());

export const put = (fields: Values = {}): void =>
  emulator.world.put({ kind: "Deployment", name, fields: { ...live, ...fields } });

export function place(env: { [name: string]: string } = {}): Setting & { cwd: string } {
  const cwd = temporaryFolder();
  const recorded = { kind: "Deployment", inputs, live, outputs: { endpoint: service } };
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([recorded])));
  return {
    cwd,
    env: {
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_BASE_URL: service,
      XDG_STATE_HOME: join(cwd, "state"),
      ...env,
    },
  };
}
