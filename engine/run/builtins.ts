import { unsupportedError } from "../errors";
import type { Context } from "../plan/context";
import type { ResourceProvider } from "../providers/providers";
import { type PropertyMap, packageOf } from "../state/resource-state";
import { containsSecrets, unwrapSecret } from "../values/values";
import type { Executor } from "./executor";

/** Reads the outputs of another stack of the same backend, `organization/<project>/<stack>`, secrets marked. */
export type StackOutputs = (name: string) => Promise<PropertyMap>;

const onlyReferences = (): Promise<never> =>
  Promise.reject(unsupportedError("A resource of package `pulumi` other than a stack reference"));

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

/** A program calls a function: the engine's own, or one of a package. */
interface FunctionCall {
  token: string;
  args: PropertyMap;
  /** Reference of the provider that the program names; empty for the package's default one. */
  provider: string;
  /** Version of the package's SDK; empty if unknown. */
  version: string;
}

export type Functions = (call: FunctionCall) => Promise<PropertyMap>;

interface FunctionContext {
  context: Pick<Context, "providers" | "preview" | "secrets">;
  executor: Pick<Executor, "resource">;
  registrar: { defaultProvider(pkg: string, version?: string): Promise<string> };
}

export function functionsOf({ context, executor, registrar }: FunctionContext): Functions {
  const ownFunction = (token: string, args: PropertyMap): PropertyMap => {
    if (token !== "pulumi:pulumi:getResource") throw unsupportedError(`The function ${token}`);
    const urn = String(args["urn"]);
    const state = executor.resource(urn)?.state;
    if (state === undefined) throw new Error(`there is no resource ${urn} in this run`);
    return { urn, id: state.id ?? "", provider: state.provider ?? "", state: state.outputs ?? {} };
  };

  return async ({ token, args, provider, version }) => {
    const pkg = packageOf(token);
    if (pkg === "pulumi") return ownFunction(token, args);
    const reference = provider || (await registrar.defaultProvider(pkg, version || undefined));
    const instance = context.providers.ensure(reference);
    if (!instance.invoke) throw unsupportedError(`The function ${token}`);
    const result = await instance.invoke({ token, args, preview: context.preview });
    context.secrets.learn(result);
    return result;
  };
}
