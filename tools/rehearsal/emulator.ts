import type { Place, Sandbox } from "./sandbox";

const account = "demo";
const apiKey = "demo-key";

/** The service that every program of a rehearsal talks to. */
export interface RehearsalService {
  /** Variables and settings with which a program finds the service and keeps its state in its folder. */
  env: Readonly<Record<string, string>>;
  /** Names of live objects. */
  objects(): Promise<string[]>;
}

/** Starts the emulator of an installed package: `command` and `args` run its command line. */
export async function startService(
  sandbox: Sandbox,
  [command, ...args]: readonly [string, ...string[]],
  place: Place,
): Promise<RehearsalService> {
  const options = ["--port", "0", "--speed", "600", "--account", `${account}=${apiKey}`];
  const line = await sandbox.serve(command, [...args, "emulator", ...options], place);
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the emulator does not print its address, but: ${line}`);
  return {
    env: {
      MODELPLATFORM_BASE_URL: url,
      MODELPLATFORM_ACCOUNT_ID: account,
      MODELPLATFORM_API_KEY: apiKey,
      PULUMI_BACKEND_URL: "file://.",
      PULUMI_CONFIG_PASSPHRASE: "only-for-the-emulator",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // Everything that a program needs has been installed, from this machine.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    },
    async objects() {
      const response = await fetch(`${url}/_emulator/objects`);
      const { objects } = (await response.json()) as { objects: Record<string, { state?: string }> };
      return Object.entries(objects)
        .filter(([name, { state = "" }]) => name.startsWith(`accounts/${account}/`) && !state.endsWith("DELETED"))
        .map(([name]) => name)
        .sort();
    },
  };
}
