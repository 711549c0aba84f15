import type { Finding } from "../scan/document";
import { placeText, type RecordedStack } from "../scan/recorded-object";
import { editsFor, isManual } from "./wishes";

/**
 * By fingerprint: the rules that `accept` has to be allowed. Findings for which it cannot edit a program are absent.
 */
export function allowancesOf(
  findings: readonly Finding[],
  stacks: readonly Pick<RecordedStack, "stack" | "sharedPlaces">[],
): Map<string, readonly string[]> {
  const shared = new Map(stacks.map(({ stack, sharedPlaces = [] }) => [stack, new Set(sharedPlaces)]));
  const isShared = ({ source, stacks: of }: Finding): boolean =>
    source !== undefined && of.some((stack) => shared.get(stack)?.has(placeText(source)));
  return new Map(
    findings
      .filter((finding) => !isShared(finding) && !isInFunction(finding))
      .flatMap((finding) => {
        const rules = rulesFor(finding);
        return rules === undefined ? [] : [[finding.fingerprint, rules] as const];
      }),
  );
}

/** The rules that all edits for a finding need; undefined if there is no edit. */
function rulesFor(finding: Finding): string[] | undefined {
  const parts = editsFor([finding], { allow: new Set(), only: [] });
  const possible = parts.filter((part) => !isManual(part) || (part.rule !== undefined && part.rule !== "secret"));
  if (possible.length === 0) return undefined;
  return [...new Set(possible.flatMap((part) => (isManual(part) ? [part.rule!] : [])))];
}

/** It is declared in a component or another function of the program, which may declare others as well. */
const isInFunction = ({ trace = [] }: Finding): boolean =>
  trace.findIndex(({ path }) => path.includes("node_modules/")) > 1;
