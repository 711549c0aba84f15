import { digest, npmPackage } from "./files";
import { absent, type Presence, type Registry, same, type Target } from "./registry";
import { ToolError } from "./tool";

const name = "pulumi-modelplatform";

/** Two retries within seconds: by default, npm waits for more than a minute before it says that a network is down. */
const patience = ["--fetch-retry-mintimeout", "1000", "--fetch-retry-maxtimeout", "5000"];

const isLoopback = (address: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

/** Only a workflow of the forge has an identity that can attest where a package was built. */
const canAttest = ({ env, address }: Target): boolean => env["GITHUB_ACTIONS"] === "true" && !isLoopback(address);

async function lookUp({ release, address, tool }: Target): Promise<Presence> {
  const args = ["view", `${name}@${release.version}`, "dist.integrity", "--json", "--prefer-online"];
  let answer: string;
  try {
    answer = await tool("npm", [...args, ...patience, "--registry", address]);
  } catch (error) {
    if (error instanceof ToolError && /\bE404\b/.test(error.output)) return absent;
    throw error;
  }
  // Without output, the registry has the package and not this version.
  if (answer.trim() === "") return absent;
  const actual = JSON.parse(answer) as string;
  const expected = `sha512-${digest("sha512", npmPackage(release), "base64")}`;
  return actual === expected ? same : { is: "other", what: `its integrity is ${actual}, and here ${expected}` };
}

async function push(target: Target): Promise<void> {
  const provenance = canAttest(target) ? [] : ["--provenance=false"];
  if (provenance.length > 0) target.out("without provenance, which only the workflow of the forge can attest");
  const args = ["publish", "--ignore-scripts", ...patience, "--registry", target.address, ...provenance];
  await target.tool("npm", [...args, npmPackage(target.release)]);
}

export const npm: Registry = { title: "npm", subject: (version) => `${name} ${version}`, lookUp, push };
