import type { Asker } from "./asker";
import { type ProbeFinding, settingsFrom } from "./finding";

/** Whether this package works with a service. */
export interface Fit {
  verdict: "fits" | "fits with these settings" | "does not fit";
  /** Why it does not: a sentence for each reason. */
  reasons: string[];
}

/** What the findings come to. What could not be asked does not count against a service. */
export function fitOf(asker: Asker, findings: readonly ProbeFinding[]): Fit {
  const reasons = [
    ...findings.flatMap(({ asked, blocks }) => (blocks === undefined ? [] : [`\`${asked}\` ${blocks}.`])),
    ...unseen(asker, findings),
  ];
  if (reasons.length > 0) return { verdict: "does not fit", reasons };
  return { verdict: isConfigured(findings) ? "fits with these settings" : "fits", reasons };
}

/** A setting that only saves requests is not needed. */
const isConfigured = (findings: readonly ProbeFinding[]): boolean =>
  Object.entries(settingsFrom(findings)).some(([, text]) => text !== "honored");

/** Kinds that move by themselves, and that neither a read nor a list shows: nobody sees when they are ready. */
function unseen({ catalogue }: Asker, findings: readonly ProbeFinding[]): string[] {
  const off = new Set(findings.flatMap(({ operations = {} }) => Object.keys(operations)));
  return catalogue.specs
    .filter(({ lifecycle, operations }) => lifecycle !== undefined && operations["create"] !== undefined)
    .filter(({ kind }) =>
      ["get", "list"].every((verb) => {
        const operation = catalogue.find(kind, verb);
        return operation === undefined || off.has(operation.name);
      }),
    )
    .map(({ kind }) => `A ${kind} can be neither read nor listed, so that nothing shows when it is ready.`);
}
