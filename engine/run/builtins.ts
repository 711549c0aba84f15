import { unsupported } from "../errors";
import type { ResourceProvider } from "../providers/provider";
import type { PropertyMap } from "../state/types";
import { containsSecrets, unwrapSecret } from "../values/values";

/** Reads the outputs of another stack of the same backend, `organization/<project>/<stack>`, secrets marked. */
export type StackOutputs = (name: string) => Promise<PropertyMap>;

const onlyReferences = (): Promise<never> =>
  Promise.reject(unsupported("A resource of package `pulumi` other than a stack reference"));

async function stackReference(name: string, read: StackOutputs): Promise<PropertyMap> {
  const outputs = await read(name);
  const secretOutputNames = Object.keys(outputs).filter((key) => containsSecrets(outputs[key] ?? null));
  return { name, outputs, secretOutputNames: secretOutputNames.sort() };
}

/** Manages the resources of package `pulumi`: stack references, which are only read. */
export function builtinProvider(read: StackOutputs): ResourceProvider {
  return {
    check: onlyReferences,
    diff: onlyReferences,
    create: onlyReferences,
    update: onlyReferences,
    delete: onlyReferences,
    async read({ id, inputs, state }) {
      const name = unwrapSecret(state?.["name"] ?? null);
      if (typeof name !== "string") throw new Error("a stack reference needs the name of a stack");
      return { id, inputs, outputs: await stackReference(name, read) };
    },
  };
}
