import { parseRoute } from "../values/names";
import type { z } from "../zod";

/** What an operation does to the world; previews and scans may only send the first two (A001). */
export type Effect = "read" | "readViaPost" | "mintsCredential" | "write";

export type OperationProvenance = "listed" | "conventional";

/** One HTTP operation of the service, declared where the thing it works on is declared. */
export interface OperationSpec {
  /** `METHOD /path/{parameter}?query={parameter}`; `{name}` is a whole resource name. */
  route: string;
  provenance: OperationProvenance;
  /** The convention that supplies a conventional operation, or the undocumented part of a listed one. */
  convention?: string;
  /** A listed operation whose path is not shown, so that it may turn out to be another (A001). */
  assumedPath?: true;
  /** Default: `read` for GET, `write` for the rest. */
  effect?: Effect;
  /** Catalogue name, where it is not verb + kind. */
  name?: string;
  /**
   * How the message travels, where it is not the whole body: the name beside its fields (A012), wrapped
   * (A014), or another kind's deeper within (A020).
   */
  body?: {
    name?: true;
    wrap?: { id: string; message: string };
    within?: { kind: string; path: readonly string[] };
  };
  /** The body, if it is a separate message. */
  request?: z.ZodObject;
  /** The answer, where it is neither an object of the kind nor a list of them. */
  answer?: z.ZodObject;
  /** The answer is a list of the kind's objects, as that of the verb `list` is. */
  lists?: true;
  /** Objects in the answer may be another account's. */
  crossAccount?: true;
}

/** What a catalogue says of an operation besides its declaration. */
export interface OperationIdentity {
  name: string;
  effect: Effect;
  method: string;
  /** `{name}` is spelt out: a name may hold slashes. */
  path: string;
  /** Query parameters that its route shows. */
  query: readonly string[];
}

/** The operation of a kind: `createDeployment`, or `listDeployments`, unless its declaration has another name. */
export function identifyOperation(
  { kind, collection, name }: { kind: string; collection: string; name: string },
  verb: string,
  operation: OperationSpec,
): OperationIdentity {
  const { method, path, query } = parseRoute(operation.route);
  return {
    name: operation.name ?? `${verb}${verb === "list" ? capitalize(collection) : kind}`,
    effect: operation.effect ?? (method === "GET" ? "read" : "write"),
    method,
    path: path.replace("{name}", name),
    query,
  };
}

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export type Verb = "create" | "get" | "list" | "update" | "delete" | (string & {});
