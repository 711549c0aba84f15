import { readFileSync } from "node:fs";
import type { Environment } from "../../../io/files/user-folders";
import { ConfigurationError } from "../../core/errors";

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
export function clientCertificate(env: Environment): ClientCertificate | undefined {
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
