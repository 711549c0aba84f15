import { isRecreated } from "../../provider/core/comparison/accepted";
import { AbortedError, AmbiguousOutcomeError, ModelPlatformError, NotFoundError } from "../../provider/core/errors";
import { specOf } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { createHarness, type Harness, hiddenOf, keptJournal } from "./harness";

/** An unknown outcome remains unknown, whatever else fails after it. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

describe("an error that wraps another", () => {
  const lost = new AmbiguousOutcomeError("was lost", { outcome: "unknown" });

  test("has the outcome of its cause", () => {
    expect(new ModelPlatformError("failed", { cause: lost }).outcome).toBe("unknown");
    expect(new AbortedError("was stopped", { cause: new ModelPlatformError("x", { cause: lost }) }).outcome).toBe(
      "unknown",
    );
    expect(new ModelPlatformError("failed", { cause: new NotFoundError("answered 404") }).outcome).toBe("none");
    expect(new ModelPlatformError("failed", { cause: new Error("of another kind") }).outcome).toBe("none");
  });

  test("has its own outcome if it is known", () => {
    expect(new ModelPlatformError("was not sent", { cause: lost, outcome: "none" }).outcome).toBe("none");
  });
});

describe("a create at an id that does not count, whose answer is lost", () => {
  /** The service has shown that its ids do not count. */
  async function unheeded(config = {}) {
    await at.close();
    at = await createHarness({ ignoreId: true });
    const journal = keptJournal();
    const process = at.process(config, { journal });
    await process.create("Deployment", "first", served);
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "commitThenStatus", status: 504 } });
    return { process, journal };
  }

  const isVoid = (journal: ReturnType<typeof keptJournal>): boolean =>
    journal.facts().some(({ fact, urn }) => fact === "void" && urn === hiddenOf("Deployment", "it").urn);

  test.each([503, 403])("is not forgotten where the look for it is answered %s", async (status) => {
    const { process, journal } = await unheeded();
    await at.fault({ match: { operation: "listDeployments" }, fault: { kind: "status", status }, times: null });
    const error = await rejection(process.create("Deployment", "it", served));
    expect(error.message).toContain("looking for the object failed, too");
    expect(isVoid(journal)).toBe(false);
  });

  test("is not forgotten where the run is stopped while it looks", async () => {
    const { process, journal } = await unheeded();
    await at.fault({ match: { operation: "listDeployments" }, fault: { kind: "hang" }, times: null });
    const created = rejection(process.create("Deployment", "it", served));
    await at.clock.sleep(20_000);
    process.abort.abort();
    await created;
    expect(isVoid(journal)).toBe(false);
  });
});

/** A `createTime` by which no object can be told from another. */
describe("a recorded object whose creation time", () => {
  const spec = specOf("Deployment")!;
  const isOther = (was: unknown, is: unknown) =>
    isRecreated(spec, { accepted: { createTime: was } }, { createTime: is });

  test.each([
    ["is an object", { seconds: 1 }, { seconds: 2 }],
    ["is a list", ["2026-01-01T00:00:00Z"], ["2026-01-02T00:00:00Z"]],
    ["is a word", "some time", "another time"],
    ["is a truth value", true, false],
    ["was none before", null, "2026-01-02T00:00:00Z"],
  ])("%s does not make another object of it", (_, was, is) => {
    expect(isOther(was, is)).toBe(false);
  });

  test.each([
    ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    [1_767_225_600, 1_767_312_000],
    ["1767225600", "1767312000"],
  ])("is a time makes another object of it: %s", (was, is) => {
    expect(isOther(was, is)).toBe(true);
  });
});
