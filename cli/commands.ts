import type { Command } from "commander";
import type { CliContext } from "./command/context";
import { stackGroup } from "./command/help";

/**
 * What the file of a command exports. `register` adds the command with its
 * options, its action and an example to `program`.
 */
interface CommandModule {
  register(program: Command, context: CliContext): void;
  /** Refuses a line that makes no sense, before anything begins. */
  check?(command: Command): void;
}

export interface CommandEntry {
  name: string;
  /** One line for `npx pulumi-modelplatform --help`. */
  summary: string;
  group: string;
  /** What it does first, where that takes a compiler, a program or the network. */
  startMessage?: string;
  /** The same of commands below it that begin otherwise, by name. */
  partMessages?: Readonly<Record<string, string>>;
  /** Loads the file. Only the command that runs is loaded, so `--help` loads none. */
  load(): CommandModule;
}

const live = "What is live:";
const service = "The service:";
const developers = "For developers:";

const readsProject = "Reading the project and the state of its stack";
const readsStates = "Reading what stacks record";
const readsReports = "Reading the reports";

const operations = () => require("./operation/commands") as typeof import("./operation/commands");

export const commands: readonly CommandEntry[] = [
  {
    name: "preview",
    summary: "show what up would do",
    group: stackGroup,
    startMessage: readsProject,
    load: () => operations().preview,
  },
  {
    name: "review",
    summary: "write what previews say as a comment for reviewers",
    group: stackGroup,
    load: () => require("./operation/review") as typeof import("./operation/review"),
  },
  {
    name: "up",
    summary: "create, update and delete until the stack is as declared",
    group: stackGroup,
    startMessage: readsProject,
    load: () => operations().up,
  },
  {
    name: "refresh",
    summary: "update the state to match the live state",
    group: stackGroup,
    startMessage: readsProject,
    load: () => operations().refresh,
  },
  {
    name: "destroy",
    summary: "delete everything the stack manages",
    group: stackGroup,
    startMessage: readsProject,
    load: () => operations().destroy,
  },
  {
    name: "cancel",
    summary: "remove the lock of an operation that died",
    group: stackGroup,
    load: () => operations().cancel,
  },
  {
    name: "new",
    summary: "copy an example as a project",
    group: stackGroup,
    load: () => require("./stack/new") as typeof import("./stack/new"),
  },
  {
    name: "stack",
    summary: "list, make, select, rename and remove stacks; their outputs, history and state",
    group: stackGroup,
    load: () => require("./stack/stack") as typeof import("./stack/stack"),
  },
  {
    name: "state",
    summary: "change what a stack's state says of resources",
    group: stackGroup,
    load: () => require("./stack/state") as typeof import("./stack/state"),
  },
  {
    name: "config",
    summary: "read and write a stack's configuration",
    group: stackGroup,
    load: () => require("./stack/config") as typeof import("./stack/config"),
  },
  {
    name: "codify",
    summary: "write TypeScript or Python for live objects",
    group: live,
    startMessage: readsStates,
    load: () => require("./drift/codify") as typeof import("./drift/codify"),
  },
  {
    name: "import",
    summary: "take live objects into the stack's state",
    group: stackGroup,
    startMessage: readsProject,
    load: () => require("./operation/import") as typeof import("./operation/import"),
  },
  {
    name: "drift",
    summary: "compare stacks with live accounts",
    group: live,
    startMessage: readsStates,
    partMessages: { merge: readsReports, history: "Reading the history" },
    load: () => require("./drift/drift") as typeof import("./drift/drift"),
  },
  {
    name: "audit",
    summary: "hold policies against live state",
    group: live,
    startMessage: readsStates,
    partMessages: { merge: readsReports },
    load: () => require("./drift/audit") as typeof import("./drift/audit"),
  },
  {
    name: "cost",
    summary: "say what a preview, a stack or live accounts cost",
    group: live,
    startMessage: readsStates,
    load: () => require("./platform/cost") as typeof import("./platform/cost"),
  },
  {
    name: "accept",
    summary: "edit the program to match the live state",
    group: live,
    startMessage: readsStates,
    load: () => require("./drift/accept/accept") as typeof import("./drift/accept/accept"),
  },
  {
    name: "doctor",
    summary: "check what a stack or a scan needs",
    group: service,
    startMessage: "Asking the service",
    load: () => require("./platform/doctor/doctor") as typeof import("./platform/doctor/doctor"),
  },
  {
    name: "call",
    summary: "call one operation of the service, or list them",
    group: service,
    startMessage: "Asking the service",
    load: () => require("./platform/call") as typeof import("./platform/call"),
  },
  {
    name: "probe",
    summary: "find out which conventions a service follows",
    group: service,
    startMessage: "Asking the service",
    load: () => require("./platform/probe/probe") as typeof import("./platform/probe/probe"),
  },
  {
    name: "emulator",
    summary: "serve the platform's API on this machine",
    group: developers,
    load: () => require("./platform/emulator") as typeof import("./platform/emulator"),
  },
];
