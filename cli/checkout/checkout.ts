import { isAbsolute, parse, resolve } from "node:path";
import type { Environment } from "../../io/files/user-folders";
import type { MachinePrograms } from "./program-path";
import type { Choice, ChoiceSource, TrustPolicy } from "./trust-policies";

/** The one place that decides what a command takes from the checkout that it runs in. */
export interface Checkout {
  /** Whoever started the command vouches for the checkout. */
  isTrusted: boolean;
  /** Whether `source` may choose that. */
  isAllowed(choice: Choice, source: Exclude<ChoiceSource, "trusted project">): boolean;
  /** Where programs of the machine run, and with what. */
  programs: MachinePrograms;
  /** Whether a program is one of the machine by its name: one that is named by a relative path is the checkout's. */
  isOfMachine(program: string): boolean;
}

const isOfMachine = (program: string): boolean => isAbsolute(program) || !/[\\/]/.test(program);

/** A command that is not known yet takes nothing. */
export const untrustedCheckout: Checkout = {
  isTrusted: false,
  isAllowed: () => false,
  programs: { cwd: parse(process.cwd()).root, env: {}, find: (program) => program },
  isOfMachine,
};

export function openCheckout(
  takes: TrustPolicy,
  { cwd, env }: { cwd: string; env: Environment },
  isTrusted: boolean,
): Checkout {
  const may: Checkout["isAllowed"] = (choice, source) =>
    takes[choice].includes(source) || (source === "project" && isTrusted && takes[choice].includes("trusted project"));
  // A program reads files of the folder that it runs in: the Pulumi CLI takes its backend from there.
  const choosePrograms = (): MachinePrograms =>
    may("address", "project") ? { cwd, env, find: (program) => program } : programsOfMachine(cwd, env);
  let programs: MachinePrograms | undefined;
  return {
    isTrusted,
    isAllowed: may,
    get programs() {
      return (programs ??= choosePrograms());
    },
    isOfMachine: (program) => may("program", "project") || isOfMachine(program),
  };
}

/** Every folder on the PATH is looked at, which most commands have no need of. */
function programsOfMachine(cwd: string, env: Environment): MachinePrograms {
  const { checkoutFolders, programsOutside } = require("./program-path") as typeof import("./program-path");
  return { cwd: parse(resolve(cwd)).root, ...programsOutside(checkoutFolders(cwd, env), cwd, env) };
}
