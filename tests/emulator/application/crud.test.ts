import type { Fields } from "../../../emulator/types";
import { type ApplicationClient, client, demo } from "./client";

interface Subject {
  collection: string;
  id: string;
  create(service: ApplicationClient, id: string): { status: number; body: Fields };
  change: { query: string; body: Fields; expected: Fields };
  /** What a read answers once a delete is over: nothing, or the state of a tombstone. */
  afterDelete: "404" | "DELETED" | "JOB_STATE_DELETED";
}

const base = "accounts/platform/models/open-8b";

const subjects: Readonly<Record<string, Subject>> = {
  Deployment: {
    collection: "deployments",
    id: "chat",
    create: (service, id) =>
      service.post(`${demo}/deployments?deploymentId=${id}&disableAutoDeploy=true`, {
        baseModel: base,
        deploymentShape: "default",
      }),
    change: {
      query: "?updateMask=max_replica_count",
      body: { baseModel: base, maxReplicaCount: 4 },
      expected: { maxReplicaCount: 4 },
    },
    afterDelete: "DELETED",
  },
  User: {
    collection: "users",
    id: "ada",
    create: (service, id) => service.post(`${demo}/users?userId=${id}`, { role: "user", email: `${id}@example.com` }),
    change: {
      query: "?updateMask=display_name",
      body: { role: "user", displayName: "Ada" },
      expected: { displayName: "Ada" },
    },
    afterDelete: "404",
  },
  Secret: {
    collection: "secrets",
    id: "storage",
    create: (service, id) =>
      service.post(`${demo}/secrets`, { name: `accounts/demo/secrets/${id}`, keyName: id.toUpperCase(), value: "x" }),
    change: { query: "?updateMask=key_name", body: { keyName: "OTHER" }, expected: { keyName: "OTHER" } },
    afterDelete: "404",
  },
  Model: {
    collection: "models",
    id: "support",
    create: (service, id) => service.post(`${demo}/models`, { modelId: id, model: { kind: "EMBEDDING_MODEL" } }),
    change: { query: "?updateMask=description", body: { description: "New." }, expected: { description: "New." } },
    afterDelete: "404",
  },
  SupervisedFineTuningJob: {
    collection: "supervisedFineTuningJobs",
    id: "tune",
    create: (service, id) =>
      service.post(`${demo}/supervisedFineTuningJobs?supervisedFineTuningJobId=${id}`, {
        dataset: "d",
        baseModel: base,
      }),
    change: { query: "", body: {}, expected: {} },
    afterDelete: "JOB_STATE_DELETED",
  },
  RlorTrainerJob: {
    collection: "rlorTrainerJobs",
    id: "step",
    create: (service, id) =>
      service.post(`${demo}/rlorTrainerJobs?rlorTrainerJobId=${id}`, {
        dataset: "d",
        trainingConfig: { baseModel: base },
      }),
    change: { query: "", body: {}, expected: {} },
    afterDelete: "JOB_STATE_DELETED",
  },
};

const hour = 3600;

/** One contract, every kind that a client names itself. */
describe.each(Object.entries(subjects))("%s", (_, { collection, id, create, change, afterDelete }) => {
  const target = `${demo}/${collection}/${id}`;
  const listed = (service: ApplicationClient) =>
    (service.get(`${demo}/${collection}`).body[collection] as Fields[]).map(({ name }) => name);
  const settled = (service: ApplicationClient) => {
    service.wait(2 * hour);
    return service;
  };
  const prepared = () => {
    const service = client();
    expect(create(service, id)).toMatchObject({ status: 200, body: { name: `accounts/demo/${collection}/${id}` } });
    return settled(service);
  };

  test("a second create with the same id answers 409 with code 6", () => {
    expect(create(prepared(), id)).toMatchObject({ status: 409, body: { code: 6 } });
  });

  test("is read and listed once it is created", () => {
    const service = prepared();
    expect(service.get(target)).toMatchObject({ status: 200, body: { name: `accounts/demo/${collection}/${id}` } });
    expect(listed(service)).toEqual([`accounts/demo/${collection}/${id}`]);
  });

  test("is missing before: reads, updates and deletes answer 404, the list is empty", () => {
    const service = client();
    for (const answer of [service.get(target), service.delete(target)])
      expect(answer).toMatchObject({ status: 404, body: { code: 5 } });
    expect(service.get(`${demo}/${collection}`).body).toMatchObject({ [collection]: [], totalSize: 0 });
  });

  test("keeps an update, or has none", () => {
    const service = prepared();
    const answer = service.patch(`${target}${change.query}`, change.body);
    if (change.query === "") return expect(answer).toMatchObject({ status: 501, body: { code: 12 } });
    expect(answer).toMatchObject({ status: 200, body: change.expected });
    return expect(settled(service).get(target)).toMatchObject({ status: 200, body: change.expected });
  });

  test("answers a delete with {}, and then is gone or a tombstone that no list shows", () => {
    const service = prepared();
    expect(service.delete(target)).toEqual({ status: 200, body: {}, headers: {} });
    settled(service);
    const read = service.get(target);
    if (afterDelete === "404") expect(read).toMatchObject({ status: 404, body: { code: 5 } });
    else expect(read).toMatchObject({ status: 200, body: { state: afterDelete } });
    expect(listed(service)).toEqual([]);
    expect(service.delete(target)).toMatchObject({ status: 404, body: { code: 5 } });
  });

  test("leaves its id free after a delete, or taken where a tombstone has it", () => {
    const service = prepared();
    service.delete(target);
    settled(service);
    const again = create(service, id);
    if (afterDelete === "404") expect(again).toMatchObject({ status: 200 });
    else expect(again).toMatchObject({ status: 409, body: { code: 6 } });
  });

  test("an update or a delete of a deleted one changes nothing", () => {
    const service = prepared();
    service.delete(target);
    settled(service);
    const answer = service.patch(`${target}${change.query}`, change.body);
    expect([400, 404, 501]).toContain(answer.status);
  });

  test("gets an id from the service where the request has none", () => {
    const service = client();
    if (collection === "secrets" || collection === "models") return;
    const [name, made] = create(service, "").body["name"] === undefined ? [] : [listed(service)[0] as string, 1];
    expect(made).toBe(1);
    expect(name!.startsWith(`accounts/demo/${collection}/`)).toBe(true);
  });

  test("refuses an id that is no path segment, or strictly an unconventional one (A016)", () => {
    for (const bad of ["a%20b", "a%3Fb"]) expect(create(client(), decodeURIComponent(bad)).status).toBe(400);
    expect(create(client(), "UPPER").status).toBe(200);
    expect(create(client({ strict: true }), "UPPER")).toMatchObject({ status: 400, body: { code: 3 } });
  });
});
