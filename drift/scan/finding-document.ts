import { z } from "../../provider/core/zod";
import { severities, verdicts } from "./verdicts";

/** A finding and its group in the report of a scan, as JSON. */

/** Verdicts of a scan; `breach` is an audit's alone. */
export const Verdict = z.enum([...verdicts, "breach"]);
export const Severity = z.enum(severities);

/** Replaces a value that must not be displayed. */
export const redactedValue = { redacted: true } as const;

export const Time = z.iso.datetime().describe("UTC.");
export const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Value = z
  .unknown()
  .describe('Any JSON; absent where the field is absent; `{"redacted": true}` where it is not to be shown.');

export const Change = z
  .object({
    path: z
      .string()
      .describe(
        'In Pulumi\'s property-path syntax; members of maps and keyed lists by their key: `annotations["custom/team"]`.',
      ),
    kind: z.enum(["changed", "added", "removed"]).describe("What happened to the live object since it was recorded."),
    recorded: Value.optional(),
    live: Value.optional(),
    severity: Severity,
    managed: z
      .boolean()
      .describe("Whether the program sets the field. Others are here because they matter whoever sets them."),
  })
  .meta({ id: "Change" });

export const Suppression = z
  .object({
    by: z.enum(["baseline", "ignore", "ignoreChanges"]),
    owner: z.string().nullable().describe("Who answers for it; null but for a baseline."),
    reason: z
      .string()
      .nullable()
      .describe(
        "Why it is accepted: the baseline's words, the pattern of the ignore file, the paths of `ignoreChanges`.",
      ),
    expires: z.string().nullable().describe("Day on which it counts again, `YYYY-MM-DD`, UTC; null: never."),
  })
  .meta({ id: "Suppression" });

const SourcePlace = z.object({
  path: z.string().describe("Relative to the program's folder."),
  line: z.int().min(1).optional(),
  column: z.int().min(1).optional(),
});

export const Dependent = z
  .object({
    type: z.string().describe("Kind, such as `DeployedModel`; of a resource of another package, its type token."),
    name: z.string().nullable().describe("Resource name; null for a resource of another package."),
    urn: z.string().nullable().describe("Of the resource that a scanned stack records; null: only the service tells."),
  })
  .meta({ id: "Dependent" });

export const Finding = z
  .object({
    fingerprint: z
      .string()
      .describe("The same in every scan for the same object: a hash of the service's base URL and the resource name."),
    ruleId: z
      .string()
      .describe(
        "What was found, as a stable id: `policy/<name>` in an audit, else `drift/<verdict>`, or one that says more: `drift/failed`, `drift/remade`, `drift/loosened`, `drift/watched`, `drift/output`, `drift/recorded-twice`.",
      ),
    verdict: Verdict,
    severity: Severity,
    account: z.string(),
    origin: z.string().describe("Base URL of the service."),
    type: z.string().describe("Kind of object, such as `Deployment`."),
    name: z.string().describe("Resource name."),
    urn: z.string().nullable().describe("Of the first stack that records it; null: none does."),
    stacks: z
      .array(z.string())
      .describe("Stacks that record it, as `organization/project/stack` or as much of that as is known."),
    reason: z.string().describe("In words."),
    owner: z.string().optional().describe("The team that owns it, by the file of `--owners`; absent where none does."),
    claimedBy: z
      .object({
        stack: z.string().describe("`organization/project/stack`."),
        urn: z.string().describe("Types and name of the resource: what follows stack and project in its URN."),
      })
      .optional()
      .describe("The resource whose an unmanaged object is, where it says so itself."),
    annotations: z
      .record(z.string(), z.string())
      .optional()
      .describe("Of the object, live or as recorded: owners may be told by them."),
    updateTime: z
      .string()
      .nullable()
      .describe("When the live object last changed; null where the service does not say, or there is none."),
    unverified: z
      .array(z.string())
      .describe(
        "Paths that cannot be compared: the service never answers them, or keeps another value than the one that was sent.",
      ),
    source: SourcePlace.optional().describe("Where the program declares it, if the state says so."),
    trace: z
      .array(SourcePlace)
      .optional()
      .describe("Where the program called what declares it, the innermost place first, if the state says so."),
    acceptDrift: z
      .string()
      .optional()
      .describe(
        "What the program gives as `acceptDrift` to accept changes of what is watched whoever sets it, as they are live now.",
      ),
    hourlyCostChange: z
      .string()
      .optional()
      .describe(
        "What the object costs per hour at the most, live, less what it costs as recorded: a decimal text in the report's `currency`. Absent where it is the same or not known, and without prices.",
      ),
    firstSeen: Time.optional().describe(
      "With `--history`: end of the scan that found it, this time: what was gone and is back begins again.",
    ),
    timesSeen: Count.min(1).optional().describe("With `--history`: scans that have seen it since, this one included."),
    changedBetween: z
      .object({
        after: Time.optional().describe("When the stack last recorded the object; absent where that is not known."),
        before: Time.optional().describe(
          "The object's `updateTime`; of one that is gone, the end of the scan that first missed it, with `--history`.",
        ),
      })
      .optional()
      .describe("When what is recorded and now differs changed, as far as that is known."),
    dependents: z
      .array(Dependent)
      .optional()
      .describe(
        "What needs the object: resources of the scanned stacks that depend on it, and objects that name it, such as the models that are loaded onto a deployment. Absent where there is nothing.",
      ),
    group: z
      .string()
      .optional()
      .describe("Id of the group that it is a member of: of several, the one that comes first in `groups`."),
    suppressed: Suppression.optional().describe("Why it does not count."),
    changes: z.array(Change),
  })
  .meta({ id: "Finding" });

export const GroupChange = Change.extend({
  various: z
    .array(z.enum(["recorded", "live"]))
    .optional()
    .describe("Sides on which the members have different values: none is given here."),
}).meta({ id: "GroupChange" });

export const FindingGroup = z
  .object({
    id: z.string().describe("The same in every scan that finds the same cause: a hash of what the members share."),
    type: z.string().nullable().describe("Kind of the objects; null where several kinds could not be read."),
    verdict: Verdict,
    ruleId: z.string().describe("Of the members; `drift/<verdict>` where they have several."),
    severity: Severity.describe("The worst of its members."),
    reason: z.string().describe("In words. `{account}` stands for each member's own account."),
    changes: z
      .array(GroupChange)
      .describe("What the members share. Values may hold `{account}`, which stands for each member's own account."),
    members: z.array(z.string()).min(2).describe("Fingerprints of the findings, the first in reading order first."),
    accounts: z.array(z.string()),
    stacks: z.array(z.string()),
    hourlyCostChange: z
      .string()
      .optional()
      .describe("Sum of what is known of its members: a decimal text in the report's `currency`."),
    dependents: Count.optional().describe("How much needs one of the objects; absent where nothing does."),
    firstSeen: z.string().optional().describe("When the first of its members was first found; with `--history`."),
    suppressed: Suppression.optional().describe("Why none of its members counts."),
  })
  .meta({ id: "FindingGroup" });

export type Verdict = z.infer<typeof Verdict>;
export type Severity = z.infer<typeof Severity>;
export type Change = z.infer<typeof Change>;
export type Suppression = z.infer<typeof Suppression>;
export type Dependent = z.infer<typeof Dependent>;
export type GroupChange = z.infer<typeof GroupChange>;
export type FindingGroup = z.infer<typeof FindingGroup>;
export type Finding = z.infer<typeof Finding>;

/** What a verdict says of an object: it differs, it could not be read, or there is nothing to do. */
type Nature = "drift" | "unknown" | "informational";

export const natureOf: Readonly<Record<Verdict, Nature>> = {
  error: "unknown",
  forbidden: "unknown",
  missing: "drift",
  retired: "informational",
  changed: "drift",
  "in-flight": "informational",
  unverifiable: "informational",
  "in-sync": "informational",
  unmanaged: "drift",
  breach: "drift",
};

/** The findings that say that something differs, and count. */
export const openDriftIn = ({ findings }: { findings: readonly Finding[] }): Finding[] =>
  findings.filter(({ verdict, suppressed }) => natureOf[verdict] === "drift" && suppressed === undefined);

/** Whether a finding is informational and needs no action: no rule says more than its verdict. */
export const isInformational = ({ ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">): boolean =>
  natureOf[verdict] === "informational" && ruleId === `drift/${verdict}`;

export const isRedacted = (value: object): boolean => "redacted" in value && value.redacted === true;

/** A copy of a JSON value that keeps only the mark of each redacted value. */
export function sealValue(value: unknown, mark: unknown = redactedValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => sealValue(entry, mark));
  if (isRedacted(value)) return mark;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sealValue(member, mark)]));
}
