import type { Catalogue, Override } from "../../../provider/api/types";
import { omitUndefined } from "../../../provider/core/values/values";

/** What came of one question. */
export type ProbeVerdict = "holds" | "differs" | "unknown" | "not probed";

export interface ProbeFinding {
  /** Number of the convention, such as `A015`; `listed` for what the API's description says itself. */
  convention: string;
  asked: string;
  answered: string;
  /** The service's own words about it. */
  said?: string | undefined;
  verdict: ProbeVerdict;
  /** The setting or option that makes up for a difference, or that a person has to decide on. */
  knob?: string | undefined;
  /** Why this package cannot work with such a service, whatever is set: the end of a sentence about the question. */
  blocks?: string | undefined;
  /** The object that the question created, where the service did not keep to `validateOnly`. */
  created?: string;
  /** What the answer says about creates with `validateOnly`. */
  validateOnly?: "honored" | "ignored";
  /** What to set for an operation, as far as an answer can tell. */
  operations?: Readonly<Record<string, Override>>;
}

/** The verdict of an answer that tells whether a convention holds, or undefined where it does not tell. */
export const verdictOf = (holds: boolean | undefined): ProbeVerdict => {
  if (holds === undefined) return "unknown";
  return holds ? "holds" : "differs";
};

/** Settings by config key, each as the text that a stack's config keeps. */
export function settingsFrom(findings: readonly ProbeFinding[]): Record<string, string> {
  const operations = Object.assign({}, ...findings.map((finding) => finding.operations ?? {})) as Record<
    string,
    Override
  >;
  const validateOnly = findings.find((finding) => finding.validateOnly !== undefined)?.validateOnly;
  return omitUndefined({
    "modelplatform:operations": Object.keys(operations).length > 0 ? JSON.stringify(operations) : undefined,
    "modelplatform:validateOnly": validateOnly,
  });
}

/** What nobody can ask without changing something, or receiving a credential. */
export function unprobedFindings({ operations }: Catalogue): ProbeFinding[] {
  const silent = operations.filter(
    ({ effect, provenance }) => provenance === "conventional" && effect !== "read" && effect !== "readViaPost",
  );
  const conventions = [...new Set(silent.map(({ convention = "A001" }) => convention))].sort();
  const answered = "not probed: would write";
  return [
    {
      convention: "A030",
      asked: "masks of updates are honoured, in snake case",
      answered,
      verdict: "not probed",
      knob: "updateMask, patchBody",
    },
    ...conventions.map((convention): ProbeFinding => {
      const named = silent
        .filter((operation) => (operation.convention ?? "A001") === convention)
        .map(({ name }) => name);
      return {
        convention,
        asked: named.length > 3 ? `${named.slice(0, 2).join(", ")} and ${named.length - 2} more` : named.join(", "),
        answered,
        verdict: "not probed",
        knob: "operations",
      };
    }),
  ];
}
