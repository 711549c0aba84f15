import { type ClientOptions, createClient } from "../../../provider/api/client";
import { createCatalogue } from "../../../provider/api/operations";
import { resolveSettings } from "../../../provider/api/settings/config";
import type { Client, LogEntry } from "../../../provider/api/types";
import { allSpecs } from "../../../provider/resources/index";
import { type InstantTime, instantTime } from "./instant-time";

export const catalogue = createCatalogue(allSpecs);

/** Keys of the accounts that test clients hold; `acme` is the default one. */
export const keys = { acme: "acme-key-1", other: "other-key-2" } as const;

export interface TestClient extends Client {
  time: InstantTime;
  log: LogEntry[];
}

export function testClient(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
  env: Record<string, string> = {},
): TestClient {
  const settings = resolveSettings({
    env: {
      MODELPLATFORM_API_KEY: keys.acme,
      MODELPLATFORM_ACCOUNT_ID: "acme",
      MODELPLATFORM_ACCOUNTS: JSON.stringify({ other: { apiKey: keys.other } }),
      MODELPLATFORM_BASE_URL: baseUrl,
      ...env,
    },
  });
  const time = instantTime();
  const log: LogEntry[] = [];
  return {
    ...createClient({ settings, catalogue, time, log: (entry) => log.push(entry), env: {}, ...options }),
    time,
    log,
  };
}
