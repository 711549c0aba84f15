import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
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

/** What a connection presents to a service that asks who connects, as PEM. */
export interface ClientCertificate {
  cert: string;
  key: string;
}

const variables = { cert: "MODELPLATFORM_CLIENT_CERT", key: "MODELPLATFORM_CLIENT_KEY" } as const;

/**
 * The certificate whose files the environment names; undefined where it names none. Without a file for the key, the
 * certificate's file has both.
 */
export function readClientCertificate(env: Environment): ClientCertificate | undefined {
  const cert = env[variables.cert] ?? "";
  const key = env[variables.key] ?? "";
  if (cert === "" && key === "") return undefined;
  if (cert === "")
    throw new ConfigurationError(`\`${variables.key}\` is set, and \`${variables.cert}\` is not`, {
      advice: "Name the PEM file of the client certificate as well.",
    });
  return {
    cert: pemIn(variables.cert, cert, "CERTIFICATE"),
    key: key === "" ? pemIn(variables.cert, cert, "PRIVATE KEY") : pemIn(variables.key, key, "PRIVATE KEY"),
  };
}

function pemIn(variable: string, path: string, part: string): string {
  const refused = (fault: string): ConfigurationError =>
    new ConfigurationError(`the file \`${path}\` (${variable}) ${fault}`, {
      advice: "Name PEM files, in `MODELPLATFORM_CLIENT_CERT` and `MODELPLATFORM_CLIENT_KEY`.",
    });
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw refused(`cannot be read (${(error as NodeJS.ErrnoException).code ?? "no reason given"})`);
  }
  if (!new RegExp(`-----BEGIN [A-Z ]*${part}-----`).test(text)) throw refused(`has no ${part}`);
  return text;
}
