import { hiddenInput } from "../../../provider/core/declaration/own-fields";
import { dynamicToken } from "../../../provider/core/pulumi-names";
import { providerText } from "../../../provider/pulumi/provider-text";

/** What an engine sends for a resource that a program declares with this package's classes. */
export function declared(kind: string, name: string, inputs: Record<string, unknown>): Record<string, unknown> {
  return {
    ...inputs,
    [hiddenInput]: { kind, urn: urnOf(kind, name), organization: "organization", stack: "dev" },
    __provider: providerText,
  };
}

export const urnOf = (kind: string, name: string): string => `urn:pulumi:dev::demo::${dynamicToken(kind)}::${name}`;

const signatureKey = "4dabf18193072939515e22adb298388d";

/** How Pulumi's protocol writes a secret. */
export const secret = (value: unknown): Record<string, unknown> => ({
  [signatureKey]: "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** How Pulumi's protocol writes a value that is not known in a preview. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** An answer as everybody may see it: without what is marked as secret. */
export const shown = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    typeof member === "object" && member !== null && signatureKey in member ? "[secret]" : member,
  );
