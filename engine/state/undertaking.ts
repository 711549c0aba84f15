import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { isName } from "./layout";
import { isObject, type ResourceState } from "./resource-state";

const operations = ["state move", "stack rename", "stack rm", "stack init"] as const;

/** A command that changes more than one file, as its locks note it. */
export interface Undertaking {
  operation: (typeof operations)[number];
  from: string;
  to?: string | undefined;
  /** Of a rename from one project to another. Otherwise the stacks are of one project. */
  projects?: { from: string; to: string } | undefined;
}

/** Undefined for what this release does not know. */
export function readUndertaking(value: unknown): Undertaking | undefined {
  if (!isObject<unknown>(value)) return undefined;
  const operation = operations.find((each) => each === value["operation"]);
  const { from, to, projects } = value;
  if (operation === undefined || !isNameText(from)) return undefined;
  if (to === undefined) return { operation, from };
  if (!isNameText(to)) return undefined;
  if (projects === undefined) return { operation, from, to };
  if (!isObject<unknown>(projects) || !isNameText(projects["from"]) || !isNameText(projects["to"])) return undefined;
  return { operation, from, to, projects: { from: projects["from"], to: projects["to"] } };
}

const isNameText = (value: unknown): value is string => typeof value === "string" && isName(value);

export const isSameUndertaking = (one: Undertaking, other: Undertaking | undefined): boolean =>
  one.operation === other?.operation &&
  one.from === other.from &&
  one.to === other.to &&
  one.projects?.from === other.projects?.from &&
  one.projects?.to === other.projects?.to;

/** `state move` of dev to people */
export function describeUndertaking(undertaking: Undertaking): string {
  const { from, to } = namesIn(undertaking);
  return `\`${undertaking.operation}\` of ${from}${to === undefined ? "" : ` to ${to}`}`;
}

/** As a command takes them: by the full name where the project is not the same. */
function namesIn({ from, to, projects }: Undertaking): { from: string; to: string | undefined } {
  if (projects === undefined) return { from, to };
  return { from: `organization/${projects.from}/${from}`, to: `organization/${projects.to}/${to}` };
}

/** The command that finishes what was cut off. */
export function finishing(undertaking: Undertaking): string {
  const { operation } = undertaking;
  const { from, to = "" } = namesIn(undertaking);
  const words = [...ownCommand, ...operation.split(" ")];
  if (operation === "state move")
    return quotedCommand([...words, "--yes"], {
      flags: [
        ["--source", from],
        ["--dest", to],
      ],
    });
  if (operation === "stack rename") return quotedCommand(words, { args: [to], flags: [["--stack", from]] });
  return quotedCommand([...words, ...(operation === "stack rm" ? ["--yes"] : [])], { args: [from] });
}

/** Something else is asked for while a command that changes two files is half done. */
export class CutOffError extends Error {
  override readonly name = "CutOff";
  constructor(
    stack: string,
    readonly undertaking: Undertaking,
  ) {
    super(
      `The stack ${stack} is in the middle of ${describeUndertaking(undertaking)}, which was cut off. Run ${finishing(undertaking)}: it finishes that.`,
    );
  }
}

/**
 * In a state's entry that `state move` is about to take out: where it goes, and whether its `retainOnDelete` is the
 * state's own. The move sets that, so that no engine deletes an object which the other state already has.
 */
export interface Moving {
  stack: string;
  retained: boolean;
}

export function movingOf({ movingTo }: ResourceState): Moving | undefined {
  if (!isObject<unknown>(movingTo) || typeof movingTo["stack"] !== "string") return undefined;
  return { stack: movingTo["stack"], retained: movingTo["retained"] === true };
}

/** The move that has been cut off and left its mark in the entries of the stack `from`. */
export function moveIn(from: string, resources: readonly ResourceState[]): Undertaking | undefined {
  const moving = resources.map(movingOf).find((each) => each !== undefined);
  return moving && { operation: "state move", from, to: moving.stack };
}
