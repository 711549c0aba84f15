import type { SubjectDeclaration } from "./fates";
import type { Version } from "./kinds";

/** A live object of a subject. */
export interface Thing {
  build: Version;
  content: Version | "by hand";
  /** Tells it from an object that was there before under the same name. */
  born: number;
}

/** What the state holds of a subject under one URN. */
export interface SubjectEntry extends Thing {
  urn: string;
  object: string;
  protect: boolean;
  retain: boolean;
  adopted: boolean;
  /** Replaced, and still to be deleted. */
  condemned: boolean;
  tainted: boolean;
}

/** What a command has to have done to a subject; what is undefined is left open. */
export interface Expected {
  /** Live objects, and how many of them were live before. */
  live: number | undefined;
  kept: number | undefined;
  entries: number | undefined;
  /** Requests that changed something. */
  writes: number | undefined;
  fails: boolean | undefined;
}

export class Failure extends Error {}

export const urnOf = ({ name = "one", grouped }: SubjectDeclaration): string => (grouped ? `grouped ${name}` : name);

export const formerUrns = (declaration: SubjectDeclaration): string[] => [
  urnOf(declaration),
  ...(declaration.alias ? ["one"] : []),
];
