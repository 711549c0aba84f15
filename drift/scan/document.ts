import { z } from "../../provider/core/zod";
import { Count, Finding, FindingGroup, Severity, Time, Verdict } from "./finding-document";
import { runName, verdicts } from "./verdicts";

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
