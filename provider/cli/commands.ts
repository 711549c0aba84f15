import type { Command } from "commander";
import type { CliContext } from "./context";

/**
 * What the file of a command exports. `register` adds the command with its
 * options, its action and an example to `program`.
 */
export interface CommandModule {
  register(program: Command, context: CliContext): void;
}

export interface CommandEntry {
  name: string;
  /** One line for `npx pulumi-modelplatform --help`. */
  summary: string;
  group: string;
  /** It needs all the others, so each of them is loaded. */
  needsAll?: true;
  /** Loads the file. Only the command that runs is loaded, so `--help` loads none. */
  load(): CommandModule;
}

const stacks = "Stacks (built-in engine):";
const platform = "Platform:";

export const commands: readonly CommandEntry[] = [
  {
    name: "preview",
    summary: "show what up would do",
    group: stacks,
    load: () => require("./preview") as typeof import("./preview"),
  },
  {
    name: "up",
    summary: "create, update and delete until the stack is as declared",
    group: stacks,
    load: () => require("./up") as typeof import("./up"),
  },
  {
    name: "refresh",
    summary: "update the state to match what is live",
    group: stacks,
    load: () => require("./refresh") as typeof import("./refresh"),
  },
  {
    name: "destroy",
    summary: "delete everything the stack manages",
    group: stacks,
    load: () => require("./destroy") as typeof import("./destroy"),
  },
  {
    name: "cancel",
    summary: "remove the lock of an operation that died",
    group: stacks,
    load: () => require("./cancel") as typeof import("./cancel"),
  },
  {
    name: "stack",
    summary: "list, make, select, rename and remove stacks; their outputs, history and state",
    group: stacks,
    load: () => require("./stack") as typeof import("./stack"),
  },
  {
    name: "state",
    summary: "change what a stack's state says of resources",
    group: stacks,
    load: () => require("./state") as typeof import("./state"),
  },
  {
    name: "config",
    summary: "read and write a stack's configuration",
    group: stacks,
    load: () => require("./config") as typeof import("./config"),
  },
  {
    name: "codify",
    summary: "write TypeScript or Python for live objects",
    group: platform,
    load: () => require("./codify") as typeof import("./codify"),
  },
  {
    name: "import",
    summary: "write TypeScript for objects by name",
    group: platform,
    load: () => require("./import") as typeof import("./import"),
  },
  {
    name: "drift",
    summary: "compare stacks with live accounts",
    group: platform,
    load: () => require("./drift") as typeof import("./drift"),
  },
  {
    name: "accept",
    summary: "edit the program to match what is live",
    group: platform,
    load: () => require("./accept") as typeof import("./accept"),
  },
  {
    name: "doctor",
    summary: "check what a stack or a scan needs",
    group: platform,
    load: () => require("./doctor") as typeof import("./doctor"),
  },
  {
    name: "operations",
    summary: "list the operations of the service",
    group: platform,
    load: () => require("./operations") as typeof import("./operations"),
  },
  {
    name: "call",
    summary: "call one operation",
    group: platform,
    load: () => require("./call") as typeof import("./call"),
  },
  {
    name: "probe",
    summary: "find out which conventions a service follows",
    group: platform,
    load: () => require("./probe") as typeof import("./probe"),
  },
  {
    name: "emulator",
    summary: "serve the platform's API on this machine",
    group: platform,
    load: () => require("./emulator") as typeof import("./emulator"),
  },
  {
    name: "completion",
    summary: "have a shell complete commands and flags",
    group: "This machine:",
    needsAll: true,
    load: () => require("./completion") as typeof import("./completion"),
  },
];
