// What a call may not ask of the resource's memory, because it belongs to another one. Each has to be an error of the
// compiler; where one no longer is, compilation fails.
import type { HiddenContext } from "../../provider/core/declaration/own-fields";
import { assertDeletable, requireSuccessor } from "../../provider/lifecycle/changes/protection";
import { createObject } from "../../provider/lifecycle/creation/create";
import type { CheckView, DiffView, ResourceMemory } from "../../provider/lifecycle/memory/run";
import type { CreateOperation, DeleteOperation, Operation } from "../../provider/lifecycle/operation";
import { objectionTo } from "../../provider/lifecycle/ownership/owner";

declare const hidden: HiddenContext;
declare const resource: ResourceMemory;
declare const check: CheckView;
declare const diff: DiffView;
declare const operation: Operation;
declare const create: CreateOperation;
declare const remove: DeleteOperation;

export const allowed = () => [
  check.hasCurrentObject,
  diff.isEdited("role"),
  create.resource.previous,
  remove.resource.plannedSuccessor,
];

export const mistakes = () => [
  // @ts-expect-error outside a call nothing is known
  resource.previous,
  // @ts-expect-error a read does not know what the program says
  resource.read({}, { name: "accounts/acme/users/ada" }).previous,
  // @ts-expect-error a diff may be that of a refresh, which has nothing to ask
  resource.diff("accounts/acme/users/ada", {}).isEdited("role"),
  // @ts-expect-error a check does not know which object there will be
  resource.check(hidden, {}, {}).hold("accounts/acme/users/ada", {}),
  // @ts-expect-error a check does not know what is deleted
  check.successorOf("accounts/acme/users/ada"),
  // @ts-expect-error only a check claims
  diff.claim(["accounts/acme/users/ada"]),
  // @ts-expect-error what a diff shows is not what a create follows
  diff.previous,
  // @ts-expect-error a create compares nothing
  create.resource.isEdited("role"),
  // @ts-expect-error a create deletes nothing
  create.resource.successorToMake,
  // @ts-expect-error a delete makes nothing
  remove.resource.take("accounts/acme/users/ada"),
  // @ts-expect-error an update and a step of an operation know what the run claims, and nothing of a call's
  operation.resource.previous,
  // @ts-expect-error no step of an operation begins another call
  operation.ports.run.resource("urn"),
  // @ts-expect-error claims are made by what a resource goes through
  operation.resource.claims.hold("urn", "accounts/acme/users/ada"),
  // @ts-expect-error nor does a step record what another resource has
  create.resource.of("urn").recordObject("accounts/acme/users/ada", {}),
  // @ts-expect-error only a create creates
  () => createObject(remove, {}),
  // @ts-expect-error only a create creates
  () => createObject(operation, {}),
  // @ts-expect-error only a delete is objected to
  () => objectionTo(create, "accounts/acme/users/ada"),
  // @ts-expect-error only a delete is refused
  () => assertDeletable(create, "accounts/acme/users/ada", {}),
  // @ts-expect-error only a delete requires a successor
  () => requireSuccessor(create, "accounts/acme/users/ada", {}),
];
