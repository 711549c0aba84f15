import type { CurrentUrn, DeclaredUrn, RecordedUrn } from "../../io/text/urns";
import type { ResourceNaming } from "../../protocol/autonaming";
import type { EngineEvent } from "../events";
import type { Providers } from "../providers/providers";
import type { KnownSecrets } from "../values/known-secrets";
import type { StateLedger } from "./ledger";
import type { OtherStates } from "./other-states";
import type { Scope, Targets } from "./scope";
import type { PlanEnforcer } from "./update-plan";

export type DiagnosticSeverity = "debug" | "info" | "warning" | "error";

/** What the parts of one operation share. */
export interface Context {
  readonly project: string;
  readonly stack: string;
  readonly preview: boolean;
  readonly scope: Scope;
  /** Resources that the user asks to replace. Default: none. */
  readonly replacements: Targets;
  /**
   * The purpose of running the program: `update` makes what it declares, `refresh` reads it, `destroy` deletes it all.
   * Only an update changes an object because of its declaration.
   */
  readonly purpose: "update" | "refresh" | "destroy";
  /** The program's resources are read as they are declared. */
  readonly refreshesDeclared: boolean;
  /** Resources that do not depend on a failed one continue. */
  readonly continueOnError: boolean;
  readonly planEnforcer: PlanEnforcer;
  readonly ledger: StateLedger;
  readonly decisions: Decisions;
  readonly providers: Providers;
  /** Every reader of properties registers their secrets here before anything can print them. */
  readonly secrets: KnownSecrets;
  readonly emit: (event: EngineEvent) => void;
  /** Resolves once objects may be changed and the state written; rejects with a reason that is already reported. */
  readonly permitted: () => Promise<void>;
  /** Resolves once no check that asks the service is under way: the first write waits for it. */
  readonly whenAsked: () => Promise<void>;
  /** The command that prints the declaration of a live object of this type, if there is one. */
  readonly declaring: (type: string, id: string) => readonly string[] | undefined;
  /** How the stack names a resource; undefined where its provider decides. */
  readonly namingOf: (urn: string) => ResourceNaming | undefined;
  /** What other stacks record: an object that one of them holds is neither deleted nor taken. */
  readonly otherStates: OtherStates | undefined;
  readonly clock: () => Date;
  /** Whether the operation is ending early: later failures are consequences and not reported. */
  readonly isEnding: () => boolean;
  /** Marks the operation as failed, even if all else succeeds. */
  readonly fail: () => void;
}

/** Reports a message to the user, about a resource if it has a URN. */
export function report(
  context: Pick<Context, "emit" | "clock">,
  severity: DiagnosticSeverity,
  message: string,
  urn?: string,
  more: { unchecked?: true } = {},
): void {
  context.emit({
    kind: "diagnostic",
    severity,
    message,
    urn,
    ephemeral: false,
    ...more,
    time: context.clock().getTime(),
  });
}

/** Reports an error to the user; the operation counts as failed. */
export function reportError(context: Pick<Context, "emit" | "clock" | "fail">, message: string, urn?: string): void {
  context.fail();
  report(context, "error", message, urn);
}

/** The operation's decisions so far, by URN; later ones depend on them. */
export class Decisions {
  /** Declared by the program in this run. */
  readonly declared = new Set<string>();
  /** Where in the program, such as `index.ts:3`. */
  readonly sourceLines = new Map<string, string>();
  readonly same = new Set<string>();
  readonly created = new Set<string>();
  readonly updated = new Set<string>();
  readonly replaced = new Set<string>();
  readonly read = new Set<string>();
  /** Deleted ahead of a replacement, or at the end; removed again if the program declares the resource after all. */
  readonly deleted = new Set<string>();
  /** Not planned because of a mistake in them, or in what they depend on. */
  readonly unplanned = new Set<string>();
  /** Not created because the operation excludes them. */
  readonly skipped = new Set<string>();
  private readonly formerByNew = new Map<CurrentUrn, RecordedUrn>();
  private readonly newByFormer = new Map<RecordedUrn, DeclaredUrn>();

  rename(former: RecordedUrn, urn: DeclaredUrn): void {
    this.formerByNew.set(urn, former);
    this.newByFormer.set(former, urn);
  }

  formerUrn(urn: CurrentUrn): RecordedUrn | undefined {
    return this.formerByNew.get(urn);
  }

  newUrn(former: RecordedUrn): DeclaredUrn | undefined {
    return this.newByFormer.get(former);
  }

  /** Whether a step of this run affects the resource. */
  isHandled(urn: RecordedUrn): boolean {
    const now: CurrentUrn = this.newByFormer.get(urn) ?? urn;
    return this.same.has(now) || this.updated.has(now) || this.replaced.has(now) || this.read.has(now);
  }

  /** Whether the fate of `urn` is decided, deletion included. */
  isSettled(urn: RecordedUrn): boolean {
    return this.isHandled(urn) || this.created.has(urn) || this.deleted.has(urn);
  }
}
