import { printable, printableJson } from "../../io/text/printable";
import type { AccountReport, DriftReport } from "../scan/document";
import { type Finding, isInformational, sealValue, type Verdict } from "../scan/finding-document";
import { adviceOn } from "./advice";
import { inReadingOrder } from "./causes";
import type { ReportContext, ReportWriter } from "./context";
import { valueText } from "./values";
import { acceptance, ownersText, readings, reportSubject, shortName, unreadOf } from "./wording";

/** Code scanning keeps no more of a run. */
const mostResults = 5000;

/**
 * For code scanning: SARIF 2.1.0. Rule ids and fingerprints stay the same from scan to
 * scan, so that an alert opens and closes once.
 */
export const sarif: ReportWriter = (report, context) => {
  const rules = rulesOf(report);
  const kept = inReadingOrder(report.findings).slice(0, mostResults);
  const run = {
    tool: { driver: { name: report.tool.name, version: report.tool.version, rules } },
    automationDetails: {
      id: `${reportSubject(report)}/${report.scope.shard === undefined ? "" : `${report.scope.shard.replace("/", "-of-")}/`}`,
    },
    invocations: [invocation(report, report.findings.length - kept.length)],
    columnKind: "utf16CodeUnits",
    properties: { groups: sealValue(report.groups ?? []) },
    results: kept.map((finding) =>
      resultOf(
        finding,
        rules.findIndex(({ id }) => id === finding.ruleId),
        context,
      ),
    ),
  };
  return `${printableJson({ $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", version: "2.1.0", runs: [run] })}\n`;
};

/** An informational finding is not an alert; SARIF gives it the level `none`. */
const kinds: Readonly<Partial<Record<Verdict, "open" | "informational" | "pass">>> = {
  retired: "informational",
  "in-flight": "open",
  unverifiable: "open",
  "in-sync": "pass",
};

/** A rule for each id among the findings, described by the verdict that it comes with. */
function rulesOf({ findings, policies = [] }: DriftReport) {
  const verdicts = new Map(findings.map(({ ruleId, verdict }) => [ruleId, verdict]));
  return [...verdicts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, verdict]) => ({
      id,
      name: nameOf(id),
      shortDescription: {
        text:
          policies.find(({ name }) => id === `policy/${name}`)?.description ??
          adviceOn({ ruleId: id, verdict }).meaning,
      },
      help: { text: adviceOn({ ruleId: id, verdict }).next },
      properties: { tags: [verdict === "breach" ? "policy" : "drift"] },
    }));
}

/** `DriftRecordedTwice` for `drift/recorded-twice`. */
const nameOf = (id: string): string =>
  id
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

function resultOf(finding: Finding, ruleIndex: number, context: ReportContext) {
  const { ruleId, verdict, severity, fingerprint, suppressed, account, origin, type, name, urn, stacks } = finding;
  const { owner, updateTime, unverified, firstSeen, timesSeen, changedBetween, changes, group, dependents } = finding;
  const kind = isInformational(finding) ? kinds[verdict] : "fail";
  return {
    ruleId,
    ruleIndex,
    kind,
    level: kind === "fail" ? severity : "none",
    message: { text: message(finding) },
    locations: locationsOf(finding, context),
    // Code scanning tells alerts apart by the first of these alone, and makes it from the line when it is not there.
    partialFingerprints: { primaryLocationLineHash: `${fingerprint}:1`, "drift/v1": fingerprint },
    suppressions:
      suppressed === undefined
        ? []
        : [
            {
              kind: suppressed.by === "ignoreChanges" ? "inSource" : "external",
              status: "accepted",
              justification: printable(acceptance(suppressed)),
            },
          ],
    provenance: firstSeen === undefined ? undefined : { firstDetectionTimeUtc: firstSeen },
    properties: {
      ...{
        verdict,
        account,
        origin,
        type,
        name,
        urn,
        stacks,
        owner,
        updateTime,
        unverified,
        timesSeen,
        changedBetween,
      },
      changes: sealValue(changes),
      group,
      dependents: dependents?.length,
    },
  };
}

function message(finding: Finding): string {
  const changes = finding.changes.map(
    ({ path, recorded, live }) => `${path}: ${valueText(recorded)} → ${valueText(live)}`,
  );
  return literal(
    [`${shortName(finding)}: ${finding.reason}`, ...changes, ownersText([finding]) ?? [], `(${finding.name})`]
      .flat()
      .map(printable)
      .join("\n"),
  );
}

/** In a message, `{0}` is a placeholder and `[text](target)` a link. */
const literal = (text: string): string => text.replace(/\{\d+\}/g, "{$&}").replaceAll("](", "] (");

/** Where the object is declared: the line if the state says so, else the project file of each stack that records it. */
function locationsOf({ source, stacks, name, type, urn }: Finding, { programs = {} }: ReportContext) {
  const folders = [
    ...new Set(
      stacks.length === 0 ? ["."] : stacks.map((stack) => (Object.hasOwn(programs, stack) ? programs[stack]! : ".")),
    ),
  ];
  const logicalLocations = [
    { fullyQualifiedName: printable(name), kind: "resource", name: printable(type) },
    ...(urn === null ? [] : [{ fullyQualifiedName: printable(urn), kind: "declaration" }]),
  ];
  return folders.map((folder, index) => {
    const declared = index === 0 ? source : undefined;
    const region = {
      startLine: declared?.line ?? 1,
      startColumn: declared?.line === undefined ? undefined : declared.column,
    };
    return {
      physicalLocation: {
        artifactLocation: { uri: uri(folder, declared?.path ?? "Pulumi.yaml"), uriBaseId: "%SRCROOT%" },
        region,
      },
      logicalLocations,
    };
  });
}

/** A path below the repository's root, as a relative URI. */
const uri = (...parts: readonly string[]): string =>
  parts
    .flatMap((part) => part.split("/"))
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..")
    .map((segment) => encodeURIComponent(printable(segment)))
    .join("/");

function invocation(report: DriftReport, leftOut: number) {
  const { startedAt, finishedAt, exitCode, accounts, complete, scope, missing = [] } = report;
  return {
    executionSuccessful: exitCode !== 1,
    exitCode,
    startTimeUtc: startedAt,
    endTimeUtc: finishedAt,
    properties: { complete, scope },
    toolExecutionNotifications: [
      ...accounts.filter(({ status }) => status !== "read").map((account) => notification(account, complete)),
      ...missing.map(({ part, name, reason }) => ({
        level: "error",
        message: { text: literal(printable(`${part} ${name} missing: ${reason}`)) },
      })),
      ...(leftOut > 0 ? [{ level: "warning", message: { text: leftOutText(leftOut) } }] : []),
    ],
  };
}

const leftOutText = (leftOut: number): string =>
  `${leftOut} more findings are left out: the ${mostResults} gravest are here, all of them in the other formats.`;

/** What could not be read, and whether the scan needed it. */
function notification(report: AccountReport, complete: boolean) {
  const { account, origin, status } = report;
  const unread = unreadOf(report).map((collection) => `${collection.name} ${readings[collection.status]}`);
  return {
    level: complete ? "note" : "error",
    message: {
      text: literal(printable(`account ${account} at ${origin}: ${[readings[status], ...unread].join(", ")}`)),
    },
  };
}
