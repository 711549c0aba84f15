import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { project } from "./terminal";

/** A project whose service is an emulator with the account `acme`; the journal of its creates is in `intents`. */
export interface ServedProject {
  cwd: string;
  env: { [name: string]: string };
  /** Asks the emulator itself, below `/_emulator/`. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export async function serveProject(...stacks: string[]): Promise<ServedProject> {
  const emulator = createEmulator({ accounts: { acme: "acme-key" } });
  const { url } = await emulator.listen({ port: 0 });
  const { cwd, env } = await project(...stacks);
  Object.assign(env, {
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNT_ID: "acme",
    MODELPLATFORM_API_KEY: "acme-key",
    MODELPLATFORM_INTENTS: join(cwd, "intents"),
  });
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const given = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(`${url}/_emulator/${path}`, given)).json();
  };
  return { cwd, env, control, close: () => emulator.close() };
}
