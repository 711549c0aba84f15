import { type CommandRest, ownCommand, quotedCommand } from "../../io/text/command-line";
import type { ResourceSpec } from "../core/declaration/resource";
import { dynamicToken, resourceNameIn } from "../core/pulumi-names";
import { engineCommand, settingKey, settingVariable } from "../core/settings";
import { accountOf, lastSegment, matchTemplate, snakeCase } from "../core/values/names";
import type { Ports } from "./ports";
import type { Call } from "./types";

/** Commands that messages advise. A person pastes them into a shell, and they do what the message says. */

/** Whose stack a message speaks of, and the engine that runs it. */
interface Speaker {
  call: Pick<Call, "hidden">;
  ports: Pick<Ports, "machine" | "settings">;
}

/** A command of the running engine for this stack. */
export const stackCommand = (speaker: Speaker, ...words: readonly string[]): string => inStack(speaker, words);

/** An `up` that answers the question about an object which an interrupted run, or a lost state, has left. */
export function recoveringUp(speaker: Speaker, answer: "take" | "new", ...words: readonly string[]): string {
  const variable = settingVariable("recover");
  const { machine, settings } = speaker.ports;
  // The stack's config counts more than a variable.
  return settings.recover === "ask" || machine.env[variable] !== undefined
    ? inStack(speaker, ["up", ...words], { variables: { [variable]: answer } })
    : `${inStack(speaker, ["config", "set", settingKey("recover"), answer])} and ${inStack(speaker, ["up", ...words])}`;
}

/** Takes this resource, or that of the URN, out of the state of this stack or another, and leaves the object. */
export const forgetting = (
  { call, ports }: Speaker,
  urn = call.hidden.urn,
  stack: string | undefined = call.hidden.stack,
): string => inStack({ call: { hidden: { ...call.hidden, stack } }, ports }, ["state", "delete"], { args: [urn] });

/** Moves an entry of another stack into this one's state. */
export const movingHere = ({ call, ports }: Speaker, { stack, urn }: { stack: string; urn: string }): string =>
  quotedCommand([...engineCommand(ports.machine.env), "state", "move"], {
    args: [urn],
    flags: [
      ["--source", stack],
      ["--dest", call.hidden.stack],
    ],
  });

/** What makes an `up` replace this resource. */
export const replacing = ({ call }: Speaker): readonly [string, string] => ["--replace", call.hidden.urn];

/** Puts a live object into the state as this resource. */
export const importing = (speaker: Speaker, { kind }: ResourceSpec, name: string): string =>
  inStack(speaker, ["import", dynamicToken(kind)], { args: [resourceNameIn(speaker.call.hidden.urn), name] });

const inStack = ({ call, ports }: Speaker, words: readonly string[], rest: CommandRest = {}): string =>
  quotedCommand([...engineCommand(ports.machine.env), ...words], { ...rest, flags: [["--stack", call.hidden.stack]] });

/** Deletes an object so that its id is free again; undefined where that can never be. */
export const freeing = (spec: ResourceSpec, name: string): string | undefined =>
  spec.deletion === "forever"
    ? undefined
    : objectCommand("delete", spec, name, spec.deletion === "soft" ? [["--query", "hard=true"]] : []);

/** Calls an operation on one object. */
export function objectCommand(
  verb: "get" | "delete" | "resume",
  { kind, name: template }: ResourceSpec,
  name: string,
  options: NonNullable<CommandRest["flags"]> = [],
): string {
  const [, id = "id"] = /\{(?!account)(\w+)\}$/.exec(template) ?? [];
  const parameters = matchTemplate(template, name) ?? { account: accountOf(name) ?? "", [id]: lastSegment(name) };
  const flags = Object.entries(parameters).map(
    ([parameter, value]) => [`--${snakeCase(parameter).replaceAll("_", "-")}`, value] as const,
  );
  return quotedCommand([...ownCommand, "call", `${verb}${kind}`], { flags: [...flags, ...options] });
}
