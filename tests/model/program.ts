import type { Values } from "../values";
/** A program of a scenario: what it declares, in order. */

export interface Options {
  protect?: boolean;
  retainOnDelete?: boolean;
  deleteBeforeReplace?: boolean;
  replaceOnChanges?: readonly string[];
  /** Names that the declaration had before. */
  aliases?: readonly string[];
}

export interface Declaration {
  kind: string;
  name: string;
  inputs: Values;
  options: Options;
}

export type Program = readonly Declaration[];

/** What a stack is called, and its project. */
export interface StackName {
  stack: string;
  project: string;
}

const usual: StackName = { stack: "dev", project: "demo" };

export const urnOf = (kind: string, name: string, { stack, project }: StackName = usual): string =>
  `urn:pulumi:${stack}::${project}::pulumi-nodejs:dynamic/modelplatform:${kind}::${name}`;

/** The URNs that a declaration has or had. */
export const urnsOf = ({ kind, name, options }: Declaration): string[] =>
  [name, ...(options.aliases ?? [])].map((each) => urnOf(kind, each));

export const nameIn = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);

/** The same resource in a stack of another name. */
export const inStack = (urn: string, { stack, project }: StackName): string =>
  urn.replace(/^urn:pulumi:[^:]+::[^:]+::/, `urn:pulumi:${stack}::${project}::`);
