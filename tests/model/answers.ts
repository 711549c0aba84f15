import { identityOf } from "./edits";
import type { Entry } from "./engine";
import type { Declaration, Program, Values } from "./program";
import type { Scene } from "./scene";
import { urnOf } from "./program";

/** What a person does once commands have failed, as their errors advise; nothing that a crash or a fault would ask for. */

/** The program with what no service would take set right, and the state without protection. */
export async function answered(program: Program, state: Entry[], scene: Scene, released: Set<string>): Promise<Program> {
  let count = 0;
  for (const entry of state) entry.protect = false;
  const corrected: Declaration[] = [];
  for (const declaration of program) {
    const { protect: _, ...options } = declaration.options;
    const plain = { ...declaration, options, inputs: withoutTypo(declaration.inputs) };
    const entry = stateOf(plain, state);
    if (entry?.taint && identityOf(plain) !== undefined) plain.options = { ...options, deleteBeforeReplace: true };
    corrected.push(await settled(plain, entry, ++count));
  }
  return corrected;

  async function settled(declaration: Declaration, entry: Entry | undefined, number: number): Promise<Declaration> {
    const holder = holderOf(declaration, scene);
    if (holder === undefined || holder === entry?.id) return declaration;
    if (scene.theirs.has(holder)) return { ...declaration, inputs: elsewhere(declaration.inputs, number) };
    const former = state.find((each) => each.id === holder && !each.delete && !program.some((other) => urnOf(other.kind, other.name) === each.urn));
    if (former && !entry) return { ...declaration, options: { ...declaration.options, aliases: [nameIn(former.urn)] } };
    if (!released.has(holder)) return declaration;
    await scene.send("DELETE", `/v1/${holder}`, undefined, declaration.kind === "Deployment" ? { hard: "true" } : {});
    await scene.rest();
    released.delete(holder);
    return declaration;
  }
}

const withoutTypo = (inputs: Values): Values =>
  String(inputs["baseModel"]).endsWith("/missing") ? { ...inputs, baseModel: "accounts/platform/models/open-8b" } : inputs;

export const nameIn = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);

/** What the state holds for a declaration, under any of its names. */
export function stateOf({ kind, name, options }: Declaration, state: readonly Entry[]): Entry | undefined {
  const urns = [name, ...(options.aliases ?? [])].map((each) => urnOf(kind, each));
  return state.find((entry) => urns.includes(entry.urn) && !entry.delete);
}

/** The live object that stands where the declaration's has to be. */
function holderOf(declaration: Declaration, scene: Scene): string | undefined {
  const identity = identityOf(declaration);
  if (identity === undefined) return undefined;
  const collection = { User: "users", Secret: "secrets", Deployment: "deployments" }[declaration.kind];
  for (const [name, object] of scene.live()) {
    const [, , in_, id] = name.split("/");
    if (in_ !== collection) continue;
    const inputs = declaration.kind === "Deployment" ? { deploymentId: id } : object;
    if (identityOf({ kind: declaration.kind, inputs }) === identity) return name;
  }
  return undefined;
}

/** The same with a key of its own. */
const elsewhere = (inputs: Values, number: number): Values => ({
  ...inputs,
  ...("email" in inputs && { email: `own-${number}@example.com` }),
  ...("keyName" in inputs && { keyName: `OWN_KEY_${number}` }),
  ...("deploymentId" in inputs && { deploymentId: `own-${number}` }),
});
