import { findObject } from "../../provider/api/confirm-deleted";
import { pages } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { unusableIn } from "../../provider/api/unusable-values";
import { derivedNames } from "../../provider/core/comparison/recorded";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isTerminal, phaseOf } from "../../provider/core/declaration/states";
import { isForbidden, isModelPlatformError, ModelPlatformError, problemOf } from "../../provider/core/errors";
import { accountOf, fillTemplate, lastSegment, matchTemplate } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import type { ScanTarget } from "../scan/accounts";
import { isDerived, type KnownObjects, knownOf, type Managed } from "../scan/unmanaged";
import { isPresent } from "../scan/verdict";

/** An object as the service answered it. */
export interface ListedObject {
  spec: ResourceSpec;
  account: string;
  /** Resource name. */
  name: string;
  fields: Values;
}

/** A collection that could not be read. */
export interface UnreadCollection {
  account: string;
  collection: string;
  status: "forbidden" | "error";
  reason: string;
}

interface LiveObjects {
  objects: ListedObject[];
  unread: UnreadCollection[];
}

/**
 * Every object of `specs` in the accounts, by list pages; a collection that fails
 * costs its own objects only. Sends reads only.
 */
export async function liveObjects(
  client: Client,
  specs: readonly ResourceSpec[],
  targets: readonly ScanTarget[],
): Promise<LiveObjects> {
  const room = { left: mostText };
  const read = await Promise.all(
    targets.flatMap((target) => specs.map((spec) => collection(client, spec, target, room))),
  );
  return { objects: read.flatMap(({ objects }) => objects), unread: read.flatMap(({ unread }) => unread) };
}

/** Characters of all responses that are kept at once: nobody would read a program for more than that. */
const mostText = 48 * 1024 * 1024;

interface Room {
  left: number;
}

async function collection(client: Client, spec: ResourceSpec, target: ScanTarget, room: Room): Promise<LiveObjects> {
  const { account, problem } = target;
  try {
    if (problem !== undefined) throw problem;
    const all = spec.singleton ? await settings(client, spec, target) : await listObjects(client, spec, target, room);
    return { objects: all.map((fields) => liveObject(spec, account, fields)), unread: [] };
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    return {
      objects: [],
      unread: [
        {
          account,
          collection: spec.collection,
          status: isForbidden(error) ? "forbidden" : "error",
          reason: error.message,
        },
      ],
    };
  }
}

const liveObject = (spec: ResourceSpec, account: string, fields: Values): ListedObject => ({
  spec,
  account,
  name: String(fields["name"]),
  fields,
});

async function listObjects(
  client: Client,
  spec: ResourceSpec,
  { account, as }: ScanTarget,
  room: Room,
): Promise<Values[]> {
  const objects: Values[] = [];
  const operation = client.catalogue.require(spec.kind, "list").name;
  // A value that no program can declare keeps out its own object alone.
  for await (const page of pages(client, operation, { parameters: { account }, as, decides: () => false })) {
    room.left -= page.size;
    if (room.left < 0)
      throw new ModelPlatformError(`was stopped: the responses together exceed ${mostText / 1024 / 1024} MB`, {
        operation,
        advice: "Give fewer accounts, or single objects with `import`.",
      });
    objects.push(...page.items);
  }
  return objects;
}

/** Settings that were never saved may be answered as missing (A060). */
async function settings(client: Client, spec: ResourceSpec, { account, as }: ScanTarget): Promise<Values[]> {
  const name = fillTemplate(spec.name, { account });
  const settings = await findObject(client, { spec, name }, { as });
  return settings ? [{ ...settings, name }] : [];
}

/** The objects of these names. One that no kind has, or that is not there, is an error. */
export async function namedObjects(
  client: Client,
  specs: readonly ResourceSpec[],
  names: readonly string[],
): Promise<ListedObject[]> {
  return Promise.all(
    names.map(async (name) => {
      const spec = specs.find((candidate) => matchTemplate(candidate.name, name));
      if (!spec)
        throw new ModelPlatformError(`${JSON.stringify(name)} names nothing that a program can declare`, {
          advice: `Names have the form ${specs.map((candidate) => `\`${candidate.name}\``).join(", ")}.`,
        });
      const value = await findObject(client, { spec, name });
      if (!value)
        throw new ModelPlatformError(`${name} does not exist`, { advice: "Check the name, and whose key this is." });
      return liveObject(spec, accountOf(name)!, { ...value, name });
    }),
  );
}

export interface OmittedObject {
  name: string;
  kind: string;
  reason: string;
}

interface CodifySelection {
  chosen: ListedObject[];
  leftOut: OmittedObject[];
}

interface SelectionOptions {
  specs: readonly ResourceSpec[];
  /** Objects that stacks manage. */
  managed?: readonly Managed[] | undefined;
  /** Declares jobs that are over, too. */
  finishedJobs?: boolean;
  /** The caller asked for these very objects: only what cannot be declared is left out. */
  named?: boolean;
}

/** The live objects to declare: those that are unmanaged, as drift has it, and that no other one of them makes. */
export function select(
  objects: readonly ListedObject[],
  { specs, managed = [], finishedJobs = false, named = false }: SelectionOptions,
): CodifySelection {
  const stacks = knownOf(managed);
  const leftOut: OmittedObject[] = [];
  const keep = (object: ListedObject, reason: string | undefined): boolean => {
    if (reason !== undefined) leftOut.push({ name: object.name, kind: object.spec.kind, reason });
    return reason === undefined;
  };
  const possible = objects.filter((object) => keep(object, ownReason(object, stacks, named || finishedJobs)));
  const known = knownOf([...managed, ...possible.map(asManaged)]);
  const chosen = named
    ? possible
    : possible.filter((object) =>
        keep(
          object,
          isDerived(specs, object.spec, object.fields, known) ? "it comes and goes with another object" : undefined,
        ),
      );
  return { chosen, leftOut };
}

function ownReason(
  { spec, name, fields }: ListedObject,
  stacks: KnownObjects,
  finishedJobs: boolean,
): string | undefined {
  const state = String(fields["state"]);
  if (stacks.objects.has(name)) return "a stack manages it";
  if (!isPresent(spec, fields)) return spec.singleton ? "nothing is set" : `it is ${state}`;
  const [unusable] = unusableIn(fields);
  if (unusable) return problemOf(unusable.error);
  if (phaseOf(spec.lifecycle, fields) === "failed")
    return `it is ${state}: a program that declares it would ask for another one`;
  return isTerminal(spec, fields) && !finishedJobs ? "it is over" : undefined;
}

const asManaged = ({ spec, name, fields }: ListedObject): Managed => ({
  spec,
  name,
  outputs: { ...fields, ...outputNamesOf(spec, name, fields) },
});

/** Names that follow from an object's own fields, by output. */
export const outputNamesOf = (
  spec: ResourceSpec,
  name: string,
  fields: ListedObject["fields"],
): Record<string, string> => derivedNames(spec, name.split("/")[1]!, lastSegment(name), fields);
