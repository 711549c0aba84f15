import type { CheckFailure } from "../core/check";
import { lastSegment } from "../core/names";
import { reservedInputs } from "../core/records";
import { hostCollection, type ResourceSpec } from "../core/resource";
import { isUnknown } from "../core/unknowns";
import { chosenId } from "./ids";
import type { Call, Values } from "./types";
import type { World } from "./world";

/** One declaration of a program under check, in its account. */
export interface Declared {
  spec: ResourceSpec;
  call: Call;
  account: unknown;
  olds: Values;
  inputs: Values;
}

/** What the declarations of one program have against each other, as far as their checks have come. */
export function conflicts(world: World, declared: Declared): CheckFailure[] {
  return [...declaredTwice(world, declared), ...claimedTwice(world, declared)];
}

/** The URN that was the first to declare what there is one of; undefined where that is this one. */
function otherThan({ memory }: World, { call }: Declared, what: string): string | undefined {
  const first = memory.declared.get(what) ?? call.hidden.urn;
  memory.declared.set(what, first);
  return first === call.hidden.urn ? undefined : first;
}

/** What exists once per account has one declaration: two would undo each other's changes for ever. */
function declaredTwice(world: World, declared: Declared): CheckFailure[] {
  const { spec, call, account } = declared;
  const first =
    spec.singleton && !isUnknown(account) ? otherThan(world, declared, `${spec.kind} ${String(account)}`) : undefined;
  if (first === undefined) return [];
  return [
    {
      property: "accountId",
      reason: `there is one ${spec.kind} per account, and two resources declare that of \`${String(account)}\`: ${first} and ${call.hidden.urn}. Put everything into one of them and remove the other`,
    },
  ];
}

/** One host answers for a content: who claims that takes it from the other, in every run anew (A081). */
function claimedTwice(world: World, declared: Declared): CheckFailure[] {
  const { spec, call, account, inputs } = declared;
  const content = spec.host && inputs[spec.host.content];
  if (
    !spec.host ||
    inputs[spec.host.claim] !== true ||
    typeof content !== "string" ||
    isUnknown(content) ||
    isUnknown(account)
  )
    return [];
  const first = otherThan(world, declared, `${spec.kind} ${String(account)} ${content}`);
  if (first === undefined) return [];
  return [
    {
      property: spec.host.claim,
      reason: `only one ${spec.kind} of ${content} can be it, and two resources claim it: ${first} and ${call.hidden.urn}. Drop it from one of them`,
    },
  ];
}

/** A new host puts its own content onto itself, and a declaration of the same is then in its way (A081). */
export function recommendations(
  { memory, guestsOf, kindOf }: World,
  { spec, call, account, olds, inputs }: Declared,
): string[] {
  if (!Object.keys(olds).every((name) => reservedInputs.has(name))) return [];
  if (guestsOf(spec).length > 0) memory.newHosts.set(call.hidden.urn, { spec, account, inputs });
  const { host } = spec;
  if (!host) return [];
  const kind = kindOf(hostCollection(spec) ?? "");
  const name = inputs[host.field];
  const meant = [...memory.newHosts].find(([urn, other]) => {
    const id = memory.current.get(urn)?.name.split("/").at(-1) ?? chosenId(other.spec, other.inputs);
    const same = typeof name !== "string" || isUnknown(name) || lastSegment(name) === id;
    return (
      same &&
      other.spec.kind === kind &&
      other.account === account &&
      other.inputs[host.own] === inputs[host.content] &&
      other.inputs[host.unless] !== true
    );
  });
  if (!meant) return [];
  const title = `${kind} \`${meant[0].slice(meant[0].lastIndexOf("::") + 2)}\``;
  return [
    `the service puts this \`${host.content}\` onto the new ${title} by itself; set \`${host.unless}: true\` there, so that this resource alone does it`,
  ];
}
