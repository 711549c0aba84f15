import type { OpenRule } from "../../governance/policies/open-rule";
import { type Declared, type Objection, type PolicyContext, stackIn } from "../../governance/policies/rule";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { messageOf } from "../../provider/core/errors";
import { resourceNameIn } from "../../provider/core/fields/tokens";
import type { Redactor } from "../../provider/core/redact";
import { lastSegment } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { defined } from "../../provider/core/values/values";
import type { ScanTarget } from "../scan/accounts";
import type { FailedPolicy } from "../scan/document";
import { fingerprintOf } from "../scan/finding";
import { type Finding, redactedValue } from "../scan/finding-schema";
import type { RecordedObject } from "../scan/recorded-object";
import type { AccountAuditor } from "../scan/scan";

interface AuditOfAccount {
  target: ScanTarget;
  around: PolicyContext;
  failed: FailedPolicies;
  redactor: Redactor;
}

/** A live object, as a rule and as a finding know it. */
interface Subject {
  declared: Declared;
  kind: string;
  name: string;
  records: readonly RecordedObject[];
  updateTime: string | null;
}

/** Holds rules against the objects of an account: those about one object at once, the others at the end. */
export function accountAuditor(rules: readonly OpenRule[], audit: AuditOfAccount): AccountAuditor {
  const ofObjects = rules.filter(({ guardrail }) => !guardrail.ofStack);
  const ofAccount = rules.filter(({ guardrail }) => guardrail.ofStack);
  const keptKinds = new Set(ofAccount.flatMap(({ guardrail }) => guardrail.kinds));
  const kept: Subject[] = [];
  const findings: Finding[] = [];
  const hold = (rule: OpenRule, subjects: readonly Subject[], modelOf: PolicyContext["modelOf"]): void => {
    for (const objection of objectionsOf(rule, subjects, { ...audit, modelOf })) {
      const subject = subjects.find(({ name }) => name === objection.urn);
      findings.push(audit.redactor.value(findingOf(rule, objection, subject, audit.target)));
    }
  };
  return {
    onObject: (spec, live, records) => {
      const subject = subjectOf(spec, live, records, audit.target);
      for (const rule of ofObjects) if (rule.guardrail.kinds.includes(spec.kind)) hold(rule, [subject], undefined);
      if (keptKinds.has(spec.kind)) kept.push(subject);
    },
    findings: ({ factsOf }) => {
      for (const rule of ofAccount) {
        const subjects = kept.filter(({ kind }) => rule.guardrail.kinds.includes(kind));
        if (subjects.length > 0) hold(rule, subjects, (model) => factsOf(model) ?? {});
      }
      return findings;
    },
  };
}

function objectionsOf(
  { guardrail, config }: OpenRule,
  subjects: readonly Subject[],
  { around, failed, modelOf }: AuditOfAccount & { modelOf: PolicyContext["modelOf"] },
): Objection[] {
  try {
    const declared = subjects.map((subject) => subject.declared);
    return guardrail.objections(declared, config(), { ...around, modelOf });
  } catch (error) {
    failed.note(guardrail.name, error);
    return [];
  }
}

/** What a program would say that declares the object, as far as the service answers it and a stack records it. */
function subjectOf(
  spec: ResourceSpec,
  live: Values,
  records: readonly RecordedObject[],
  { account }: ScanTarget,
): Subject {
  const name = String(live["name"]);
  const own = records.find(({ isProduced }) => !isProduced);
  const { resourceId, message, behaviours, directives } = spec.fields;
  const unanswered = message.filter(({ markers }) => markers.inputOnly).map((field) => field.name);
  const answered = Object.entries(live).filter(([field, value]) => value !== null && !unanswered.includes(field));
  const options = [...behaviours, ...directives].flatMap((field) =>
    own?.inputs[field.name] === undefined ? [] : [[field.name, own.inputs[field.name]] as const],
  );
  const rewritten = new Set(
    behaviours.flatMap((field) => (own?.inputs[field.name] ? (field.markers.rewrites ?? []) : [])),
  );
  const given = unanswered.filter((field) => own?.outputs.managedFields?.includes(field) && !rewritten.has(field));
  const { updateTime } = live;
  return {
    ...{ kind: spec.kind, name, records },
    updateTime: typeof updateTime === "string" && updateTime !== "" ? updateTime : null,
    declared: {
      kind: spec.kind,
      name: own ? resourceNameIn(own.urn) : lastSegment(name),
      // What the rule objects to, whether it is in a stack or not.
      urn: name,
      stack: own ? stackIn(own.urn) : "",
      account,
      inputs: {
        accountId: account,
        ...(resourceId && { [resourceId.name]: lastSegment(name) }),
        ...Object.fromEntries([...answered, ...options, ...given.map((field) => [field, redactedValue] as const)]),
      },
    },
  };
}

/** `subject` is undefined where the rule objects to the account as a whole. */
function findingOf(
  { guardrail, level }: OpenRule,
  { says, level: own }: Objection,
  subject: Subject | undefined,
  { account, origin }: ScanTarget,
): Finding {
  const ruleId = `policy/${guardrail.name}`;
  const name = subject?.name ?? `accounts/${account}`;
  const first = subject?.records[0];
  return defined<Finding>({
    fingerprint: fingerprintOf(origin, name, ruleId),
    ruleId,
    verdict: "breach",
    severity: (own ?? level) === "advisory" ? "warning" : "error",
    account,
    origin,
    type: subject?.kind ?? "Account",
    name,
    urn: first?.urn ?? null,
    stacks: [...new Set((subject?.records ?? []).map(({ stack }) => stack))],
    reason: says,
    updateTime: subject?.updateTime ?? null,
    unverified: [],
    source: first?.source,
    changes: [],
  });
}

/** Policies that threw, each with its first error and how often: the audit goes on with the others. */
export class FailedPolicies {
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
