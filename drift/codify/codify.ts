import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { ScanTarget } from "../scan/accounts";
import type { ObjectSelection } from "../scan/selection";
import type { Managed } from "../scan/unmanaged";
import { declare, type GeneratedDeclaration, type SecretFromConfig, type Split, UniqueNames } from "./declarations";
import { type ImportDocument, type ImportStack, importDocument } from "./import-document";
import { liveObjects, namedObjects, type OmittedObject, select, type UnreadCollection } from "./live-objects";
import { type AdoptionMode, type ProgramFiles, type ProgramTarget, programFiles, pythonFiles } from "./program-text";

interface CodifyRequest {
  client: Client;
  specs: readonly ResourceSpec[];
  /** Accounts to read if there are no names. */
  targets: readonly ScanTarget[];
  /** These objects and no others, by resource name. */
  names?: readonly string[] | undefined;
  mode: AdoptionMode;
  /** Default: `dynamic`. */
  target?: ProgramTarget;
  split: Split;
  /** Objects that stacks manage. */
  managed?: readonly Managed[];
  finishedJobs?: boolean;
  /** Of the objects that would be declared, only these. */
  selection?: ObjectSelection | undefined;
  /** Chooses the names of declarations. Default: every name is free. */
  uniqueNames?: UniqueNames;
  /** Where to import into, in mode `import`. */
  stack?: ImportStack | undefined;
}

/** A program for live objects, and what there is to know about it. */
export interface CodifyResult {
  files: ProgramFiles;
  /** In mode `import`: what Pulumi is to record before the program runs. */
  importDocument?: ImportDocument;
  /** In the order of the program. */
  declarations: GeneratedDeclaration[];
  config: SecretFromConfig[];
  /** Live objects that the service answered. */
  read: number;
  leftOut: OmittedObject[];
  /** How many objects the filter leaves out. */
  filtered: number;
  unread: UnreadCollection[];
}

/** Declares live objects in TypeScript or Python. Sends reads only. */
export async function codify(request: CodifyRequest): Promise<CodifyResult> {
  const { client, specs, names, targets, mode, target = "dynamic" } = request;
  const named = names !== undefined;
  const { objects, unread } = named
    ? { objects: await namedObjects(client, specs, names), unread: [] }
    : await liveObjects(client, specs, targets);
  const { chosen: possible, leftOut } = select(objects, {
    specs,
    named,
    managed: request.managed,
    finishedJobs: request.finishedJobs === true,
  });
  const { selection } = request;
  const chosen = selection ? possible.filter(({ spec, fields }) => selection.has(spec, fields)) : possible;
  const owners = [...new Set(chosen.map(({ account }) => account))].sort();
  const split = request.split === "account" && owners.length < 2 ? "none" : request.split;
  const { uniqueNames = new UniqueNames() } = request;
  const providers = new Map(
    isPlain(client, owners)
      ? []
      : owners.map((account) => [account, uniqueNames.variable(account, `${account}-provider`)] as const),
  );
  const declared = declare(chosen, split, uniqueNames);
  const { declarations } = declared;
  const stack = request.stack && { ...request.stack, byPlugin: target !== "dynamic" };
  const document =
    mode === "import" && stack
      ? { importDocument: importDocument(declarations, stack, client.settings, providers) }
      : {};
  return {
    files:
      target === "python"
        ? pythonFiles(declarations, { mode, providers })
        : programFiles(declarations, { mode, target, providers }),
    ...document,
    declarations,
    config: declarations.flatMap(({ config }) => config),
    read: objects.length,
    leftOut: [...leftOut, ...declared.leftOut],
    filtered: possible.length - chosen.length,
    unread,
  };
}

/** Objects of the default account alone need no provider of their own. */
const isPlain = ({ settings }: Client, accounts: readonly string[]): boolean =>
  accounts.every((account) => account === settings.accountId);
