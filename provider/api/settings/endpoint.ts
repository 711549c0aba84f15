import { Buffer } from "node:buffer";
import { BlockList, isIP } from "node:net";
import { ceilings, readTextSync } from "../../../io/files/read";
import type { Environment } from "../../../io/files/user-folders";
import { trimEndOf } from "../../../io/text/trim";
import { ConfigurationError } from "../../core/errors";
import type { Endpoint } from "../types";

function variable(env: Environment, lower: string): { name: string; value: string } {
  const name = env[lower] !== undefined ? lower : lower.toUpperCase();
  return { name, value: env[name] ?? "" };
}

/** A proxy by its variable. The error for an invalid URL does not quote it: it may hold a password. */
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

/** What a connection presents to a service that requires identification, as PEM. */
export interface ClientCertificate {
  cert: string;
  key: string;
}

const variables = { cert: "MODELPLATFORM_CLIENT_CERT", key: "MODELPLATFORM_CLIENT_KEY" } as const;

/**
 * The certificate whose files the environment names, if any. Without a file for the key, the certificate's file has
 * both.
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
    text = readTextSync(path, ceilings.settings, { fromUser: true });
  } catch (error) {
    throw refused(`cannot be read (${(error as NodeJS.ErrnoException).code ?? "no reason given"})`);
  }
  if (!new RegExp(`-----BEGIN [A-Z ]*${part}-----`).test(text)) throw refused(`has no ${part}`);
  return text;
}

/**
 * Reads a base URL: https, or http to this machine itself. Rejects everything that could send a key somewhere other
 * than where a reader of the URL would expect. `where` names the setting in the error, which quotes the URL only if it
 * cannot hold a password.
 */
export function parseBaseUrl(text: string, where: string): Endpoint {
  const reject: RejectSetting = (
    reason,
    advice = "Give an https URL such as `https://api.example.com`, or `http://127.0.0.1:8787` for an emulator on this machine.",
  ) => {
    throw new ConfigurationError(`the base URL in ${where} ${reason}`, { advice });
  };
  const { url, loopback } = parseAddress(text, reject);
  if (text.includes("#")) reject("has a fragment", "Leave out everything from `#` on.");
  if (text.includes("?")) reject("has a query", "Leave out everything from `?` on.");
  if (text.includes("%") || /\/\.\.?(\/|$)/.test(text))
    reject("has an ambiguous path", "Write it without percent signs, `.` and `..`.");
  return Object.freeze({ origin: url.origin, prefix: prefixIn(url.pathname, reject), loopback });
}

/** What precedes the API's own paths, all of which begin with `/v1`. */
function prefixIn(pathname: string, refuse: RejectSetting): string {
  const path = trimEndOf(pathname, /\//);
  if (!path.endsWith("/v1")) return path;
  if (path.endsWith("/v1/v1")) return path.slice(0, -"/v1".length);
  return refuse(
    "ends in `/v1`, with which every path of the API begins",
    "Leave out `/v1`, or end the URL in `/v1/v1` if it belongs to a gateway's own path.",
  );
}

/** Rejects a URL: why, and what to use instead. */
type RejectSetting = (reason: string, advice?: string) => never;

/**
 * A URL that may receive secrets: https, or http to this machine itself, and a host that is what a reader takes it for.
 */
export function parseAddress(text: string, refuse: RejectSetting): { url: URL; loopback: boolean } {
  if (/[\s\\\u0000-\u001f\u007f]/.test(text)) refuse("holds spaces, backslashes or control characters");
  if (!URL.canParse(text)) refuse("is not a URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || authorityOf(text).includes("@"))
    refuse("holds a user name or password", "Leave them out; the key goes into the setting `apiKey`.");
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse(`has the scheme \`${url.protocol.slice(0, -1)}\``);
  const host = url.hostname.replace(/\.$/, "");
  assertHostAllowed(host, authorityOf(text), refuse);
  const loopback = isLoopback(host);
  if (url.protocol === "http:" && !loopback)
    refuse(
      "uses http",
      "Use https; http is accepted for this machine only (`localhost`, `127.0.0.1`, `[::1]`), because it would expose the key on the network.",
    );
  return { url, loopback };
}

/** The base URL as one text, which identifies the service. */
export const baseOf = ({ origin, prefix }: Endpoint): string => origin + prefix;

const authorityOf = (text: string): string => /^[a-z][a-z0-9+.-]*:\/*([^/?#]*)/i.exec(text)?.[1] ?? "";

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, "");

function assertHostAllowed(host: string, authority: string, refuse: RejectSetting): void {
  const address = unbracketed(host);
  const written = authority.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
  if (isIP(address) === 4 && written !== address)
    refuse("writes an IP address in an unusual way", `Write it as \`${address}\`, if that is what you mean.`);
  if (isIP(address) !== 0 && isIn(reserved, address))
    refuse("points to a link-local, metadata or otherwise reserved address", "Give the address of the service itself.");
  if (
    isIP(address) === 0 &&
    /^(metadata|instance-data)(\.|$)/.test(address) &&
    /^[^.]+$|\.(internal|local|localdomain)$/.test(address)
  )
    refuse("points to a machine's metadata service", "Give the address of the service itself.");
  if (isIP(address) === 0 && written.includes("%")) refuse("has a percent-encoded host", "Write the host plainly.");
}

/** Whether a host is this machine, in any spelling. */
export function isLoopback(host: string): boolean {
  const address = unbracketed(host.replace(/\.$/, ""));
  return isIP(address) === 0 ? address === "localhost" || address.endsWith(".localhost") : isIn(loopbacks, address);
}

/** One list per family: in a list of both, every IPv4 address would be in an IPv6 net that represents IPv4. */
interface Addresses {
  ipv4: BlockList;
  ipv6: BlockList;
}

const isIn = (addresses: Addresses, address: string): boolean =>
  isIP(address) === 4 ? addresses.ipv4.check(address, "ipv4") : addresses.ipv6.check(address, "ipv6");

function nets(ipv4: readonly string[], ipv6: readonly string[]): Addresses {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [family, texts] of Object.entries({ ipv4, ipv6 }) as ["ipv4" | "ipv6", readonly string[]][]) {
    for (const text of texts) {
      const [net, bits] = text.split("/") as [string, string];
      lists[family].addSubnet(net, Number(bits), family);
    }
  }
  return lists;
}

const loopbacks = nets(["127.0.0.0/8"], ["::1/128"]);

/** Addresses that no service has: unspecified, link-local, multicast, metadata services, and IPv4 inside IPv6. */
const reserved = nets(
  ["0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/3", "100.100.100.200/32", "168.63.129.16/32"],
  [
    "::/128",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "2002::/16",
    "2001::/32",
    "fd00:ec2::254/128",
    "fd20:ce::254/128",
    "fd00:42::42/128",
  ],
);
