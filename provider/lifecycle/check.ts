import { type CheckAnswer, type CheckFailure, check } from "../core/check";
import { isConfigurationError } from "../core/errors";
import type { ResourceSpec } from "../core/resource";
import { containsUnknown, isUnknown } from "../core/unknowns";
import { conflicts, recommendations } from "./declarations";
import { localFiles } from "./local-files";
import { declare } from "./ownership/ownership";
import { refusalAfterDiff } from "./ownership/replacement";
import { valuesFromSources } from "./sources";
import type { Call, Values } from "./types";
import type { World } from "./world";

/** Judges a program's inputs, and what can be told of them on this machine. */
export async function checkInputs(
  world: World,
  spec: ResourceSpec,
  call: Call,
  olds: Values,
  news: Values,
): Promise<CheckAnswer> {
  const accountId = news["accountId"] ?? (await world.defaultAccount());
  // Where neither says anything, nothing is written, so that the states of earlier releases stay as they are.
  const deletionProtection = news["deletionProtection"] ?? (world.deletionProtection || undefined);
  const answer = check(spec, olds, {
    ...news,
    accountId,
    ...(deletionProtection !== undefined && { deletionProtection }),
  });
  declare(world, call, olds, answer.inputs);
  const declared = { spec, call, account: accountId, olds, inputs: news };
  const missing =
    answer.failures.length > 0
      ? []
      : [...(await missingSource(world, news)), ...(await missingFiles(world, spec, news))];
  // What is recorded of an object is enough to look at it: a preview or a refresh
  // needs neither its weights nor its secrets.
  const isRecorded = world.memory.declared.get(call.hidden.urn)?.continues === true;
  const failures = [...answer.failures, ...conflicts(world, declared), ...(isRecorded ? [] : missing)];
  if (failures.length > 0) return { ...answer, failures, warnings: [] };
  const warnings = [
    ...answer.warnings,
    ...recommendations(world, declared),
    ...missing.map(({ reason }) => `${reason} Until then it counts as unchanged`),
  ];
  announceAdoption(call, olds, news);
  const refusal = await refusalAfterDiff(world, spec, call);
  if (refusal !== undefined) return { ...answer, failures: [{ property: "", reason: refusal }], warnings };
  if (!world.preflight || isUnknown(accountId)) return { ...answer, warnings };
  const judged = await world.judge({
    spec,
    account: String(accountId),
    olds,
    inputs: answer.inputs,
    signal: call.signal,
  });
  return { ...answer, failures: judged.failures, warnings: [...warnings, ...judged.warnings] };
}

/** An engine has no word for it: its preview says that the object is created. */
function announceAdoption({ reporter }: Call, olds: Values, { adopt }: Values): void {
  if (Object.keys(olds).length > 0 || (adopt !== "ifEqual" && adopt !== "overwrite")) return;
  reporter.info(
    `to be adopted if it already exists, ${adopt === "ifEqual" ? "as it is" : "and updated to match"} (\`adopt\`); created otherwise`,
  );
}

/** Files that an object is to be made of have to be there, too. */
async function missingFiles({ files }: World, spec: ResourceSpec, inputs: Values): Promise<CheckFailure[]> {
  const property = spec.uploads?.from;
  if (property === undefined || containsUnknown(inputs[property])) return [];
  try {
    await localFiles(files, spec, inputs);
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return [{ property, reason: error.message }];
  }
}

/** A value that is kept elsewhere has to be there before anything is sent, so that a preview can tell. */
async function missingSource(world: World, inputs: Values): Promise<CheckFailure[]> {
  if (containsUnknown(inputs["valueFrom"])) return [];
  try {
    await valuesFromSources(world, inputs);
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return [{ property: "valueFrom", reason: error.message }];
  }
}
