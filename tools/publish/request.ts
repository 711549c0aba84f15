import { parseArgs } from "node:util";
import { type RegistryName, registries, registryNames } from "./registries";

export const publishUsage = `Usage: node dist/tools/release.js publish <registry> --to <address>

Publishes the release that is built in \`.release\` to one registry. What is already there stays as it is.

  publish archives --to https://github.com/<organization>/pulumi-modelplatform   a draft of the release, with all files
  publish archives --to file:///<folder>   the same files, into a folder of this version that a web server serves
  publish npm --to <registry>
  publish pypi --to <address for uploads>
  publish nuget --to <source>
  publish go --to <repository>             the tag of the Go SDK, and its branch

Exit codes: 0 published, or already there; 1 failed; 2 usage; 3 the version is there with other content.`;

/** What a call of `publish` asks for. */
export interface Request {
  registry: RegistryName;
  address: string;
}

/** What the arguments ask for; otherwise, what is wrong with them. */
export function parseRequest(args: readonly string[]): Request | string {
  let parsed: { values: { to?: string | undefined }; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { to: { type: "string" } } });
  } catch (error) {
    return (error as Error).message;
  }
  const [name, ...rest] = parsed.positionals;
  const registry = registryNames.find((each) => each === name);
  if (registry === undefined || rest.length > 0)
    return `name one registry: ${registryNames.join(", ")}; not \`${parsed.positionals.join(" ")}\``;
  const { to: address } = parsed.values;
  if (!address) return `\`--to\` is missing: the address of ${registries[registry].title}`;
  const isPath = registry === "go" && !URL.canParse(address);
  if (isPath || /^(https?|file):\/\//.test(address)) return { registry, address };
  return `\`--to ${address}\` is not an address, such as https://…`;
}
