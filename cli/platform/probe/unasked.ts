import type { Catalogue } from "../../../provider/api/types";
import type { ProbeFinding } from "./finding";

/** What nobody can ask without changing something, or receiving a credential. */
export function unasked({ operations }: Catalogue): ProbeFinding[] {
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
