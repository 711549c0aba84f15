import { unsupported } from "../errors";
import type { Context } from "../plan/context";
import type { PropertyMap } from "../state/types";
import { packageOf } from "../state/urns";
import type { Executor } from "./executor";

/** A program calls a function: the engine's own, or one of a package. */
interface FunctionCall {
  token: string;
  args: PropertyMap;
  /** Reference of the provider that the program names; empty for the package's default one. */
  provider: string;
  /** Of the package's SDK; empty where it does not say. */
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
    if (token !== "pulumi:pulumi:getResource") throw unsupported(`The function ${token}`);
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
    if (!instance.invoke) throw unsupported(`The function ${token}`);
    const answer = await instance.invoke({ token, args, preview: context.preview });
    context.secrets.learn(answer);
    return answer;
  };
}
