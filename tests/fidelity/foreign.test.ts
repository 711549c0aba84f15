import { nightly } from "../nightly";
import type { Values } from "../values";
import type { Deviations } from "./deviation";
import { ForeignSite } from "./foreign-site";

jest.setTimeout(300_000);

const chat = {
  ...{ kind: "Deployment", baseModel: "accounts/acme/models/base", displayName: "Chat", description: "answers" },
  ...{ minReplicaCount: 0, maxReplicaCount: 2, annotations: { "custom/team": "support" }, acceptShapelessRisk: true },
  ...{ placement: { multiRegion: "EUROPE" }, preemptible: true, deploymentTemplate: "large" },
};
const declared: Readonly<Record<string, Values>> = {
  chat,
  ada: { kind: "User", email: "ada@example.com", role: "user", displayName: "Ada" },
  robot: { kind: "User", userId: "robot", serviceAccount: true, role: "inference-user" },
  storage: { kind: "Secret", keyName: "STORAGE_KEY", value: "hunter2" },
};
const edited = {
  ...declared,
  chat: { ...chat, displayName: "Chat for support", maxReplicaCount: 3 },
  ada: { ...declared["ada"], role: "contributor" },
  storage: { ...declared["storage"], keyName: "STORAGE_TOKEN" },
};

interface Finding {
  verdict: string;
  changes: { path: string }[];
}

/** An object without members that say nothing: a service may keep them spelled out. */
const said = (object: Values): Values =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => !/^("\w*_UNSPECIFIED"|""|0|false|\[\]|\{\})$/.test(JSON.stringify(value)),
    ),
  );

/** The life of a stack on a service of its own kind. */
async function live(deviations: Deviations): Promise<void> {
  const site = await ForeignSite.open(deviations);
  const { service } = site;
  const now = (): Values[] => ["deployments", "users", "secrets"].flatMap((each) => service.live(each).map(said));
  const yes = "--yes --skip-preview --stack dev";
  const drift = "drift --backend file://../state --json";
  try {
    site.declare(declared);
    await site.looks(0, "preview --stack dev");
    await site.expect(0, `up ${yes}`);
    const made = now();
    expect(made.map(({ displayName, keyName, serviceAccount }) => displayName ?? keyName ?? serviceAccount)).toEqual(
      expect.arrayContaining(["Chat", "Ada", true, "STORAGE_KEY"]),
    );
    await site.looks(0, "preview --expect-no-changes --stack dev");
    await site.looks(0, "refresh --preview-only --expect-no-changes --stack dev");
    await site.looks(0, drift);

    site.declare(edited);
    await site.looks(0, "preview --refresh --stack dev");
    await site.expect(0, `up ${yes}`);
    const changes: Readonly<Record<string, Values>> = {
      Chat: { displayName: "Chat for support", maxReplicaCount: 3 },
      Ada: { role: "contributor" },
      STORAGE_KEY: { keyName: "STORAGE_TOKEN" },
    };
    expect(now()).toEqual(
      made.map((object) => ({ ...object, ...changes[String(object["displayName"] ?? object["keyName"])] })),
    );
    await site.looks(0, "preview --refresh --expect-no-changes --stack dev");

    const [changed] = service.live("users").filter(({ email }) => email === "ada@example.com");
    service.objects.set(String(changed!["name"]), { ...changed, role: "admin" });
    const { stdout } = await site.looks(2, drift);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const differing = findings.filter(({ verdict }) => verdict === "changed");
    expect(differing.map((finding) => finding.changes.map(({ path }) => path))).toEqual([["role"]]);
    await site.expect(0, `up --refresh ${yes}`);
    expect(service.live("users").map(({ role }) => role)).toEqual(expect.arrayContaining(["contributor"]));

    site.declare({ ...edited, chat: { ...edited.chat, baseModel: "accounts/acme/models/other" } });
    await site.looks(0, "preview --refresh --stack dev");
    site.declare(edited);

    await site.expect(0, `destroy ${yes}`);
    expect(now()).toEqual([]);
  } finally {
    site.close();
  }
}

const alone: readonly (keyof Deviations)[] = [
  ...(["otherPaths", "camelMasks", "textErrors", "replaces", "obeysValidations", "ownIds", "smallPages"] as const),
  ...(["takesTime", "strict", "emitsUnset", "readsNoSecret", "tombstones"] as const),
];

/** A secret that cannot be read under its own name has no other path, and a 404 in words alone proves nothing. */
const together: Deviations = Object.fromEntries(
  alone.filter((each) => !["readsNoSecret", "textErrors"].includes(each)).map((each) => [each, true]),
);

nightly("each life starts a dozen commands of several processes; by day `deviations` lives each in one", () => {
  test("a stack lives on a service that keeps every convention", () => live({}));
  test("a stack lives on a service that deviates in ten ways at once, by settings alone", () => live(together));
  test("a stack lives on a service that answers in forms of its own", () => live({ ownForms: true }));
  test("a stack lives on a service that names objects itself and refuses in words", () =>
    live({ ownIds: true, textErrors: true }));
});
