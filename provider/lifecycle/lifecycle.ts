import { isDeepStrictEqual } from "node:util";
import { changesBetween, type DiffAnswer, diffAnswer } from "../core/comparison/diff";
import { optionsIn, takesOption } from "../core/declaration/options";
import { type Records, recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { hasFailed, standing } from "../core/declaration/states";
import { ModelPlatformError } from "../core/errors";
import { costAboveLimit } from "../core/rules/cost-limit";
import { accountOf, lastSegment } from "../core/values/names";
import { containsUnknown } from "../core/values/unknowns";
import { changeObject } from "./changes/moves";
import { checkInputs } from "./checks/check";
import { acceptance, withDeviations } from "./comparison/acceptance";
import { refuseRemade } from "./comparison/remade";
import { refuseInPlaceOfAdopted, refuseReplacement } from "./comparison/replaceable";
import { announceRun } from "./comparison/runs";
import { announceUnseen } from "./comparison/unseen";
import { createObject } from "./creation/create";
import { leftOverText, watchLeftOver } from "./creation/left-over";
import { forget } from "./creation/send";
import { waitWithinLimit } from "./deletion/cancel";
import * as protection from "./deletion/protection";
import { removeObject } from "./deletion/remove";
import { requireSuccessor } from "./deletion/replacement";
import { giveWay } from "./deletion/succession";
import { refuseOtherEndpoint } from "./identity/endpoint";
import { settleNote } from "./identity/settle-note";
import { beginOperation, type Operation, outputsOf, requestOptions, titleOf } from "./operation/operation";
import {
  asEngineSees,
  goOn,
  hold,
  inNameOfSuccessor,
  isDeclared,
  judge,
  objectionTo,
  refuseStranger,
  successorOf,
  urnIn,
} from "./ownership/ownership";
import { initFailure } from "./patching/apply";
import type { Ports } from "./ports/ports";
import { importObject } from "./reading/import";
import { readObject } from "./reading/read";
import { afterwards, createSingleton, refuseLoosening, removeSingleton, updateSingleton } from "./singleton";
import { unchangedBy } from "./sources/digests";
import { valuesAtHand } from "./sources/secret-source";
import type { Call, ResourceLifecycle, Values } from "./types";
import { uploadChanges, uploadFiles, uploadRecord } from "./uploads/upload";
import { failureText } from "./waiting/wait";

/** The life cycle of one kind of resource. It knows no kind: everything it does, the declaration says. */
export function createLifecycle(spec: ResourceSpec, ports: Ports): ResourceLifecycle {
  /**
   * The engine knows this object: an interrupted create of it is over. Resolves to the name of
   * another one that was begun and is in no state.
   */
  async function acknowledge(call: Call, id: string, outputs: Values): Promise<string | undefined> {
    ports.memory.presented.set(call.hidden.urn, outputs);
    const former = urnIn(outputs);
    if (former !== undefined && former !== call.hidden.urn) await settleNote(ports.intents, former, id, outputs);
    return settleNote(ports.intents, call.hidden.urn, id, outputs);
  }

  async function open(
    call: Call,
    id: string,
    outputs: Values,
    verb: "create" | "update" | "delete",
    options: Values,
  ): Promise<Operation> {
    const account = String(recordsIn(outputs).accountId ?? accountOf(id));
    const operation = await beginOperation(ports, spec, call, account, verb, options);
    refuseOtherEndpoint(titleOf(operation, id), outputs, operation.objects.origin, ports.allowEndpointChange);
    return operation;
  }

  return {
    check: (call, olds, news) => checkInputs(ports, spec, call, olds, news),

    async diff(call, id, outputs, inputs) {
      const begun = await acknowledge(call, id, outputs);
      goOn(ports, call, id, outputs);
      const { origin } = await ports.objects(spec.kind, String(recordsIn(outputs).accountId ?? accountOf(id)));
      refuseOtherEndpoint(`${spec.kind} ${id}`, outputs, origin, ports.allowEndpointChange);
      // A refusal is for the program; a refresh only looks.
      if (spec.singleton && isDeclared(ports, call) && !containsUnknown(inputs))
        refuseLoosening(spec, outputs, afterwards(spec, outputs, inputs, recordsIn(outputs).managedFields), inputs);
      const changes = [
        ...changesBetween(spec, outputs, inputs, unchangedBy(await valuesAtHand(ports, inputs))),
        ...(await uploadChanges(ports.files, spec, outputs, inputs, call.signal)),
      ].map((change) => asEngineSees(ports, call, change));
      const isRefresh = !isDeclared(ports, call) && !containsUnknown(inputs);
      const answer = withDeviations(spec, call, { id, outputs, inputs, isRefresh }, diffAnswer(spec, changes, inputs));
      if (isDeclared(ports, call)) {
        refuseReplacement(spec, id, changes, inputs);
        refuseInPlaceOfAdopted(spec, id, outputs, answer);
        protection.refuseReplacement(ports, spec, call, id, outputs, changes);
        if (isUpdate(answer))
          await refuseRemade(await open(call, id, outputs, "update", inputs), outputs, outputs, inputs);
      }
      announceRun(spec, call, id, outputs, inputs, answer);
      if (isDeclared(ports, call)) announceUnseen(spec, call, changes, inputs);
      judge(ports, call, id, inputs, answer);
      if (answer.changes === false && begun !== undefined) call.reporter.warn(leftOverText(spec, begun));
      return { ...answer, found: changes };
    },

    async create(call, inputs) {
      const account = String(optionsIn(inputs).accountId ?? (await ports.defaultAccount()));
      const operation = await beginOperation(ports, spec, call, account, "create", inputs);
      return spec.singleton ? createSingleton(operation, inputs) : createObject(operation, inputs);
    },

    async read(call, id, outputs) {
      const begun = await acknowledge(call, id, outputs);
      const operation = await open(call, id, outputs, "update", outputs);
      if (begun !== undefined) await watchLeftOver(operation, begun);
      return readObject(operation, id, outputs);
    },

    import: (call, id) => importObject(spec, id, () => open(call, id, {}, "update", {})),

    async update(call, id, outputs, inputs) {
      await acknowledge(call, id, outputs);
      hold(ports, call, id, inputs);
      const operation = await open(call, id, outputs, "update", inputs);
      return spec.singleton
        ? updateSingleton(operation, id, outputs, inputs)
        : updateObject(operation, id, outputs, inputs);
    },

    async delete(given, id, outputs) {
      const call = inNameOfSuccessor(ports, given, id);
      const { urn } = call.hidden;
      const wasTaken = ports.claims.heldBy(urn) === id && !ports.memory.presented.has(urn);
      ports.memory.presented.set(urn, outputs);
      const operation = await open(call, id, outputs, "delete", outputs);
      const spared = await objectionTo(operation, id, outputs);
      if (spared) {
        if (wasTaken) await settleNote(ports.intents, urn, id, outputs);
        return call.reporter.warn(`${spared.because}, and is not deleted.${wasTaken ? replaceAgain : ""}`);
      }
      await protection.refuseDelete(operation, id, outputs);
      const retains = recordsIn(outputs).adopted === true;
      if (!retains) await requireSuccessor(ports, spec, call, id, outputs);
      const successor = successorOf(ports, call, id);
      const removal = spec.singleton
        ? removeSingleton(operation, id, outputs)
        : successor && !retains
          ? giveWay(operation, id, outputs, successor)
          : removeObject(operation, id, outputs);
      if ((await removal) === "another's") return;
      await forget(operation, id, outputs);
      if (call !== given) await forget({ ...operation, call: given }, id, outputs);
    },
  };
}

/**
 * A forced replacement comes without a comparison. Where nobody has settled the note of the create, it takes over the
 * very object that it is to replace, and learns so only from the delete.
 */
const replaceAgain = " To replace it, run `up --replace` again.";

const isUpdate = ({ changes, replaces }: DiffAnswer): boolean => changes !== false && replaces.length === 0;

/** Brings the object to what the program says, from wherever an earlier run has left it. */
async function updateObject(operation: Operation, id: string, recorded: Values, inputs: Values): Promise<Values> {
  const { spec, objects } = operation;
  const records = recordsIn(recorded);
  const kept: Partial<Records> = {
    ...(records.adopted && { adopted: true }),
    ...(records.attempts !== undefined && { attempts: records.attempts }),
    ...(records.retired && { retired: true }),
    ...uploadRecord(spec, inputs, records),
    ...acceptance(spec, recorded, inputs, recorded, recorded),
  };
  if (records.retired) return outputsOf(operation, inputs, { ...recorded, name: id }, kept);
  const found = await objects.look(id, requestOptions(operation));
  if (!found || standing(spec.lifecycle, found) === "gone") {
    throw new ModelPlatformError(`${titleOf(operation, id)} is gone`, {
      advice: "Run `refresh` to record that; the next `up` creates it again.",
    });
  }
  refuseStranger(operation, found, recorded);
  await refuseRemade(operation, recorded, found, inputs);
  let last = found;
  try {
    last = await uploadFiles(operation, inputs, found, kept.uploads ?? {});
    last = await waitUntilSettled(operation, inputs, last);
    last = await changeObject(operation, last, inputs, records);
    return await outputsOf(operation, inputs, last, { ...kept, ...acceptance(spec, recorded, inputs, found, last) });
  } catch (error) {
    const now = (await objects.find(id, requestOptions(operation)).catch(() => undefined)) ?? last;
    if (!hasBegun(error, found, now) && isDeepStrictEqual(kept.uploads, records.uploads)) throw error;
    const outputs = await outputsOf(operation, inputs, now, {
      ...kept,
      ...acceptance(spec, recorded, inputs, found, now),
    });
    throw initFailure(id, outputs, error);
  }
}

/** Whether the object has changed, or was unfinished to begin with: then the engine has to record it as it is. */
function hasBegun(error: unknown, before: Values, now: Values): boolean {
  return (
    error instanceof UnfinishedError || before["updateTime"] !== now["updateTime"] || before["state"] !== now["state"]
  );
}

/** The object never got to where the program wants it; what is recorded stays an unfinished object. */
class UnfinishedError extends ModelPlatformError {}

/** An object that an earlier run gave up waiting for is waited for first; one that failed says so again, at no cost. */
async function waitUntilSettled(operation: Operation, inputs: Values, found: Values): Promise<Values> {
  const { spec } = operation;
  const title = titleOf(operation, String(found["name"]));
  if (spec.lifecycle && hasFailed(spec.lifecycle, found))
    throw new UnfinishedError(`${title} failed: ${failureText(found)}`, {
      advice: onFailureAdvice(spec, inputs, found),
    });
  const end = await waitWithinLimit(operation, inputs, found);
  if (end.how === "reached") return end.last ?? found;
  throw new UnfinishedError(`${title} did not reach the desired state: ${end.detail}`, {
    advice:
      end.how === "failed"
        ? onFailureAdvice(spec, inputs, end.last ?? found)
        : "Run `up` again to keep waiting, or give it more time with `timeouts`.",
  });
}

function onFailureAdvice(spec: ResourceSpec, inputs: Values, failed: Values): string {
  const overBudget = costAboveLimit(spec.costLimit, inputs, failed);
  if (overBudget !== undefined)
    return `It will not be run again unchanged: ${overBudget}. Raise the limit or ask for less.`;
  const reruns = takesOption(spec, "onFailure");
  return reruns
    ? 'It is held at no cost. Correct its inputs, or set `onFailure: "rerun"` to start a new run.'
    : `Correct the program, or replace it with \`up --replace\` (${lastSegment(String(failed["name"]))}).`;
}
