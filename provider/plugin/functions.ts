import type { Client } from "../api/types";
import { type FunctionSpec, functionShape } from "../core/declaration/functions";
import { ModelPlatformError } from "../core/errors";
import { memberOf } from "../core/fields/tokens";
import { containsUnknown, unknownValue } from "../core/values/unknowns";
import type { Values } from "../lifecycle/types";
import { callFunction, isAllowedInPreview, secretsIn } from "../pulumi/function-call";
import { functions } from "../resources/functions";
import { specOf } from "../resources/index";

/** Calls the function of a token. Resolves to the answer and the names of what is secret in it. */
export async function callFunctionOf(
  client: Client,
  { token, args, preview }: { token: string; args: Values; preview: boolean },
): Promise<[answer: Values, secrets: ReadonlySet<string>]> {
  const name = memberOf(token);
  const spec = (functions as Record<string, FunctionSpec>)[name ?? ""];
  if (!spec || name === undefined)
    throw new ModelPlatformError(`\`${token}\` is not a function of this release of pulumi-modelplatform`, {
      advice: "Update the package, and regenerate the SDK from it.",
    });
  if (containsUnknown(args) || (preview && !isAllowedInPreview(client, name, spec)))
    return [
      Object.fromEntries(functionShape(spec, specOf).outputs.map((field) => [field.name, unknownValue])),
      new Set(),
    ];
  const answer = await callFunction(client, { name, spec, args, isPreview: preview });
  return [answer, new Set(secretsIn(spec, answer))];
}
