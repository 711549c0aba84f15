import { changesBetween, type DiffAnswer, diffAnswer } from "../core/comparison/diff";
import { optionsIn } from "../core/declaration/options";
import { isNew, recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { accountOf } from "../core/values/names";
import { containsUnknown } from "../core/values/unknowns";
import { updateObject } from "./changes/update";
import { checkInputs } from "./checks/check";
import { reportSetBack, withDeviations } from "./comparison/acceptance";
import { changesIfForeign } from "./comparison/foreign-object";
import { acknowledgeRecreated, refuseRecreated } from "./comparison/recreated";
import { refuseInPlaceOfAdopted, refuseReplacement } from "./comparison/replaceable";
import { announceRun } from "./comparison/runs";
import { announceUnseen } from "./comparison/unseen";
import { createObject } from "./creation/create";
import { leftOverText, watchLeftOver } from "./creation/left-over";
import * as protection from "./deletion/protection";
import { knownRefusal } from "./deletion/refusal";
import { removeObject } from "./deletion/remove";
import { requireSuccessor } from "./deletion/replacement";
import { removeAfterSuccessor } from "./deletion/succession";
import { refuseOtherEndpoint } from "./identity/endpoint";
import { beginOperation, type ResourceOperation, titleOf } from "./operation/operation";
import { recordedIdentity, writeAnswered, writeHeld } from "./ownership/facts";
import {
  asEngineSees,
  continueWith,
  hold,
  isDeclared,
  isRecreated,
  learnFromDiff,
  objectionTo,
  successorOf,
  underCurrentUrn,
} from "./ownership/ownership";
import type { Ports } from "./ports/ports";
import { importObject } from "./reading/import";
import { readObject } from "./reading/read";
import {
  afterwards,
  createSingleton,
  otherStacksWith,
  planRemoval,
  refuseLoosening,
  removeSingleton,
  updateSingleton,
} from "./singleton";
import { unchangedBy } from "./sources/digests";
import { readingOnce, valuesAtHand } from "./sources/secret-source";
import type { Call, ResourceLifecycle, Values } from "./types";
import { uploadChanges } from "./uploads/upload";

/** The life cycle of one kind of resource. It knows no kind: everything it does, the declaration says. */
export function createLifecycle(spec: ResourceSpec, ports: Ports): ResourceLifecycle {
  /** A state holds this object. Resolves to the name of another one that was begun, and that no state holds. */
  function acknowledge(call: Call, id: string, outputs: Values): Promise<string | undefined> {
    ports.memory.presented.set(call.hidden.urn, outputs);
    return writeHeld(ports.journal, call.hidden, spec, id, outputs, ports.clock.now());
  }

  async function open(
    call: Call,
    id: string,
    outputs: Values,
    verb: "create" | "update" | "delete",
    options: Values,
  ): Promise<ResourceOperation> {
    const account = String(recordsIn(outputs).accountId ?? accountOf(id));
    const operation = await beginOperation(ports, spec, call, account, verb, options);
    refuseOtherEndpoint(titleOf(operation, id), outputs, operation.objects.origin, ports.allowEndpointChange);
    return operation;
  }

  return {
    async check(call, olds, news) {
      const answer = await checkInputs(readingOnce(ports), spec, call, olds, news);
      if (!spec.singleton || !isNew(olds) || containsUnknown(news)) return answer;
      return {
        ...answer,
        warnings: [...answer.warnings, ...(await otherStacksWith(ports, spec, call, news).catch(() => []))],
      };
    },

    async diff(call, id, outputs, inputs) {
      // What a refresh compares was read a moment ago: no state holds it yet.
      const leftOver = isDeclared(ports, call) ? await acknowledge(call, id, outputs) : undefined;
      continueWith(ports, call, id, outputs);
      const { origin } = await ports.objects(spec.kind, String(recordsIn(outputs).accountId ?? accountOf(id)));
      refuseOtherEndpoint(`${spec.kind} ${id}`, outputs, origin, ports.allowEndpointChange);
      // Only a program is refused; a refresh just reads.
      if (spec.singleton && isDeclared(ports, call) && !containsUnknown(inputs))
        refuseLoosening(spec, outputs, afterwards(spec, outputs, inputs, recordsIn(outputs).managedFields), inputs);
      const changes = [
        ...changesBetween(spec, outputs, inputs, unchangedBy(await valuesAtHand(ports, inputs))),
        ...(await uploadChanges(ports.files, spec, outputs, inputs, call.signal)),
      ].map((change) => asEngineSees(ports, call, change));
      const begin = () => open(call, id, outputs, "update", inputs);
      const lost = await changesIfForeign({ ports, spec, call }, id, outputs, inputs, begin);
      const isRefresh = !isDeclared(ports, call) && !containsUnknown(inputs);
      const found = [...changes, ...lost];
      const answer = withDeviations(spec, call, { id, outputs, inputs, isRefresh }, diffAnswer(spec, found, inputs));
      if (isDeclared(ports, call) && lost.length === 0) {
        refuseReplacement(spec, id, changes, inputs);
        refuseInPlaceOfAdopted(spec, id, outputs, answer);
        protection.refuseReplacement(ports, spec, call, id, outputs, changes);
        const seen = { ...outputs, name: id };
        if (isUpdate(answer) && isRecreated(spec, outputs, seen) && !containsUnknown(inputs))
          await refuseRecreated(await begin(), outputs, seen, inputs);
      }
      announceRun(spec, call, id, outputs, inputs, answer);
      if (isDeclared(ports, call)) announceUnseen(spec, call, changes, inputs);
      learnFromDiff(ports, call, id, inputs, answer);
      if (answer.changes === false && leftOver !== undefined) call.reporter.warn(leftOverText(spec, leftOver));
      return { ...answer, found };
    },

    async create(call, inputs) {
      const account = String(optionsIn(inputs).accountId ?? (await ports.defaultAccount()));
      const operation = await beginOperation(ports, spec, call, account, "create", inputs);
      return operation.objects.concurrency.during(() =>
        spec.singleton ? createSingleton(operation, inputs) : createObject(operation, inputs),
      );
    },

    async read(call, id, outputs) {
      const leftOver = await acknowledge(call, id, outputs);
      const operation = await open(call, id, outputs, "update", outputs);
      if (leftOver !== undefined) await watchLeftOver(operation, leftOver);
      const found = await readObject(operation, id, outputs);
      return found && acknowledgeRecreated(operation, outputs, id, found);
    },

    import: (call, id) => importObject(spec, id, () => open(call, id, {}, "update", {})),

    async update(call, id, outputs, inputs) {
      await acknowledge(call, id, outputs);
      hold(ports, call, id, inputs);
      const operation = await open(call, id, outputs, "update", inputs);
      const updated = await operation.objects.concurrency.during(() =>
        spec.singleton ? updateSingleton(operation, id, outputs, inputs) : updateObject(operation, id, outputs, inputs),
      );
      reportSetBack(spec, call, outputs, updated);
      return updated;
    },

    async delete(given, id, outputs) {
      const call = underCurrentUrn(ports, given, id);
      const { urn } = call.hidden;
      const wasTaken = ports.claims.heldBy(urn) === id && !ports.memory.presented.has(urn);
      ports.memory.presented.set(urn, outputs);
      const operation = await open(call, id, outputs, "delete", outputs);
      const objection = await objectionTo(operation, id, outputs);
      if (objection) {
        if (wasTaken) await writeHeld(ports.journal, call.hidden, spec, id, outputs, ports.clock.now());
        return call.reporter.warn(`${objection.because}, and is not deleted.${wasTaken ? replaceAgain : ""}`);
      }
      await protection.refuseDelete(operation, id, outputs);
      const retains = recordsIn(outputs).adopted === true;
      if (!retains) await requireSuccessor(operation.ports, spec, call, id, outputs);
      const successor = successorOf(ports, call, id);
      const removal = await operation.objects.concurrency.during(async () =>
        spec.singleton
          ? removeSingleton(operation, id, outputs)
          : successor && !retains
            ? removeAfterSuccessor(operation, id, outputs, successor)
            : removeObject(operation, id, outputs),
      );
      if (removal === "another's") return;
      await writeAnswered(operation, { fact: "gone", object: recordedIdentity(spec, id, outputs) });
    },

    refusal: (given, id, outputs) =>
      knownRefusal(spec, outputs, async () => {
        const operation = await open(underCurrentUrn(ports, given, id), id, outputs, "delete", outputs);
        if (await objectionTo(operation, id, outputs)) return;
        await protection.refuseDelete(operation, id, outputs);
        if (spec.singleton) await planRemoval(operation, id, outputs);
      }),
  };
}

/**
 * A forced replacement comes without a comparison. Where nothing says that a state holds the object, it takes over the
 * very object that it is to replace, and learns so only from the delete.
 */
const replaceAgain = " To replace it, run `up --replace` again.";

const isUpdate = ({ changes, replaces }: DiffAnswer): boolean => changes !== false && replaces.length === 0;
