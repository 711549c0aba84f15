import { printable } from "../../../text/printable";
import type { Change, DriftReport, Finding } from "../../document";
import { comparableChanges } from "../comparable";
import { difference, type Piece } from "../difference";
import { acceptance, changeWindow, costOf, knownSince, shortName, wordIn } from "../phrases";
import { type FindingPatch, type Remedy, remediesOf } from "../remedies";
import { valueLines } from "../values";
import { adviceOn, wordings } from "../wording";

/** A finding as the page shows it: texts only, so that the script only places them. */
export interface FindingRow {
  fingerprint: string;
  verdict: string;
  title: string;
  severity: string;
  account: string;
  object: string;
  reason: string;
  accepted: boolean;
  updated: string;
  facts: [label: string, text: string][];
  changes: {
    path: string;
    severity: string;
    managed: boolean;
    recorded: readonly Piece[] | null;
    live: readonly Piece[] | null;
  }[];
  next: string;
  /** Why a person has to write some of it. */
  left: string;
  remedies: Remedy[];
}

export function rowOf(
  finding: Finding,
  report: Pick<DriftReport, "scope" | "currency">,
  patch?: FindingPatch,
): FindingRow {
  const { fingerprint, verdict, severity, account, reason, suppressed, updateTime } = finding;
  return {
    fingerprint: printable(fingerprint),
    verdict,
    title: wordings[verdict].title,
    severity,
    account: printable(account),
    object: printable(shortName(finding)),
    reason: printable(reason),
    accepted: suppressed !== undefined,
    updated: updateTime ?? "",
    facts: factsOf(finding, report.currency),
    changes: comparableChanges(finding).map(changeOf),
    next: suppressed === undefined ? adviceOn(finding).next : "",
    left: printable((patch?.left ?? []).join("; ")),
    remedies: remediesOf(finding, report, patch),
  };
}

function factsOf(finding: Finding, currency: string | undefined): [string, string][] {
  const { name, urn, stacks, origin, source, updateTime, unverified, ruleId, suppressed } = finding;
  const place = source && [source.path, source.line, source.column].filter((part) => part !== undefined).join(":");
  const facts: [string, string | null | undefined][] = [
    ["Accepted by", suppressed && acceptance(suppressed)],
    ["To accept it", wordIn(finding)],
    ["Cost", costOf(finding, currency)],
    ["Resource", name],
    ["Recorded in", stacks.join(", ")],
    ["URN", urn],
    ["Declared at", place],
    ["Cannot be compared", unverified.join(", ")],
    ["History", knownSince(finding)],
    ["When", changeWindow(finding)],
    ["Last change", updateTime],
    ["Service", origin],
    ["Rule", ruleId],
  ];
  return facts.flatMap(([label, text]) =>
    text === null || text === undefined || text === "" ? [] : [[label, printable(text)]],
  );
}

function changeOf({ path, severity, managed, recorded, live }: Change): FindingRow["changes"][number] {
  const same = { path: printable(path), severity, managed };
  if (recorded === undefined || live === undefined) {
    const whole = (value: unknown): Piece[] | null => (value === undefined ? null : [[valueLines(value), true]]);
    return { ...same, recorded: whole(recorded), live: whole(live) };
  }
  const { before, after } = difference(valueLines(recorded), valueLines(live));
  return { ...same, recorded: before, live: after };
}
