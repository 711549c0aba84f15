import { Buffer } from "node:buffer";
import type { Environment } from "../../../io/files/user-folders";
import { ConfigurationError } from "../../core/errors";

function variable(env: Environment, lower: string): { name: string; value: string } {
  const name = env[lower] !== undefined ? lower : lower.toUpperCase();
  return { name, value: env[name] ?? "" };
}

/** A proxy by its variable. An invalid URL is refused without being shown: it may hold a password. */
export function proxyIn(env: Environment, lower: string): URL | undefined {
  const { name, value } = variable(env, lower);
  if (value === "") return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url && /^(https?|socks5?):$/.test(url.protocol) && !/%(?![0-9a-f]{2})/i.test(url.username + url.password))
    return url;
  throw new ConfigurationError(`the environment variable \`${name}\` is not a valid proxy URL`, {
    advice: "Give a URL such as `http://proxy.example.com:3128`, or unset it.",
  });
}

/** The credentials in proxy variables, which must not be printed. */
export function proxySecrets(env: Environment): string[] {
  return ["http_proxy", "https_proxy", "all_proxy"].flatMap((lower) => {
    const { username = "", password = "" } = proxyIn(env, lower) ?? {};
    const [name, secret] = [username, password].map(decodeURIComponent);
    return password === "" ? [] : [password, secret!, Buffer.from(`${name}:${secret}`).toString("base64")];
  });
}

/** Hosts that are reached without a proxy. */
export const noProxy = (env: Environment): string => variable(env, "no_proxy").value;
