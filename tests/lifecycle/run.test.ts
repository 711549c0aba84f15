import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { RunClaims } from "../../provider/lifecycle/memory/claims";
import type { CheckView, DiffView } from "../../provider/lifecycle/memory/run";
import { Run } from "../../provider/lifecycle/memory/run";
import type { Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { createHarness, type Harness, hiddenOf } from "./harness";

/** What a run knows of its resources, call by call; `types/call-views.ts` has what no call may ask. */

const kind = "Deployment";
const [chat, talk] = ["accounts/acme/deployments/chat", "accounts/acme/deployments/talk"];
const inputs = { deploymentId: "chat", baseModel: "m" };
const olds = { accountId: "acme" };
const kept = { changes: false, replaces: [], deleteBeforeReplace: false };
const replaced = { changes: true, replaces: ["baseModel"], deleteBeforeReplace: false };
const replacedInPlace = { ...replaced, deleteBeforeReplace: true };

const urnOf = (name: string): string => hiddenOf(kind, name).urn;

describe("a resource in a run", () => {
  let claims: RunClaims;
  let run: Run;
  beforeEach(() => {
    claims = new RunClaims();
    run = new Run(claims);
  });

  const resource = (name = "chat") => run.resource(urnOf(name));
  const check = (given: Values, name = "chat", aliases: string[] = []): CheckView =>
    resource(name).check({ ...hiddenOf(kind, name), aliases: aliases.map(urnOf) }, given, inputs);
  const diff = (name = chat, recorded: Values = { name }): DiffView => resource().diff(name, recorded, { name })!;

  test("is declared by its check alone, and by the next one after a refresh", () => {
    expect(resource().isDeclared).toBe(false);
    expect(resource().diff(chat, { name: chat }, { name: chat })).toBeUndefined();
    expect(resource().create().previous).toBeUndefined();
    check(olds);
    expect(resource().isDeclared).toBe(true);
    expect(diff()).toBeDefined();
    resource().read({ name: chat }, { name: chat });
    expect(resource().diff(chat, { name: chat }, { name: chat })).toBeUndefined();
    check(olds);
    expect(diff()).toBeDefined();
  });

  test("whose diff leaves its object in place has it, and what replaces it has none yet", () => {
    expect(check(olds).hasCurrentObject).toBe(true);
    diff().conclude(chat, inputs, kept);
    expect(claims.heldBy(urnOf("chat"))).toBe(chat);
    expect(resource().delete().successorOf(talk)).toEqual({ name: chat, inputs });
    expect(resource().delete().successorOf(chat)).toBeUndefined();
    expect(resource().delete().plannedSuccessor).toBeUndefined();
    expect(check({}).hasCurrentObject).toBe(false);
    expect(claims.heldBy(urnOf("chat"))).toBeUndefined();
    expect(resource().delete().successorOf(talk)).toBeUndefined();
    expect(resource().delete().plannedSuccessor).toEqual({ inputs, isPossible: false });
  });

  test("has what its diff is about, until the engine decides on another object", () => {
    check(olds);
    diff();
    expect(claims.heldBy(urnOf("chat"))).toBe(chat);
    diff().conclude(chat, inputs, replaced);
    expect(claims.heldBy(urnOf("chat"))).toBe(chat);
    expect(check({}).successorInPlace).toBeUndefined();
    expect(claims.heldBy(urnOf("chat"))).toBeUndefined();
  });

  test("that is new learns nothing from a diff, as an import makes one", () => {
    check({});
    diff().conclude(chat, inputs, kept);
    expect(claims.heldBy(urnOf("chat"))).toBeUndefined();
  });

  test("takes the old object's place where a diff has asked for that order", () => {
    check(olds);
    diff().conclude(chat, inputs, replacedInPlace);
    const { successorInPlace } = check({});
    expect(successorInPlace).toEqual({ inputs, isPossible: false });
    successorInPlace!.isPossible = true;
    expect(resource().delete().plannedSuccessor).toEqual({ inputs, isPossible: true });
  });

  test("forgets the replacement that an earlier preview has shown", () => {
    check(olds);
    diff().conclude(chat, inputs, replacedInPlace);
    check({}).successorInPlace!.isPossible = true;
    expect(check(olds).successorInPlace).toBeUndefined();
    diff().conclude(chat, inputs, replacedInPlace);
    expect(check({}).successorInPlace).toEqual({ inputs, isPossible: false });
  });

  test("keeps the order of a preview for the check that repeats it", () => {
    check(olds);
    diff().conclude(chat, inputs, replacedInPlace);
    check({});
    expect(check({}).successorInPlace).toBeDefined();
  });

  test("has what its create has made, until the create gives it up", () => {
    check({});
    const create = resource().create();
    create.recordObject(talk, inputs);
    expect(claims.heldBy(urnOf("chat"))).toBe(talk);
    expect(resource().delete().successorOf(chat)).toEqual({ name: talk, inputs });
    expect(resource().delete().plannedSuccessor).toBeUndefined();
    create.recordNone();
    expect(claims.heldBy(urnOf("chat"))).toBeUndefined();
    expect(resource().delete().plannedSuccessor).toBeDefined();
  });

  test("has what it takes over, and what it had before where that fails", () => {
    resource().update(chat, { name: chat }, inputs, { name: chat });
    const undo = resource().create().claimExisting(talk);
    expect(claims.heldBy(urnOf("chat"))).toBe(talk);
    undo();
    expect(claims.heldBy(urnOf("chat"))).toBe(chat);
  });

  test.each<[string, (recorded: Values) => void]>([
    ["a refresh", (recorded) => resource().read(recorded, { name: chat })],
    ["an update", (recorded) => resource().update(chat, recorded, inputs, { name: chat })],
    ["a delete", (recorded) => resource().delete().noteEngineRecord(recorded, { name: chat })],
    [
      "the diff of a program",
      (recorded) => {
        check(olds);
        diff(chat, recorded);
      },
    ],
  ])("is created after the object that %s has shown", (_, show) => {
    const recorded = { name: chat, attempts: 2 };
    show(recorded);
    expect(resource().create().previous).toBe(recorded);
    expect(resource("other").of(urnOf("chat")).recordedName).toBe(chat);
  });

  test("has taken over the object to delete where no state has shown it", () => {
    check({});
    resource().create().recordObject(chat, inputs);
    expect(resource().delete().wasTakenOver(chat)).toBe(true);
    expect(resource().delete().wasTakenOver(talk)).toBe(false);
    resource().delete().noteEngineRecord({ name: chat }, { name: chat });
    expect(resource().delete().wasTakenOver(chat)).toBe(false);
  });

  test("recorded without protection, gives up only objects that it has replaced", () => {
    check(olds);
    diff(talk).noteUnprotected(talk);
    expect(resource().delete().isReplacedByUnprotected(chat)).toBe(true);
    expect(resource().delete().isReplacedByUnprotected(talk)).toBe(false);
    expect(resource("other").delete().isReplacedByUnprotected(chat)).toBe(false);
  });

  test("knows whose records were read, in all refreshes of a process", () => {
    const [first, second, third] = ["1", "2", "3"].map((createTime) => ({ name: chat, createTime }));
    const recorded = { name: chat, endpoint: "http://service.test" };
    resource().read(recorded, first!);
    const read = resource().read(recorded, second!);
    resource("other").read(recorded, third!);
    expect(claims.recordedUnder([urnOf("chat")])).toEqual([first, second]);
    expect(claims.hasRefreshed()).toBe(true);
    read.noteDeleted(first!);
    expect(claims.recordedUnder([urnOf("chat")])).toEqual([second]);
  });

  test("that a program only looks up is in no state", () => {
    resource().read({}, { name: chat });
    expect(claims.hasRefreshed()).toBe(false);
    expect(claims.recordedUnder([urnOf("chat")])).toEqual([]);
  });

  test("is told of changes beneath its inputs, and names edited inputs itself", () => {
    check({ ...olds, baseModel: "before" });
    expect(diff().isEdited("baseModel")).toBe(true);
    expect(diff().isEdited("deploymentId")).toBe(false);
    check({});
    expect(diff().isEdited("baseModel")).toBe(false);
  });

  test.each<[string, () => void]>([
    ["an alias", () => void check(olds, "chat", ["before"])],
    ["the URN in its recorded inputs", () => void check({ ...olds, [hiddenInput]: hiddenOf(kind, "before") })],
    [
      "the URN in its recorded outputs",
      () => {
        check(olds);
        diff(chat, { name: chat, [hiddenInput]: hiddenOf(kind, "before") });
      },
    ],
  ])("continues with the object that was recorded under %s", (_, declare) => {
    declare();
    expect(claims.currentUrnOf(urnOf("before"), chat)).toBe(urnOf("chat"));
    expect(claims.currentUrnOf(urnOf("other"), chat)).toBeUndefined();
  });

  test("to be replaced, continues with the object that the engine has shown", () => {
    check(olds);
    diff();
    check({});
    expect(claims.currentUrnOf(urnOf("before"), chat)).toBe(urnOf("chat"));
  });

  test("shares claims and new hosts with another one, and nothing else", () => {
    const one = check({});
    expect(one.claim([chat])).toEqual(new Map());
    resource().create().recordObject(chat, inputs);
    expect(resource("other").isDeclared).toBe(false);
    const other = check({}, "other");
    expect(other.claim([chat])).toEqual(new Map([[chat, urnOf("chat")]]));
    expect(resource("other").create().previous).toBeUndefined();
    expect(resource("other").delete().successorOf(talk)).toBeUndefined();
    expect(resource("other").delete().wasTakenOver(chat)).toBe(false);
    expect(claims.otherHolderOf(chat, urnOf("other"))).toBe(urnOf("chat"));
  });
});

describe("in one process", () => {
  let at: Harness;
  beforeEach(async () => void (at = await createHarness()));
  afterEach(() => at.close());

  const deployment = {
    deploymentId: "chat",
    baseModel: "accounts/platform/models/open-8b",
    deploymentShape: "default",
  };
  const other = "accounts/platform/models/open-70b";

  test("a refresh after a preview reads what only a program is refused for", async () => {
    const guarded = { ...deployment, deletionProtection: true };
    const { outputs, id } = await at.process().create(kind, "chat", guarded);
    const process = at.process();
    await process.diff(kind, "chat", outputs, guarded);
    await at.change(id, { baseModel: other });
    const found = await process.refresh(kind, "chat", outputs, guarded);
    expect(found?.outputs).toMatchObject({ baseModel: other });
    const refused = await rejection(process.diff(kind, "chat", found!.outputs, guarded));
    expect(refused.message).toContain(
      "is protected by `deletionProtection`, and changing `baseModel` would replace it",
    );
    expect(at.object(id)).toMatchObject({ baseModel: other });
  });

  test("a refresh is no run of a job, whatever it has read", async () => {
    const job = { baseModel: "accounts/platform/models/open-8b", dataset: "accounts/acme/datasets/tickets", epochs: 2 };
    const { outputs, id } = await at.process().create("SupervisedFineTuningJob", "tune", job);
    await at.change(id, { epochs: 3 });
    const process = at.process();
    const found = await process.refresh("SupervisedFineTuningJob", "tune", outputs, { ...job, accountId: "acme" });
    expect(process.messages.filter((text) => text.includes("starts a new run"))).toEqual([]);
    await process.diff("SupervisedFineTuningJob", "tune", found!.outputs, job);
    expect(process.messages.filter((text) => text.includes("starts a new run"))).toHaveLength(1);
  });

  test("an update keeps the object whose replacement was previewed and taken back", async () => {
    const { outputs, id } = await at.process().create(kind, "chat", deployment);
    const process = at.process();
    const edited = { ...deployment, baseModel: other };
    expect(await process.diff(kind, "chat", outputs, edited)).toMatchObject({ deleteBeforeReplace: true });
    await process.check(kind, "chat", edited);
    expect(await process.diff(kind, "chat", outputs, deployment)).toMatchObject({ changes: false });
    await process.delete(kind, "chat", outputs);
    expect(at.object(id)).toMatchObject({ state: "READY" });
    expect(process.messages.at(-1)).toContain("is the current object of this declaration, and is not deleted");
  });
});
