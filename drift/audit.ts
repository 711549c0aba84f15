import { type OpenRule, openRules, type RuleOptions } from "../governance/policies/guardrails";
import { type Declared, type Objection, type PolicyContext, stackIn } from "../governance/policies/rule";
import { answeredSpelling } from "../provider/api/answered-spelling";
import { systemTime } from "../provider/api/time";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import { messageOf } from "../provider/core/errors";
import { resourceNameIn } from "../provider/core/pulumi-names";
import type { Redactor } from "../provider/core/redact";
import { dayOf } from "../provider/core/values/grouping";
import { lastSegment } from "../provider/core/values/names";
import { isObject, isUnknown, omitUndefined, type Values } from "../provider/core/values/values";
import type { ScanTarget } from "./scan/accounts";
import { type DriftOptions, detectDrift } from "./scan/detect";
import type { DriftReport, FailedPolicy } from "./scan/document";
import { annotationsIn, fingerprintOf, maskedFinding, withGroups } from "./scan/finding";
import { type Finding, redactedValue, type Severity, type Verdict } from "./scan/finding-document";
import type { RecordedObject } from "./scan/recorded-object";
import { withExitCode } from "./scan/result";
import type { AccountAuditor } from "./scan/scan";

export interface AuditOptions
  extends Omit<
    DriftOptions,
    "auditor" | "allRetirements" | "failOn" | "unmanaged" | "all" | "wanted" | "since" | "journal"
  > {
  /** Guardrails and their options, as a policy pack takes them. */
  rules?: RuleOptions;
  /** Severities of breaches that fail the audit. Default: `error`. */
  failOn?: readonly Severity[] | undefined;
  /** Where rules look for settings of theirs, such as prices. */
  env: { readonly [name: string]: string | undefined };
  /** The folder that relative paths of rules start from. */
  cwd: string;
}

/**
 * Holds the guardrails of policy packs against live state, in a stack or not. A drift scan does the reading: an
 * audit sends what that one would. Throws for rules that there are not, or that cannot be configured like that.
 */
export async function audit({ rules: ruleOptions, failOn, env, cwd, ...scan }: AuditOptions): Promise<DriftReport> {
  const all = openRules(ruleOptions);
  const rules = all.filter(({ level }) => level !== "disabled");
  const unconfigured = all.filter(({ isConfigured }) => !isConfigured).map(({ guardrail }) => guardrail);
  const { time = systemTime, client } = scan;
  const failed = new FailedPolicies(client.redactor);
  const context = { of: "account", day: dayOf(time.now()), env, cwd } as const;
  const report = await detectDrift({
    ...scan,
    failOn: undefined,
    allRetirements: true,
    auditor: (target) => accountAuditor(rules, { target, context, failed, redactor: client.redactor }),
  });
  const findings = report.findings.filter(({ verdict }) => auditVerdicts.has(verdict));
  const breaches = findings.filter(({ verdict }) => verdict === "breach");
  const judged = omitUndefined<DriftReport>({
    ...report,
    scope: omitUndefined({ ...report.scope, failOn: failOn && [...failOn] }),
    summary: { ...report.summary, breach: breaches.length },
    policies: rules.map(({ guardrail: { name, description }, level }) => ({ name, description, level })),
    unconfiguredPolicies: unconfigured.map(({ name, description, decision }) => ({
      ...{ name, description },
      configuration: { [name]: decision },
    })),
    // The findings of a policy that ended in an error are unknown.
    complete: report.complete && failed.all.length === 0,
    failedPolicies: failed.all.length > 0 ? failed.all : undefined,
    findings,
  });
  return withExitCode(withGroups(judged));
}

/** Breaches, and what could not be read. */
const auditVerdicts: ReadonlySet<Verdict> = new Set<Verdict>(["breach", "error", "forbidden"]);

interface AuditOfAccount {
  target: ScanTarget;
  context: PolicyContext;
  failed: FailedPolicies;
  redactor: Redactor;
}

/** A live object, as a rule and as a finding know it. */
interface Subject {
  declared: Declared;
  /** The same as the service spelled it; absent where the client read nothing into it. */
  asAnswered?: Declared | undefined;
  kind: string;
  name: string;
  records: readonly RecordedObject[];
  updateTime: string | null;
}

/** Holds rules against the objects of an account: those about one object at once, the others at the end. */
function accountAuditor(rules: readonly OpenRule[], audit: AuditOfAccount): AccountAuditor {
  const ofObjects = rules.filter(({ guardrail }) => !guardrail.ofStack);
  const ofAccount = rules.filter(({ guardrail }) => guardrail.ofStack);
  const ofMany = ofObjects.filter(({ guardrail }) => guardrail.among);
  const heldKinds = new Set(rules.flatMap(({ guardrail }) => guardrail.kinds));
  const keptKinds = new Set([...ofAccount, ...ofMany].flatMap(({ guardrail }) => guardrail.kinds));
  const kept: Subject[] = [];
  const findings: Finding[] = [];
  const hold = (rule: OpenRule, subjects: readonly Subject[], judge: Judge): void => {
    for (const objection of objectionsOf(rule, subjects, { ...audit, judge })) {
      const subject = subjects.find(({ name }) => name === objection.urn);
      const finding = maskedFinding(findingOf(rule, objection, subject, audit.target), audit.redactor);
      // An object that the service lists twice is one.
      if (!findings.some(({ fingerprint }) => fingerprint === finding.fingerprint)) findings.push(finding);
    }
  };
  const byObject: Judge = ({ guardrail }, ...held) => guardrail.objections(...held);
  const ofAbsence = ofObjects.filter(({ guardrail }) => guardrail.holdsAbsence);
  return {
    needsAll: ({ kind }) => heldKinds.has(kind),
    holdsAbsence: ({ kind }) => ofAbsence.some(({ guardrail }) => guardrail.kinds.includes(kind)),
    onAbsence: (spec, name, records) => {
      const subject = subjectOf(spec, { name }, records, audit.target);
      for (const rule of ofAbsence) if (rule.guardrail.kinds.includes(spec.kind)) hold(rule, [subject], byObject);
    },
    onObject: (spec, live, records) => {
      const subject = subjectOf(spec, live, records, audit.target);
      for (const rule of ofObjects) if (rule.guardrail.kinds.includes(spec.kind)) hold(rule, [subject], byObject);
      if (keptKinds.has(spec.kind)) kept.push(subject);
    },
    findings: ({ factsOf }) => {
      const holdAll = (rule: OpenRule, judge: Judge): void => {
        const subjects = kept.filter(({ kind }) => rule.guardrail.kinds.includes(kind));
        if (subjects.length > 0) hold(rule, subjects, judge);
      };
      const ofAll: Judge = ({ guardrail }, declared, config, context) =>
        guardrail.objections(declared, config, { ...context, modelOf: (model) => factsOf(model) ?? {} });
      for (const rule of ofAccount) holdAll(rule, ofAll);
      for (const rule of ofMany) holdAll(rule, (_, declared, config) => rule.guardrail.among!(declared, config));
      return findings;
    },
  };
}

/** Asks a rule about objects. */
type Judge = (rule: OpenRule, ...held: Parameters<OpenRule["guardrail"]["objections"]>) => Objection[];

function objectionsOf(
  rule: OpenRule,
  subjects: readonly Subject[],
  { context, failed, judge }: AuditOfAccount & { judge: Judge },
): Objection[] {
  try {
    const objectionsTo = (declared: readonly Declared[]): Objection[] => judge(rule, declared, rule.config(), context);
    const objections = objectionsTo(subjects.map(({ declared }) => declared));
    if (subjects.every(({ asAnswered }) => asAnswered === undefined)) return objections;
    // The reading of another spelling is a guess: it can make a breach, and never makes a value allowed.
    const known = new Set(objections.map(({ urn }) => urn).concat(undefined));
    const doubts = objectionsTo(subjects.map(({ declared, asAnswered = declared }) => asAnswered));
    return [...objections, ...doubts.filter(({ urn }) => !known.has(urn))];
  } catch (error) {
    failed.note(rule.guardrail.name, error);
    return [];
  }
}

function subjectOf(
  spec: ResourceSpec,
  live: Values,
  records: readonly RecordedObject[],
  { account }: ScanTarget,
): Subject {
  const name = String(live["name"]);
  const own = records.find(({ isProduced }) => !isProduced);
  const { updateTime } = live;
  const declared: Declared = {
    kind: spec.kind,
    name: own ? resourceNameIn(own.urn) : lastSegment(name),
    // What the rule objects to, whether it is in a stack or not.
    urn: name,
    stack: own ? stackIn(own.urn) : "",
    account,
    inputs: legible({ accountId: account, ...inputsOf(spec, live, own) }) as Values,
  };
  const spelling = answeredSpelling(live);
  const isRespelled = Object.keys(spelling).length > 0;
  return {
    ...{ kind: spec.kind, name, records, declared },
    updateTime: typeof updateTime === "string" && updateTime !== "" ? updateTime : null,
    asAnswered: isRespelled
      ? { ...declared, inputs: { ...declared.inputs, ...(legible(spelling) as Values) } }
      : undefined,
  };
}

/** A live value is present, with any content: what a preview calls "not known yet" is here what no rule can read. */
function legible(value: unknown): unknown {
  if (isUnknown(value)) return { unreadable: true };
  if (Array.isArray(value)) return value.map(legible);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, legible(member)]))
    : value;
}

/** What a program would say that declares the object, as far as the service answers it and a stack records it. */
function inputsOf(spec: ResourceSpec, live: Values, own: RecordedObject | undefined): Values {
  const { resourceId, message, behaviours, directives } = spec.fields;
  const unanswered = message.filter(({ markers }) => markers.inputOnly).map((field) => field.name);
  const answered = Object.entries(live).filter(([field, value]) => value !== null && !unanswered.includes(field));
  const options = [...behaviours, ...directives].flatMap((field) =>
    own?.inputs[field.name] === undefined ? [] : [[field.name, own.inputs[field.name]] as const],
  );
  const rewritten = new Set(
    behaviours.flatMap((field) => (own?.inputs[field.name] ? (field.markers.rewrites ?? []) : [])),
  );
  const declaredUnanswered = unanswered.filter(
    (field) => own?.outputs.managedFields?.includes(field) && !rewritten.has(field),
  );
  return {
    ...(resourceId && { [resourceId.name]: lastSegment(String(live["name"])) }),
    ...Object.fromEntries([
      ...answered,
      ...options,
      ...declaredUnanswered.map((field) => [field, redactedValue] as const),
    ]),
  };
}

/** `subject` is undefined where the rule objects to the account as a whole. */
function findingOf(
  { guardrail, level }: OpenRule,
  { says, level: own, isUnknown }: Objection,
  subject: Subject | undefined,
  { account, origin }: ScanTarget,
): Finding {
  const ruleId = `policy/${guardrail.name}`;
  const name = subject?.name ?? `accounts/${account}`;
  const first = subject?.records[0];
  return omitUndefined<Finding>({
    fingerprint: fingerprintOf(origin, name, ruleId),
    ruleId,
    // What a rule cannot judge is unread in every way that counts: the report is not complete.
    verdict: isUnknown ? "error" : "breach",
    severity: !isUnknown && (own ?? level) === "advisory" ? "warning" : "error",
    account,
    origin,
    type: subject?.kind ?? "Account",
    name,
    urn: first?.urn ?? null,
    stacks: [...new Set((subject?.records ?? []).map(({ stack }) => stack))],
    reason: says,
    updateTime: subject?.updateTime ?? null,
    annotations: annotationsIn(subject?.declared.inputs),
    unverified: [],
    source: first?.source,
    changes: [],
  });
}

/** Policies that threw, each with its first error and how often: the audit goes on with the others. */
class FailedPolicies {
  private readonly failures = new Map<string, FailedPolicy>();

  constructor(private readonly redactor: Pick<Redactor, "text">) {}

  note(name: string, error: unknown): void {
    const failure = this.failures.get(name);
    if (failure) failure.times += 1;
    else this.failures.set(name, { name, reason: this.redactor.text(messageOf(error)), times: 1 });
  }

  get all(): FailedPolicy[] {
    return [...this.failures.values()];
  }
}
