import { isDeepStrictEqual } from "node:util";
import { accountIdOf } from "../api/settings/credentials";
import { withOpenWait } from "../core/comparison/recorded";
import { optionsIn, recordsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { accountOf } from "../core/values/names";
import { acknowledgeRecreated, reportReverted } from "./changes/acceptance";
import { deleteAfterSuccessor, deleteObject, type Removal } from "./changes/delete";
import { assertDeletable, isRetained, predictRejection, requireSuccessor } from "./changes/protection";
import { checkInputs } from "./check";
import { replacing, stackCommand } from "./commands";
import { createObject } from "./creation/create";
import { watchOrphan } from "./creation/orphans";
import { diffOfProgram, diffOfRefresh } from "./diff";
import type { ObjectIdentity } from "./memory/history";
import { assertSameEndpoint } from "./memory/identity";
import type { ResourceView } from "./memory/run";
import { type ComparedResource, callInNameOf, Operation } from "./operation";
import {
  endWrites,
  mayBeChanged,
  type Orphan,
  recordedIdentity,
  recordHeld,
  writeCompletedFact,
} from "./ownership/journal";
import { assertNotElsewhere } from "./ownership/other-stacks";
import { assertGone, assertNotClaimed, claimantOf, isAnother, objectionTo, renamedTo } from "./ownership/owner";
import type { LifecyclePorts } from "./ports";
import { importObject, readObject } from "./read";
import { createSingleton, planRemoval, resetSingleton, updateSingleton } from "./singleton";
import { cachingReads, withoutUnanswered } from "./sources";
import type { Call, ReadResult, ResourceLifecycle, Values } from "./types";
import { updateObject } from "./update";

/** The life cycle of one kind of resource, as its declaration describes it. */
export function createLifecycle(spec: ResourceSpec, ports: LifecyclePorts): ResourceLifecycle {
  const { run } = ports;

  /**
   * Records that a state holds this object. Resolves to the name of another one that was begun, and that no state
   * holds.
   */
  const acknowledge = ({ hidden }: Call, id: string, outputs: Values): Promise<Orphan | undefined> =>
    recordHeld(ports.journal, { ...hidden, spec, id, outputs, at: ports.clock.now() });

  /**
   * The call in the name of the declaration that continues with the object: engines delete a renamed resource, or one
   * of a renamed stack, under the URN that its outputs were recorded with.
   */
  function underCurrentUrn(call: Call, name: string): Call {
    const urn = run.resource(call.hidden.urn).currentUrnOf(name);
    return urn === undefined ? call : callInNameOf(call, urn);
  }

  type Recorded = Pick<ComparedResource, "id" | "outputs">;

  /** Begins an operation on a recorded object. `values`: with the options that count; by default, the recorded ones. */
  function open<Known extends ResourceView>(
    call: Call,
    resource: Known,
    { id, outputs }: Recorded,
    { verb, values = outputs }: { verb: "update" | "delete"; values?: Values },
  ): Operation<Known> {
    const account = String(recordsIn(outputs).accountId ?? accountOf(id));
    const operation = new Operation({ ports, spec, call, resource }, { account, verb, values });
    assertSameEndpoint(operation.title(id), outputs, operation.objects.origin, ports.settings.allowEndpointChange);
    return operation;
  }

  return {
    check(call, olds, news) {
      ports.activity.note();
      const reading = { ...ports, machine: cachingReads(ports.machine) };
      return checkInputs({ ports: reading, spec, call, resource: run.resource(call.hidden.urn) }, olds, news);
    },

    async diff(call, id, outputs, inputs) {
      ports.activity.note();
      const resource = run.resource(call.hidden.urn);
      const compared = { ports, spec, call, resource, id, outputs, inputs };
      const view = resource.diff(id, outputs, recordedIdentity(spec, id, outputs));
      return view
        ? diffOfProgram({ ...compared, resource: view }, () =>
            open(call, view, { id, outputs }, { verb: "update", values: inputs }),
          )
        : diffOfRefresh(compared);
    },

    async create(call, inputs) {
      const account = String(optionsIn(inputs).accountId ?? accountIdOf(ports.settings));
      const resource = run.resource(call.hidden.urn).create();
      const operation = new Operation({ ports, spec, call, resource }, { account, verb: "create", values: inputs });
      return operation.objects.during(() =>
        spec.singleton ? createSingleton(operation, inputs) : createObject(operation, inputs),
      );
    },

    async read(call, id, outputs) {
      const recorded = recordedIdentity(spec, id, outputs);
      const resource = run.resource(call.hidden.urn).read(outputs, recorded);
      const orphan = await acknowledge(call, id, outputs);
      const operation = open(call, resource, { id, outputs }, { verb: "update" });
      if (orphan !== undefined) await watchOrphan(operation, orphan);
      const result = await readObject(operation, id, outputs);
      const isOther = result && (await isAnother(operation, outputs, { ...result.outputs, name: id }));
      const answer = isOther ? await acknowledgeRecreated(operation, outputs, id, result) : result;
      if (answer === undefined) resource.noteDeleted(recorded);
      return answer && asFarAsKnown(operation, recorded, answer);
    },

    import: (call, id) =>
      importObject(spec, id, () => open(call, run.resource(call.hidden.urn), { id, outputs: {} }, { verb: "update" })),

    async update(call, id, outputs, inputs) {
      const resource = run.resource(call.hidden.urn);
      resource.update(id, outputs, inputs, recordedIdentity(spec, id, outputs));
      await acknowledge(call, id, outputs);
      const operation = open(call, resource, { id, outputs }, { verb: "update", values: inputs });
      const updated = await operation.objects.during(() =>
        (spec.singleton ? updateSingleton : updateObject)(operation, id, outputs, inputs),
      );
      reportReverted(spec, call, outputs, updated);
      return updated;
    },

    async delete(received, id, outputs) {
      const call = underCurrentUrn(received, id);
      const resource = run.resource(call.hidden.urn).delete();
      const wasTaken = resource.wasTakenOver(id);
      const recorded = recordedIdentity(spec, id, outputs);
      resource.noteEngineRecord(outputs, recorded);
      const operation = open(call, resource, { id, outputs }, { verb: "delete" });
      const objection = objectionTo(operation, id);
      if (objection !== undefined) {
        // A forced replacement comes without a comparison. Where nothing says that a state holds the object, it takes
        // over the very object that it is to replace, and learns so only from the delete.
        if (wasTaken) await acknowledge(call, id, outputs);
        const again = wasTaken ? ` To replace it, run ${stackCommand(operation, "up", ...replacing(operation))}.` : "";
        call.reporter.warn(`${objection}, and is not deleted.${again}`);
        return "left";
      }
      assertNotClaimed(operation, id, outputs);
      if (!isRetained(spec, outputs)) await assertNotElsewhere(operation, recorded, "deleted");
      await assertDeletable(operation, id, outputs);
      const retains = recordsIn(outputs).adopted === true;
      if (!retains) await requireSuccessor(operation, id, outputs);
      const successor = resource.successorOf(id);
      const removal = await operation.objects.during(async (): Promise<Removal> => {
        if (spec.singleton) return resetSingleton(operation, id, outputs);
        if (successor && !retains) return deleteAfterSuccessor(operation, id, outputs, successor);
        return deleteObject(operation, id, outputs);
      });
      resource.noteDeleted(recorded);
      if (removal === "another's") return "left";
      await writeCompletedFact(operation, { fact: "gone", object: recorded });
      return removal;
    },

    refusal(received, id, outputs) {
      const call = underCurrentUrn(received, id);
      const resource = run.resource(call.hidden.urn).delete();
      const renamed = renamedTo({ ports, spec, call, resource }, id, outputs);
      const isDoubted = renamed !== undefined || (ports.state !== undefined && !isRetained(spec, outputs));
      return predictRejection(spec, outputs, isDoubted, async () => {
        const operation = open(call, resource, { id, outputs }, { verb: "delete" });
        if (renamed !== undefined) return assertGone(operation, id, renamed);
        // Previews have created nothing: whether a claimant takes the object is known only then.
        if (objectionTo(operation, id) ?? claimantOf(operation, id, outputs)) return;
        await assertNotElsewhere(operation, recordedIdentity(spec, id, outputs), "deleted");
        await assertDeletable(operation, id, outputs);
        if (spec.singleton) await planRemoval(operation, id, outputs);
      });
    },
  };
}

/**
 * What a read proves of an object that an interrupted run may have changed: everything but values that responses never
 * contain, and that its wait is over. The journal's note ends if nothing else remains unknown and the engine keeps its
 * own until it has recorded the read.
 */
async function asFarAsKnown(operation: Operation, recorded: ObjectIdentity, result: ReadResult): Promise<ReadResult> {
  const { spec, ports } = operation;
  if (!(await mayBeChanged(operation, recorded))) return result;
  const open = (await operation.history()).openWrites(recorded);
  const outputs = withoutUnanswered(spec, result.outputs);
  if (isDeepStrictEqual(outputs, result.outputs) && ports.state) await endWrites(operation, open);
  return { ...result, outputs: withOpenWait(spec, result.inputs, outputs) };
}
