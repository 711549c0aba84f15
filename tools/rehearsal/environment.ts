import { delimiter, join } from "node:path";

/** What a program needs on any machine: where programs are, the language, and how to reach the network. */
const isCommon = (name: string): boolean =>
  /^(PATH|LANG|LC_\w+|TZ|SHELL|SYSTEMROOT|COMSPEC|PATHEXT|(HTTPS?|ALL|NO)_PROXY)$/i.test(name) ||
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO)$/.test(name);

const loopback = "127.0.0.1,localhost";

/**
 * The environment of somebody else on this machine, with an empty home: no settings, tokens or caches, and no programs
 * of a checkout, whose `node_modules/.bin` npm puts on the PATH of a script.
 */
export function strangerEnvironment(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const common = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isCommon(name) ? [[name, value] as const] : [],
  );
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]/.test(folder));
  const direct = [env["NO_PROXY"] ?? env["no_proxy"], loopback].filter(Boolean).join(",");
  return {
    ...Object.fromEntries(common),
    PATH: folders.join(delimiter),
    HOME: home,
    USERPROFILE: home,
    // The CLI asks the system for the user's home, whatever HOME is.
    PULUMI_HOME: join(home, ".pulumi"),
    NO_PROXY: direct,
    no_proxy: direct,
  };
}
