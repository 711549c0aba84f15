import type { Place, Sandbox } from "./sandbox";

/** Where npm is configured to get packages from. */
export async function npmSettings(sandbox: Sandbox, here: Place): Promise<{ registry: string; cafile?: string }> {
  const { registry, cafile } = JSON.parse(await sandbox.run("npm", ["config", "list", "--json"], here)) as {
    registry: string;
    cafile?: string | null;
  };
  return { registry, ...(cafile && { cafile }) };
}

/** Settings of pip that say how to reach an index; those that name one, or a folder of packages, are replaced. */
const reaching = ["cert", "client-cert", "proxy", "timeout", "default-timeout", "retries", "trusted-host"];
const naming = ["index-url", "extra-index-url", "find-links", "no-index"];

/** What pip's settings come to: variables that reach an index, and settings that name other sources. */
export function pipSettings(list: string): { env: Record<string, string>; left: string[] } {
  // Later sources win: files, then the settings of `install`, then variables.
  const order = ["global", "install", ":env:"];
  const entries = list
    .split("\n")
    .flatMap((line) => [...line.matchAll(/^(.+)\.([\w-]+)=(['"])(.*)\3$/g)])
    .map(([, section = "", name = "", , value = ""]) => ({ section, name, value: value.replaceAll("\\n", " ").trim() }))
    .filter(({ section }) => order.includes(section))
    .sort((one, other) => order.indexOf(one.section) - order.indexOf(other.section));
  const env = entries
    .filter(({ name }) => reaching.includes(name))
    .map(({ name, value }) => [`PIP_${name.toUpperCase().replaceAll("-", "_")}`, value] as const);
  const left = entries.map(({ name }) => name).filter((name) => naming.includes(name) && name !== "index-url");
  return { env: { ...Object.fromEntries(env), PIP_DISABLE_PIP_VERSION_CHECK: "1" }, left: [...new Set(left)] };
}

/** The index that pip asks: its help shows what its settings come to. */
export function pipIndex(help: string): string {
  const [, index] = /--index-url <url>[^(]*\(default\s+(\S+?)\)/.exec(help) ?? [];
  if (index !== undefined) return index;
  throw new Error("`pip install --help` does not show which index pip asks: no `(default …)` after `--index-url`");
}

/** Settings of Go that say where modules come from, and the cache of compiled packages. */
export async function goSettings(sandbox: Sandbox, here: Place): Promise<Record<string, string>> {
  const names = ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOTOOLCHAIN", "GOCACHE"];
  return JSON.parse(await sandbox.run("go", ["env", "-json", ...names], here)) as Record<string, string>;
}
