/** Variables that a token comes in. */
const tokenNames = ["NODE_AUTH_TOKEN", "NPM_TOKEN", "TWINE_PASSWORD", "NUGET_API_KEY", "GH_TOKEN", "GITHUB_TOKEN"];

/** An address without the credentials in it. */
export function visibleAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return url.href;
}

/** What an address has of credentials: a password, or a token in place of a user. */
function credentialsIn(address: string): string[] {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  const secret = password === "" ? username : password;
  return [secret, decodeURIComponent(secret)];
}

/** Removes the tokens that the tools are called with from what they print. */
export function maskOf(address: string, env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = [...tokenNames.map((name) => env[name] ?? ""), ...credentialsIn(address)]
    .filter((secret) => secret !== "")
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}
