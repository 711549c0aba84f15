import type { Metadata, ServiceError } from "@grpc/grpc-js";

/** Beside a failure's words, its code: Pulumi's protocol has no place for one, and its engines read no such key. */
const codeKey = "pulumi-modelplatform-code";

/** Other packages' providers may send what they like. */
const isCode = /^[a-z][a-z-]{0,63}$/;

export function setFailureCode(metadata: Metadata, code: string | undefined): void {
  if (code !== undefined) metadata.set(codeKey, code);
}

/** The code that a provider in another process has sent with its failure. */
export function failureCodeOf({ metadata }: ServiceError): string | undefined {
  const [code] = metadata?.get(codeKey) ?? [];
  return typeof code === "string" && isCode.test(code) ? code : undefined;
}
