import type { Finding } from "../scan/finding-document";
import { placeText, type RecordedStack } from "../scan/recorded-object";
import { editsFor, isManual } from "./wishes";

/**
 * By fingerprint: what `accept --allow` has to name. Findings for which it cannot edit a program are absent.
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
        const allowances = allowancesFor(finding);
        return allowances === undefined ? [] : [[finding.fingerprint, allowances] as const];
      }),
  );
}

/** What all edits for a finding need; undefined if there is no edit. */
function allowancesFor(finding: Finding): string[] | undefined {
  const parts = editsFor([finding], { allow: new Set(), only: [] });
  const possible = parts.filter((part) => !isManual(part) || (part.allow !== undefined && part.rule !== "secret"));
  if (possible.length === 0) return undefined;
  return possible.flatMap((part) => (isManual(part) ? [part.allow!] : []));
}

/** It is declared in a component or another function of the program, which may declare others as well. */
const isInFunction = ({ trace = [] }: Finding): boolean =>
  trace.findIndex(({ path }) => path.includes("node_modules/")) > 1;
