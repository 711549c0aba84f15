import { accountIdOf, credentialOf, endpointOf } from "../../api/settings/credentials";
import { type CheckFailure, type CheckResult, check } from "../../core/checks/check";
import { misdirected } from "../../core/checks/references";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError } from "../../core/errors";
import { isUnknown } from "../../core/values/unknowns";
import { omitUndefined } from "../../core/values/values";
import { successorRejectionAfterDiff } from "../deletion/replacement";
import type { CallContext } from "../operation/operation";
import type { Ports } from "../ports/ports";
import type { ResourceMemory } from "../run/views";
import { absentSources } from "../sources/files";
import type { Call, Values } from "../types";
import { findConflicts, recommendations } from "./conflicts";

/**
 * Validates a program's inputs, and whatever can be checked on this machine.
 */
export async function checkInputs(
  { ports, spec, call }: CallContext,
  known: ResourceMemory,
  olds: Values,
  news: Values,
): Promise<CheckResult> {
  const accountId = optionsIn(news).accountId ?? accountIdOf(ports.settings);
  // If neither is set, nothing is written, so that states of earlier releases are unchanged.
  const deletionProtection = optionsIn(news).deletionProtection ?? (ports.settings.deletionProtection || undefined);
  const answer = check(spec, olds, {
    ...news,
    accountId,
    ...omitUndefined({ deletionProtection }),
  });
  const resource = known.check(call.hidden, olds, answer.inputs);
  const declared = { spec, call, account: accountId, olds, inputs: news };
  const { ignoreChanges = [] } = call.hidden;
  const references = misdirected({ spec, specs: ports.specs, olds, inputs: news, ignoreChanges });
  const failures = [
    ...answer.failures,
    ...references.failures,
    ...findConflicts(resource, declared),
    ...missingAccess(ports, accountId),
  ];
  if (failures.length > 0) return { ...answer, failures, warnings: [] };
  // A check cannot distinguish a preview from an update, and a preview needs neither weights nor secrets: the operation
  // that needs them fails without them.
  const absent = await absentSources(ports.machine, spec, news);
  const warnings = [
    ...answer.warnings,
    ...references.warnings,
    ...recommendations(ports, resource, declared),
    ...absent.map(
      (reason) =>
        `${reason} ${resource.hasCurrentObject ? "Until then it counts as unchanged" : "`up` needs it to create this"}`,
    ),
  ];
  announceAdoption(call, spec, olds, news);
  const successor = resource.successorInPlace;
  const refusal = successor && (await successorRejectionAfterDiff({ ports, spec, call }, successor));
  if (refusal !== undefined) return { ...answer, failures: [{ property: "", reason: refusal }], warnings };
  if (!ports.settings.preflight || ports.settings.hasUnknowns || isUnknown(accountId)) return { ...answer, warnings };
  const judged = await ports.preflight({
    spec,
    account: String(accountId),
    olds,
    inputs: answer.inputs,
    signal: call.signal,
  });
  return { ...answer, failures: judged.failures, warnings: [...warnings, ...judged.warnings] };
}

/** What is missing to reach an account: a preview of new resources sends no request, so it would not notice. */
function missingAccess({ settings }: Ports, account: unknown): CheckFailure[] {
  if (account === undefined || isUnknown(account) || settings.hasUnknowns) return [];
  try {
    endpointOf(settings, credentialOf(settings, String(account)));
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return [{ property: "", reason: error.message }];
  }
}

/** Engines have no term for adoption: their preview says that the object is created. */
function announceAdoption({ reporter }: Call, spec: ResourceSpec, olds: Values, news: Values): void {
  const { adopt } = news;
  if (Object.keys(olds).length > 0 || (adopt !== "ifEqual" && adopt !== "overwrite")) return;
  const id = spec.fields.resourceId?.name ?? "";
  if (spec.identity.default === "automatic" && news[id] === undefined)
    return reporter.warn(`\`adopt\` has no effect without \`${id}\`: what has an automatic id is never adopted.`);
  reporter.info(
    `to be adopted if it already exists, ${adopt === "ifEqual" ? "as it is" : "and updated to match"} (\`adopt\`); created otherwise`,
  );
}
