import { join } from "node:path";
import { manifest } from "../../io/files/package";
import type { LocalRegistry } from "./registry";
import type { Place, Sandbox } from "./sandbox";
import { npmSettings } from "./settings";
import { installed, registriesFolder } from "./tooling";

const user = { name: "rehearsal", password: "known-to-everybody" };

/** Starts an npm registry that takes other packages than ours from where npm is configured to. */
export async function openNpmRegistry(sandbox: Sandbox, here: Place): Promise<LocalRegistry> {
  const installation = await installed("npm", ["package.json", "package-lock.json"], (folder) =>
    sandbox.run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { ...here, cwd: folder }),
  );
  const { registry, cafile } = await npmSettings(sandbox, here);
  const storage = sandbox.newFolder("npm");
  const { name } = manifest();
  // The local registry answers 404 for what it does not reach; npm says why.
  await sandbox.run("npm", ["view", "@pulumi/pulumi", "version"], here);
  const serve = join(registriesFolder, "npm", "serve.mjs");
  const port = await sandbox.serve(process.execPath, [serve, installation, storage, name, registry], {
    cwd: sandbox.folder,
    env: { ...sandbox.home("npm-registry"), ...(cafile && { NODE_EXTRA_CA_CERTS: cafile }) },
  });
  const address = `http://127.0.0.1:${port}/`;
  const token = await newToken(address);
  return {
    name: "npm",
    address,
    env: userWith(sandbox, "npm-publisher", address, token),
    wrongCredentials: userWith(sandbox, "npm-stranger", address, "wrong"),
    differences: [
      "npm: `--provenance=false` and a token, as only a pipeline of the forge has an identity to attest",
      "npm: packages other than ours come through the local registry from the configured one",
    ],
    storage: join(storage, name),
  };
}

async function newToken(address: string): Promise<string> {
  const response = await fetch(`${address}-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token === undefined) throw new Error(`the local npm registry answered ${response.status} to its first user`);
  return token;
}

/** A user whose npm has the registry as its only one, and the token if there is one. */
export function userWith(sandbox: Sandbox, name: string, address: string, token?: string): Record<string, string> {
  const env = sandbox.home(name);
  const lines = [`registry=${address}`, "audit=false", "fund=false", "update-notifier=false"];
  if (token !== undefined) lines.push(`${address.replace(/^https?:/, "")}:_authToken=${token}`);
  const settings = sandbox.write(`${lines.join("\n")}\n`, name, "home", ".npmrc");
  return { ...env, npm_config_userconfig: settings, npm_config_globalconfig: join(env["HOME"]!, "no-npmrc") };
}
