import { managedSpecs } from "../../provider/resources/index";
import { isNightly, longerAtNight } from "../nightly";
import { auditScene, breachesOf, today } from "./scene";

/** 1,000 accounts in the nightly run; in a normal run as many as show the same. */
const size = isNightly ? 1000 : 60;
const accounts = Array.from({ length: size }, (_, index) => `a${String(index).padStart(4, "0")}`);
const baseModel = "accounts/platform/models/old-8b";
const shape = "accounts/platform/deploymentShapes/open-8b-fast/versions/v1";
const objectsPerAccount = 6;

/** A generator of the same numbers every time, below `below`. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

longerAtNight(() => {
  test("the planted breaches are found and no others, at the requests of a drift scan", async () => {
    // One key reads all accounts, as a platform team has it.
    const scene = auditScene({
      accounts,
      env: { MODELPLATFORM_ACCOUNTS: JSON.stringify({ a0000: { apiKey: "all-accounts-key" } }) },
    });
    scene.emulator.world.setKey("all-accounts-key", "platform", "superuser");
    const draw = drawn(7);
    const planted: string[] = [];
    scene.emulator.world.put({
      kind: "Model",
      name: baseModel,
      fields: { name: baseModel, state: "READY", public: true, deprecationDate: { year: 2030, month: 2, day: 1 } },
    });
    for (const account of accounts)
      for (let index = 0; index < objectsPerAccount; index++) {
        const deployment = `accounts/${account}/deployments/d${index}`;
        const user = `accounts/${account}/users/u${index}`;
        const [nobody, busy, admin, retiring] = [draw(40) === 0, draw(50) === 0, draw(60) === 0, draw(80) === 0];
        scene.put(deployment, {
          ...{ state: "READY", deploymentShape: shape, maxReplicaCount: 1 },
          baseModel: retiring ? baseModel : "accounts/platform/models/open-8b",
          annotations: nobody ? {} : { "custom/team": "search" },
          ...(busy && { minReplicaCount: 1 }),
        });
        scene.put(user, { email: `u${index}@example.com`, role: admin ? "admin" : "user", state: "READY" });
        if (nobody) planted.push(`annotations-required ${deployment}`);
        if (busy) planted.push(`scale-to-zero-outside-production ${deployment}`);
        if (admin) planted.push(`admins-listed ${user}`);
        if (retiring) planted.push(`retiring-model ${deployment}`);
      }
    const before = scene.requests.length;
    const drift = await scene.scan([], { allAccounts: true, unmanaged: true });
    const ofDrift = scene.requests.splice(before).map(({ method, path }) => `${method} ${path}`);
    const report = await scene.audit([], { accounts: [], allAccounts: true });
    const ofAudit = scene.requests.splice(before).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(planted.map((breach) => breach.split(" ")[0])).size).toBe(4);
    expect(breachesOf(report).sort()).toEqual(planted.sort());
    expect(ofAudit.sort()).toEqual(ofDrift.sort());
    // The list of accounts, one of each collection, and the two models of the platform once for all accounts.
    expect(ofAudit).toHaveLength(Math.ceil(size / 200) + size * managedSpecs.length + 2);
    expect(report).toMatchObject({ exitCode: 2, complete: true, summary: { unmanaged: drift.summary.unmanaged } });
    expect(report.startedAt.slice(0, 10)).toBe(today);
  });
});
