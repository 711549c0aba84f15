import { OwnershipHistory } from "../../provider/lifecycle/memory/history";
import { rejection } from "../rejection";
import { createHarness, type Harness, keptJournal } from "./harness";
import { up } from "./worlds/told";

/** A create that is refused because of an object in its place: its own result, if a gateway sent it twice. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const sentTwice = (kind: string) =>
  at.fault({ match: { operation: `create${kind}` }, fault: { kind: "commitThenStatus", status: 409 } });

const openIn = (journal: ReturnType<typeof keptJournal>) => new OwnershipHistory(journal.facts()).open();

const kinds = [
  ["a chosen id", "Deployment", "deployments", fixed],
  ["an automatic id", "Deployment", "deployments", served],
  ["a natural key", "User", "users", ada],
  ["a natural key, of a kind without a creation time,", "Secret", "secrets", { keyName: "K", value: "v" }],
] as const;

describe.each(kinds)("what shows exactly what was sent, at %s", (title, kind, collection, inputs) => {
  test("is asked about, and taken by the word to take it", async () => {
    await sentTwice(kind);
    const { error, said } = await up(at.process(), kind, "it", inputs);
    const [name] = at.names(collection);
    expect(error?.message).toContain(
      `${name} was created while this create was under way and shows exactly what was sent`,
    );
    const isAutomatic = title === "an automatic id";
    expect(said.includes("MODELPLATFORM_RECOVER=new")).toBe(isAutomatic);
    const adopting = ', or set `adopt: "ifEqual"` to manage it as it is, or `adopt: "overwrite"` to change it';
    expect(said.replace(/`[^`]*MODELPLATFORM_RECOVER[^`]*`/g, "…")).toContain(
      isAutomatic
        ? "If it is yours, take it over with …; if not, leave it and create another with …."
        : `If it is yours, take it over with …${adopting}; if not, choose another id.`,
    );
    expect((await rejection(at.process().create(kind, "it", inputs))).message).toContain(String(name));
    const taken = await at.process({ recover: "take" }).create(kind, "it", inputs);
    expect(taken.id).toBe(name);
    expect(taken.outputs).not.toHaveProperty("adopted");
    expect(at.names(collection)).toEqual([name]);
  });

  test.each([-2, 2])("is asked about by a service whose objects tell a time %i hours off", async (hours) => {
    const off = (time: unknown): string => new Date(Date.parse(String(time)) + hours * 3_600_000).toISOString();
    at.replica.form = (object) =>
      "createTime" in object ? { ...object, createTime: off(object["createTime"]) } : object;
    await sentTwice(kind);
    const journal = keptJournal();
    const { said } = await up(at.process({}, { journal }), kind, "it", inputs);
    expect(said).toContain(`${at.names(collection)[0]}`);
    expect(said).toContain("MODELPLATFORM_RECOVER=take");
    expect(openIn(journal)).toHaveLength(1);
  });

  test("ends the attempt once it is taken", async () => {
    await sentTwice(kind);
    const journal = keptJournal();
    await rejection(at.process({}, { journal }).create(kind, "it", inputs));
    expect(openIn(journal)).toEqual([expect.objectContaining({ isRefused: true })]);
    const taken = await at.process({ recover: "take" }, { journal }).create(kind, "it", inputs);
    await at.process({}, { journal }).diff(kind, "it", taken.outputs, inputs);
    expect(openIn(journal)).toEqual([]);
  });
});

test("is named beside another one until it is gone", async () => {
  await sentTwice("Deployment");
  await rejection(at.process().create("Deployment", "it", fixed));
  const [name] = at.names("deployments") as string[];
  const doubt = `Deployment ${name} may be of this declaration, whose create was refused because of it`;
  const other = { ...served, deploymentId: "other" };
  const first = at.process();
  const { outputs } = await first.create("Deployment", "it", other);
  const second = at.process();
  await second.diff("Deployment", "it", outputs, other);
  for (const { messages } of [first, second]) {
    expect(messages.filter((each) => each.startsWith("warning"))).toEqual([expect.stringContaining(doubt)]);
    expect(messages.join()).not.toContain("deleteDeployment");
  }
  await at.vanish(name!);
  await at.process().read("Deployment", "it", outputs);
  const last = at.process();
  await last.diff("Deployment", "it", outputs, other);
  expect(last.messages).toEqual([]);
});

test("stays a doubt where the answer to it cannot be carried out", async () => {
  await sentTwice("Deployment");
  const journal = keptJournal();
  await rejection(at.process({}, { journal }).create("Deployment", "it", fixed));
  const other = { ...fixed, baseModel: "accounts/platform/models/open-70b", adopt: "overwrite" };
  await rejection(at.process({}, { journal }).create("Deployment", "it", other));
  expect(openIn(journal)).toEqual([expect.objectContaining({ isRefused: true })]);
});

test("what carries this resource's marks is taken over", async () => {
  await sentTwice("Deployment");
  const { id } = await at.process({ ownershipMarker: "true" }).create("Deployment", "it", fixed);
  expect(at.names("deployments")).toEqual([id]);
});

describe("an object that already existed", () => {
  test.each([
    ["Deployment", fixed],
    ["User", ada],
  ] as const)("is not asked about, and leaves no attempt: %s", async (kind, inputs) => {
    await at.process({}, {}, "another").create(kind, "theirs", inputs);
    await at.clock.sleep(120_000);
    const journal = keptJournal();
    const error = await rejection(at.process({}, { journal }).create(kind, "it", inputs));
    expect(error.message).toContain("already exists, and nothing shows that this declaration created it");
    expect(openIn(journal)).toEqual([]);
  });
});
