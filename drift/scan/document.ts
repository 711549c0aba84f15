import { z } from "../../provider/core/zod";
import { runName, severities, verdicts } from "./verdicts";

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

/** The report of a scan, as JSON. `drift.schema.json` of this package is made from it. */

const Coverage = {
  managed: Count.describe("Live objects that a scanned stack manages."),
  total: Count.nullable().describe(
    "These and the unmanaged ones; null where a collection could not be read, so that it is unknown.",
  ),
};

const Reading = z.enum(["read", "partial", "forbidden", "error"]);

export const CollectionReport = z
  .object({
    name: z.string().describe("Segment of resource names, such as `deployments`."),
    status: Reading,
    read: Count.describe("Objects that the service answered."),
    ...Coverage,
    requests: Count,
    problem: z.string().optional().describe("Why it could not be read."),
  })
  .meta({ id: "Collection" });

export const AccountReport = z
  .object({
    account: z.string(),
    origin: z.string(),
    status: Reading.describe("`partial`: some collections could be read, and some not."),
    requests: Count.describe("Sent to read it, repeats included. Lists of accounts are not counted."),
    collections: z.array(CollectionReport),
  })
  .meta({ id: "Account" });

const HeldPolicy = z
  .object({
    name: z.string(),
    description: z.string(),
    level: z.enum(["advisory", "mandatory", "remediate", "disabled"]).describe("How the audit enforces it."),
  })
  .meta({ id: "HeldPolicy" });

const UnconfiguredPolicy = z
  .object({
    name: z.string(),
    description: z.string(),
    configuration: z.record(z.string(), z.unknown()).describe("An example of what turns it on."),
  })
  .meta({ id: "UnconfiguredPolicy" });

export const FailedPolicy = z
  .object({ name: z.string(), reason: z.string().describe("Its first error."), times: Count })
  .meta({ id: "FailedPolicy" });

const ConcernedObject = z
  .object({
    name: z.string().describe("Resource name."),
    type: z.string().describe("Kind of object."),
    urn: z.string().nullable().describe("Of the first stack that records it; null: none does."),
    stacks: z.array(z.string()),
  })
  .meta({ id: "ConcernedObject" });

export const Retirement = z
  .object({
    model: z.string().describe("Resource name."),
    day: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .describe("Day on which its serverless deployment is taken down, `YYYY-MM-DD`."),
    severity: Severity.describe("`note`: too early for a warning."),
    objects: z.array(ConcernedObject).describe("What is made from it, directly or by way of addons."),
  })
  .meta({ id: "Retirement" });

export const DeprecatedField = z
  .object({
    type: z.string().describe("Kind of object."),
    path: z.string(),
    says: z.string().describe("What to do instead."),
    objects: z.array(ConcernedObject).describe("Whose programs set it."),
  })
  .meta({ id: "DeprecatedField" });

const Resolved = z
  .object({ fingerprint: z.string(), verdict: Verdict, type: z.string(), name: z.string() })
  .meta({ id: "Resolved" });

const UnusableResource = z
  .object({ stack: z.string(), urn: z.string(), reason: z.string().describe("In words.") })
  .meta({ id: "UnusableResource" });

export const StaleEntry = z
  .object({
    name: z.string(),
    path: z.string().optional(),
    owner: z.string(),
    reason: z.string(),
    expires: z.string(),
    why: z.enum(["expired", "unmatched", "wide", "error"]),
  })
  .meta({ id: "StaleEntry" });

const UnmatchedOwner = z
  .object({ team: z.string(), part: z.enum(["account", "stack"]), pattern: z.string() })
  .meta({ id: "UnmatchedOwner" });

export const MissingPart = z
  .object({
    part: z.enum(["shard", "account", "stack", "list"]),
    name: z.string().describe("`i/n` of a shard; name of an account or a stack; of a list, the account of its key."),
    reason: z.string().describe("In words."),
  })
  .meta({ id: "MissingPart" });

/** Of the document's form. */
export const reportVersion = 1;

export const DriftReport = z
  .object({
    schemaVersion: z.literal(reportVersion),
    tool: z.object({ name: z.string(), version: z.string() }),
    startedAt: Time,
    finishedAt: Time,
    complete: z.boolean().describe("Whether everything that was asked for could be read."),
    drifted: z
      .boolean()
      .describe("Whether a finding counts: its verdict is one of `--fail-on`, and nothing suppresses it."),
    exitCode: z.int().min(0).max(255),
    scope: z.object({
      stacks: z.array(z.string()),
      builtIn: z
        .array(z.string())
        .optional()
        .describe("Of the stacks, those whose state only the built-in engine has written."),
      accounts: z.array(z.string()),
      narrowed: z
        .boolean()
        .optional()
        .describe("Whether `--stack`, `--project` or `--account` has chosen some of what there is."),
      shard: z
        .string()
        .regex(/^[1-9]\d*\/[1-9]\d*$/)
        .optional()
        .describe("`i/n`: only the accounts of this part were read."),
      run: z
        .string()
        .regex(runName)
        .optional()
        .describe(
          "Name of the run that the scan is part of, from `--run` or the pipeline: shards of one run have one.",
        ),
      options: z
        .string()
        .optional()
        .describe(
          "Digest of the policies and flags that decide what is found and what counts: shards of one scan have one.",
        ),
      failOn: z
        .array(z.string())
        .optional()
        .describe("What counts where `--fail-on` says so: verdicts, or severities of an audit's breaches."),
      unlisted: z
        .array(z.string())
        .optional()
        .describe("Where every key was to list accounts: those whose list failed, by the account of the key."),
    }),
    summary: z
      .object(
        Object.fromEntries(verdicts.map((verdict) => [verdict, Count])) as Record<
          (typeof verdicts)[number],
          typeof Count
        >,
      )
      .extend({ breach: Count.optional().describe("Of an audit: objections of its policies.") })
      .describe("Objects by verdict, suppressed ones included."),
    coverage: z.object(Coverage),
    accounts: z.array(AccountReport),
    missing: z
      .array(MissingPart)
      .optional()
      .describe(
        "Lists of accounts that failed; of a merge, too, shards without a report, accounts that no report has read, and stacks that some shards did not know.",
      ),
    currency: z.string().optional().describe("Of the costs of findings, where prices were given."),
    policies: z.array(HeldPolicy).optional().describe("Of an audit: the policies that live objects were held against."),
    unconfiguredPolicies: z
      .array(UnconfiguredPolicy)
      .optional()
      .describe("Of an audit: policies that are off until a decision configures them."),
    failedPolicies: z
      .array(FailedPolicy)
      .optional()
      .describe("Of an audit: policies that ended in an error, and so say nothing of some objects."),
    findings: z.array(Finding),
    owners: z.array(z.string()).optional().describe("With `--owners`: every team of the file."),
    unmatchedOwners: z
      .array(UnmatchedOwner)
      .optional()
      .describe("With `--owners`, of a whole scan: patterns of its rules that match no account or stack."),
    retirements: z.array(Retirement).optional().describe("Models that are taken down, and what is made from them."),
    unreadModels: z
      .array(z.object({ model: z.string(), reason: z.string() }))
      .optional()
      .describe(
        "Models that something is made from and that could not be read: whether they are taken down is unknown.",
      ),
    deprecatedFields: z
      .array(DeprecatedField)
      .optional()
      .describe("Fields that programs set and the service has given up."),
    leftOut: Count.optional().describe(
      "With `--filter` or `--kind`: unmanaged objects that are counted in `summary` and not among the findings.",
    ),
    groups: z
      .array(FindingGroup)
      .optional()
      .describe(
        "Causes that several findings share: the same kind, field and live value, over accounts and stacks. Changes that exactly the same findings have are one group; a finding with other changes besides is a member of several. In reading order: by severity, cost, number of dependents and age.",
      ),
    unusable: z
      .array(UnusableResource)
      .optional()
      .describe("Resources of the stacks whose ids name no object, so that nothing is known of them."),
    resolved: z
      .array(Resolved)
      .optional()
      .describe("With `--since`: what the earlier report found and is found no more."),
    staleBaseline: z
      .array(StaleEntry)
      .optional()
      .describe(
        "With `--baseline`: entries that match nothing any more, whose time is over, that keep less of what they accept than they have to (`wide`), or that are of severity error without `--baseline-errors` (`error`).",
      ),
  })
  .meta({ title: "Report of modelplatform drift" });
export type CollectionReport = z.infer<typeof CollectionReport>;
export type AccountReport = z.infer<typeof AccountReport>;
export type Retirement = z.infer<typeof Retirement>;
export type DeprecatedField = z.infer<typeof DeprecatedField>;
export type FailedPolicy = z.infer<typeof FailedPolicy>;
export type StaleEntry = z.infer<typeof StaleEntry>;
export type MissingPart = z.infer<typeof MissingPart>;
export type UnmatchedOwner = z.infer<typeof UnmatchedOwner>;
export type DriftReport = z.infer<typeof DriftReport>;

/**
 * JSON Schema of the document, draft 2020-12. Readers MUST accept members that it
 * does not name: a later version may add some.
 */
export const driftSchema = (): object => z.toJSONSchema(DriftReport, { target: "draft-2020-12", io: "input" });
