import type { ResourceSpec } from "../../core/resource";
import { derivedNames } from "../../core/recorded";
import { lastSegment } from "../../core/names";
import { standing } from "../../core/states";
import type { LiveObject } from "./live";

export interface LeftOut {
  name: string;
  kind: string;
  reason: string;
}

export interface Selection {
  chosen: LiveObject[];
  leftOut: LeftOut[];
}

export interface SelectionOptions {
  /** Names that stacks manage. */
  managed?: ReadonlySet<string>;
  /** Declares jobs that are over, too. */
  finishedJobs?: boolean;
  /** The caller asked for these very objects: only what cannot be declared is left out. */
  named?: boolean;
}

/** The live objects to declare: those that no stack manages and that nothing else makes. */
export function select(objects: readonly LiveObject[], { managed = new Set(), finishedJobs = false, named = false }: SelectionOptions = {}): Selection {
  const reasons = new Map<LiveObject, string | undefined>();
  for (const object of objects) reasons.set(object, ownReason(object, managed, named || finishedJobs));
  const kept = objects.filter((object) => reasons.get(object) === undefined);
  const makers = named ? [] : [...kept, ...objects.filter(({ name }) => managed.has(name))];
  for (const object of kept) reasons.set(object, madeBy(object, makers));
  return {
    chosen: objects.filter((object) => reasons.get(object) === undefined),
    leftOut: objects.flatMap((object) => {
      const reason = reasons.get(object);
      return reason === undefined ? [] : [{ name: object.name, kind: object.spec.kind, reason }];
    }),
  };
}

function ownReason({ spec, name, fields }: LiveObject, managed: ReadonlySet<string>, finishedJobs: boolean): string | undefined {
  if (managed.has(name)) return "a stack manages it";
  const state = String(fields["state"]);
  switch (standing(spec.lifecycle, fields)) {
    case "gone":
      return `it is ${state}`;
    case "failed":
      return `it is ${state}: a program that declares it would ask for another one`;
    case "ready":
      return spec.produces && !finishedJobs ? "it is over" : undefined;
    default:
      return undefined;
  }
}

/** What another object makes comes and goes with it (A073, A081). */
function madeBy(object: LiveObject, makers: readonly LiveObject[]): string | undefined {
  const maker = makers.find((candidate) => candidate !== object && (isProduct(object, candidate) || isMadeWith(object, candidate)));
  return maker && `${maker.spec.kind} ${maker.name} makes it`;
}

const isProduct = ({ spec, name, fields }: LiveObject, { spec: maker, name: makerName, fields: made }: LiveObject): boolean =>
  maker.produces?.kind === spec.kind && fields[maker.produces.backReference] === makerName && namesMadeBy(maker, makerName, made)[maker.produces.name] === name;

/** Names that follow from an object's own fields, by output. */
export const namesMadeBy = (spec: ResourceSpec, name: string, fields: LiveObject["fields"]): Record<string, string> => derivedNames(spec, name.split("/")[1]!, lastSegment(name), fields);

/** A host's own content is put onto it by the service. */
const isMadeWith = ({ spec: { host }, fields }: LiveObject, { name, fields: made }: LiveObject): boolean => host !== undefined && fields[host.field] === name && fields[host.content] === made[host.own];
