import type { Values } from "../../provider/core/values/values";
import type { Finding } from "../scan/finding-schema";
import type { NewStatement } from "./declare";
import type { FileChange } from "./patch";
import type { SourceLocation } from "./program";
import type { RefusedPart } from "./wishes";

/** A part of a finding that the program says once the files are changed. */
export interface AcceptedPart {
  finding: Finding;
  path?: string;
  /** Where the program says it. */
  place?: SourceLocation | undefined;
}

export interface Rewritten {
  accepted: AcceptedPart[];
  left: RefusedPart[];
  files: FileChange[];
}

/** A stack of the project that has a resource, or may have it. */
export interface Holder {
  /** Full name. */
  stack: string;
  /** The resource's inputs by the stack's state; undefined where that is not at hand. */
  inputs?: Values;
}

/** What is around the program. */
export interface ProgramSurroundings {
  /** The stacks of the project that have the resource of the finding. */
  holders(finding: Finding): readonly Holder[];
  /** Of a stack: where its config lies, and its text; undefined where there is no such file. */
  config(stack: string): { file: string; text: string | undefined };
  /** Declarations for objects that no stack manages, by resource name; the reason where there is none. */
  statements?: ReadonlyMap<string, NewStatement | string>;
}
