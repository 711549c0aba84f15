import { type CheckAnswer, check } from "../../core/checks/check";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError } from "../../core/errors";
import { isUnknown } from "../../core/values/unknowns";
import { refusalAfterDiff } from "../deletion/replacement";
import { declare } from "../ownership/ownership";
import type { Ports } from "../ports/ports";
import { absentSources } from "../sources/absent-sources";
import type { Call, Values } from "../types";
import { conflicts, recommendations } from "./conflicts";

/** Validates a program's inputs, and whatever can be checked on this machine. */
export async function checkInputs(
  ports: Ports,
  spec: ResourceSpec,
  call: Call,
  olds: Values,
  news: Values,
): Promise<CheckAnswer> {
  const accountId = optionsIn(news).accountId ?? (await ports.defaultAccount());
  // If neither is set, nothing is written, so that states of earlier releases are unchanged.
  const deletionProtection = optionsIn(news).deletionProtection ?? (ports.deletionProtection || undefined);
  const answer = check(spec, olds, {
    ...news,
    accountId,
    ...(deletionProtection !== undefined && { deletionProtection }),
  });
  declare(ports, call, olds, answer.inputs);
  const declared = { spec, call, account: accountId, olds, inputs: news };
  const failures = [...answer.failures, ...conflicts(ports, declared)];
  if (failures.length > 0) return { ...answer, failures, warnings: [] };
  // Nothing tells a preview from an update here, and a preview needs neither weights nor secrets: the operation that
  // needs them fails without them.
  const isRecorded = ports.memory.declared.get(call.hidden.urn)?.continues === true;
  const absent = await absentSources(ports, spec, news);
  const warnings = [
    ...answer.warnings,
    ...recommendations(ports, declared),
    ...(await missingAccess(ports, spec, accountId)),
    ...absent.map(
      (reason) => `${reason} ${isRecorded ? "Until then it counts as unchanged" : "`up` needs it to create this"}`,
    ),
  ];
  announceAdoption(call, olds, news);
  const refusal = await refusalAfterDiff(ports, spec, call);
  if (refusal !== undefined) return { ...answer, failures: [{ property: "", reason: refusal }], warnings };
  if (!ports.preflight || isUnknown(accountId)) return { ...answer, warnings };
  const judged = await ports.judge({
    spec,
    account: String(accountId),
    olds,
    inputs: answer.inputs,
    signal: call.signal,
  });
  return { ...answer, failures: judged.failures, warnings: [...warnings, ...judged.warnings] };
}

/**
 * What is missing to reach an account, once for each: a preview of what is new asks nothing, and would tell nothing of
 * it.
 */
async function missingAccess({ objects, memory }: Ports, spec: ResourceSpec, account: unknown): Promise<string[]> {
  if (isUnknown(account) || memory.checked.has(String(account))) return [];
  memory.checked.add(String(account));
  try {
    await objects(spec.kind, String(account));
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    // What to do is the error's to say, so that an `up` says it once.
    const problem = error.message.replace(error.advice ?? "", "").replace(/[.\s]+$/, "");
    return [`${problem}: \`up\` fails without it, and \`doctor\` says where it belongs`];
  }
}

/** Engines have no term for adoption: their preview says that the object is created. */
function announceAdoption({ reporter }: Call, olds: Values, { adopt }: Values): void {
  if (Object.keys(olds).length > 0 || (adopt !== "ifEqual" && adopt !== "overwrite")) return;
  reporter.info(
    `to be adopted if it already exists, ${adopt === "ifEqual" ? "as it is" : "and updated to match"} (\`adopt\`); created otherwise`,
  );
}
