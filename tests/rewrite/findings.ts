import { editsFor, isManual } from "../../drift/accept/wishes";
import type { Finding } from "../../drift/scan/finding-document";
import { parsePath } from "../../provider/core/values/values";
import { specOf } from "../../provider/resources/index";
import type { Drift } from "./corpus";

/** The findings that a scan would report of the drift, one per object. */
export function findingsOf(drift: readonly Drift[]): Finding[] {
  const objects = new Map<string, Drift[]>();
  for (const each of drift) {
    const key = `${each.stack} ${each.kind} ${each.name}`;
    objects.set(key, [...(objects.get(key) ?? []), each]);
  }
  return [...objects.values()].map(findingOf);
}

function findingOf(changes: readonly Drift[]): Finding {
  const [{ stack, kind, name, what, places = [], parent }] = changes as [Drift];
  const [source, ...trace] = places.map(sourcePlace);
  const spec = specOf(kind)!;
  const type = `${parent === undefined ? "" : `${parent}$`}pulumi-nodejs:dynamic/modelplatform:${kind}`;
  const isManaged = what !== "unmanaged";
  return {
    fingerprint: `${stack}-${kind}-${name}`,
    ruleId: `drift/${what}`,
    verdict: what,
    severity: "warning",
    account: "demo",
    origin: "https://api.example.com",
    type: kind,
    name: spec.singleton ? "accounts/demo/policySettings" : `accounts/demo/${spec.collection}/${name}`,
    urn: isManaged ? `urn:pulumi:${stack}::shop::${type}::${name}` : null,
    stacks: isManaged ? [`organization/shop/${stack}`] : [],
    reason: "",
    updateTime: null,
    unverified: [],
    ...(source && { source, trace }),
    changes: changes
      .filter(({ path }) => path !== "")
      .map(({ path, recorded, live }) => {
        const top = spec.fields.message.find((field) => field.name === parsePath(path)[0]);
        return {
          path,
          kind: recorded === undefined ? "added" : live === undefined ? "removed" : "changed",
          ...(recorded !== undefined && { recorded }),
          ...(live !== undefined && { live }),
          severity: top?.markers.severity ?? "warning",
          managed: recorded !== undefined,
        };
      }),
  };
}

function sourcePlace(text: string): { path: string; line: number } {
  const [path = "", line] = text.split(":");
  return { path, line: Number(line) };
}

/** What `--allow` takes to let everything pass that these rules leave. */
export const allowing = (findings: readonly Finding[], rules: readonly string[], only: readonly string[] = []) =>
  new Set(
    editsFor(findings, { allow: new Set(), only }).flatMap((part) =>
      isManual(part) && part.allow !== undefined && rules.includes(part.rule!) ? [part.allow] : [],
    ),
  );
