import { pathToFileURL } from "node:url";
import { goModule, repository } from "../publisher";
import type { LocalRegistry } from "./registry";
import type { Place, Sandbox } from "./sandbox";
import { goSettings } from "./settings";

/** The repository that has the Go SDK, and how Go gets a module from it. */
export interface GoOrigin extends LocalRegistry {
  /** Variables with which Go takes our module from this repository, and all others as configured. */
  go: Readonly<Record<string, string>>;
}

/** Makes a bare repository, which git puts in the place of the forge's. */
export async function openGoOrigin(sandbox: Sandbox, here: Place): Promise<GoOrigin> {
  const origin = sandbox.newFolder("go-origin.git");
  const env = sandbox.home("go-publisher");
  await sandbox.run("git", ["init", "--quiet", "--bare", origin], { cwd: sandbox.folder, env });
  // The address that Go asks for our module is the forge's; git reads this repository instead.
  const rewrite = `[url "${pathToFileURL(origin).href}"]\n\tinsteadOf = ${repository}\n`;
  const settings = sandbox.write(rewrite, "go-origin.gitconfig");
  const configured = await goSettings(sandbox, here);
  const ours = (name: string): string => [goModule, configured[name]].filter(Boolean).join(",");
  return {
    name: "go",
    address: pathToFileURL(origin).href,
    env,
    differences: [
      "Go: git reads a bare repository on this machine in place of the forge's; no proxy or checksum database sees our module",
      "Go: compiled packages come from this machine's build cache, so that a first compile is not repeated each time",
    ],
    storage: origin,
    go: {
      ...configured,
      ...{ GONOPROXY: ours("GONOPROXY"), GONOSUMDB: ours("GONOSUMDB"), GOENV: "off", GOFLAGS: "-modcacherw" },
      // Without any other protocol, a mistake here cannot reach the forge.
      ...{
        GIT_CONFIG_GLOBAL: settings,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_ALLOW_PROTOCOL: "file",
        GIT_TERMINAL_PROMPT: "0",
      },
    },
  };
}
