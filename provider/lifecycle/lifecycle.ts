import { isDeepStrictEqual } from "node:util";
import { changesBetween, type DiffAnswer, diffAnswer } from "../core/comparison/diff";
import { type Records, recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { hasFailed, standing } from "../core/declaration/states";
import { ModelPlatformError } from "../core/errors";
import { costAboveLimit } from "../core/rules/cost-limit";
import { accountOf, lastSegment } from "../core/values/names";
import { containsUnknown } from "../core/values/unknowns";
import { changed } from "./changes/moves";
import { checkInputs } from "./checks/check";
import { acceptance, withDeviations } from "./comparison/acceptance";
import { refuseRemade } from "./comparison/remade";
import { refuseInPlaceOfAdopted, refuseReplacement } from "./comparison/replaceable";
import { announceRun } from "./comparison/runs";
import { announceUnseen } from "./comparison/unseen";
import { createObject } from "./creation/create";
import { leftOver, lookAfter } from "./creation/left-over";
import { forget } from "./creation/send";
import { waitWithinLimit } from "./deletion/cancel";
import * as protection from "./deletion/protection";
import { removeObject } from "./deletion/remove";
import { requireSuccessor } from "./deletion/replacement";
import { giveWay } from "./deletion/succession";
import { refuseOtherEndpoint } from "./identity/endpoint";
import { settleNote } from "./identity/settle-note";
import { openSession, optionsOf, outputsOf, type Session, titleOf } from "./operation/operation";
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
import { landed } from "./patching/apply";
import type { World } from "./ports/ports";
import { importObject } from "./reading/import";
import { readObject } from "./reading/read";
import { afterwards, createSingleton, refuseLoosening, removeSingleton, updateSingleton } from "./singleton";
import { unchangedBy } from "./sources/digests";
import { valuesAtHand } from "./sources/secret-source";
import type { Call, ResourceLifecycle, Values } from "./types";
import { uploadChanges, uploadFiles, uploadRecord } from "./uploads/upload";
import { failureText } from "./waiting/wait";

/** The life cycle of one kind of resource. It knows no kind: everything it does, the declaration says. */
export function createLifecycle(spec: ResourceSpec, world: World): ResourceLifecycle {
  /**
   * The engine knows this object: an interrupted create of it is over. Resolves to the name of
   * another one that was begun and is in no state.
   */
  async function present(call: Call, id: string, outputs: Values): Promise<string | undefined> {
    world.memory.presented.set(call.hidden.urn, outputs);
    const former = urnIn(outputs);
    if (former !== undefined && former !== call.hidden.urn) await settleNote(world.intents, former, id, outputs);
    return settleNote(world.intents, call.hidden.urn, id, outputs);
  }

  async function open(
    call: Call,
    id: string,
    outputs: Values,
    operation: "create" | "update" | "delete",
    options: Values,
  ): Promise<Session> {
    const account = String((outputs as Partial<Records>).accountId ?? accountOf(id));
    const session = await openSession(world, spec, call, account, operation, options);
    refuseOtherEndpoint(titleOf(session, id), outputs, session.objects.origin, world.allowEndpointChange);
    return session;
  }

  return {
    check: (call, olds, news) => checkInputs(world, spec, call, olds, news),

    async diff(call, id, outputs, inputs) {
      const begun = await present(call, id, outputs);
      goOn(world, call, id, outputs);
      const { origin } = await world.objects(
        spec.kind,
        String((outputs as Partial<Records>).accountId ?? accountOf(id)),
      );
      refuseOtherEndpoint(`${spec.kind} ${id}`, outputs, origin, world.allowEndpointChange);
      // A refusal is for the program; a refresh only looks.
      if (spec.singleton && isDeclared(world, call) && !containsUnknown(inputs))
        refuseLoosening(
          spec,
          outputs,
          afterwards(spec, outputs, inputs, (outputs as Partial<Records>).managedFields),
          inputs,
        );
      const changes = [
        ...changesBetween(spec, outputs, inputs, unchangedBy(await valuesAtHand(world, inputs))),
        ...(await uploadChanges(world.files, spec, outputs, inputs, call.signal)),
      ].map((change) => asEngineSees(world, call, change));
      const isRefresh = !isDeclared(world, call) && !containsUnknown(inputs);
      const answer = withDeviations(spec, call, { id, outputs, inputs, isRefresh }, diffAnswer(spec, changes, inputs));
      if (isDeclared(world, call)) {
        refuseReplacement(spec, id, changes, inputs);
        refuseInPlaceOfAdopted(spec, id, outputs, answer);
        protection.refuseReplacement(world, spec, call, id, outputs, changes);
        if (isUpdate(answer))
          await refuseRemade(await open(call, id, outputs, "update", inputs), outputs, outputs, inputs);
      }
      announceRun(spec, call, id, outputs, inputs, answer);
      if (isDeclared(world, call)) announceUnseen(spec, call, changes, inputs);
      judge(world, call, id, inputs, answer);
      if (answer.changes === false && begun !== undefined) call.reporter.warn(leftOver(spec, begun));
      return { ...answer, found: changes };
    },

    async create(call, inputs) {
      const account = String(inputs["accountId"] ?? (await world.defaultAccount()));
      const session = await openSession(world, spec, call, account, "create", inputs);
      return spec.singleton ? createSingleton(session, inputs) : createObject(session, inputs);
    },

    async read(call, id, outputs) {
      const begun = await present(call, id, outputs);
      const session = await open(call, id, outputs, "update", outputs);
      if (begun !== undefined) await lookAfter(session, begun);
      return readObject(session, id, outputs);
    },

    import: (call, id) => importObject(spec, id, () => open(call, id, {}, "update", {})),

    async update(call, id, outputs, inputs) {
      await present(call, id, outputs);
      hold(world, call, id, inputs);
      const session = await open(call, id, outputs, "update", inputs);
      return spec.singleton
        ? updateSingleton(session, id, outputs, inputs)
        : updateObject(session, id, outputs, inputs);
    },

    async delete(given, id, outputs) {
      const call = inNameOfSuccessor(world, given, id);
      world.memory.presented.set(call.hidden.urn, outputs);
      const session = await open(call, id, outputs, "delete", outputs);
      const spared = await objectionTo(session, id, outputs);
      if (spared) return call.reporter.warn(`${spared.because}, and is not deleted.`);
      await protection.refuseDelete(session, id, outputs);
      const retains = (outputs as Partial<Records>).adopted === true;
      if (!retains) await requireSuccessor(world, spec, call, id, outputs);
      const successor = successorOf(world, call, id);
      const removal = spec.singleton
        ? removeSingleton(session, id, outputs)
        : successor && !retains
          ? giveWay(session, id, outputs, successor)
          : removeObject(session, id, outputs);
      if ((await removal) === "another's") return;
      await forget(session, id, outputs);
      if (call !== given) await forget({ ...session, call: given }, id, outputs);
    },
  };
}

const isUpdate = ({ changes, replaces }: DiffAnswer): boolean => changes !== false && replaces.length === 0;

/** Brings the object to what the program says, from wherever an earlier run has left it. */
async function updateObject(session: Session, id: string, recorded: Values, inputs: Values): Promise<Values> {
  const { spec, objects } = session;
  const records = recordsIn(recorded);
  const kept: Partial<Records> = {
    ...(records.adopted && { adopted: true }),
    ...(records.attempts !== undefined && { attempts: records.attempts }),
    ...(records.retired && { retired: true }),
    ...uploadRecord(spec, inputs, records),
    ...acceptance(spec, recorded, inputs, recorded, recorded),
  };
  if (records.retired) return outputsOf(session, inputs, { ...recorded, name: id }, kept);
  const found = await objects.look(id, optionsOf(session));
  if (!found || standing(spec.lifecycle, found) === "gone") {
    throw new ModelPlatformError(`${titleOf(session, id)} is gone`, {
      advice: "Run `refresh` to record that; the next `up` creates it again.",
    });
  }
  refuseStranger(session, found, recorded);
  await refuseRemade(session, recorded, found, inputs);
  let last = found;
  try {
    last = await uploadFiles(session, inputs, found, kept.uploads ?? {});
    last = await settledBefore(session, inputs, last);
    last = await changed(session, last, inputs, records);
    return await outputsOf(session, inputs, last, { ...kept, ...acceptance(spec, recorded, inputs, found, last) });
  } catch (error) {
    const now = (await objects.find(id, optionsOf(session)).catch(() => undefined)) ?? last;
    if (!hasBegun(error, found, now) && isDeepStrictEqual(kept.uploads, records.uploads)) throw error;
    const outputs = await outputsOf(session, inputs, now, {
      ...kept,
      ...acceptance(spec, recorded, inputs, found, now),
    });
    throw landed(id, outputs, error);
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
async function settledBefore(session: Session, inputs: Values, found: Values): Promise<Values> {
  const { spec } = session;
  const title = titleOf(session, String(found["name"]));
  if (spec.lifecycle && hasFailed(spec.lifecycle, found))
    throw new UnfinishedError(`${title} failed: ${failureText(found)}`, {
      advice: onFailureAdvice(spec, inputs, found),
    });
  const end = await waitWithinLimit(session, inputs, found);
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
  const reruns = spec.fields.behaviours.some((field) => field.name === "onFailure");
  return reruns
    ? 'It is held at no cost. Correct its inputs, or set `onFailure: "rerun"` to start a new run.'
    : `Correct the program, or replace it with \`up --replace\` (${lastSegment(String(failed["name"]))}).`;
}
