import type { Fields } from "../../../emulator/types";
import { type Answer, type ApplicationClient, client, demo } from "./client";

const baseModel = "accounts/platform/models/open-8b";
const dataset = "accounts/demo/datasets/tickets";

/** Both kinds of job, with where each has what says how to train. */
const kinds = {
  SupervisedFineTuningJob: { collection: "supervisedFineTuningJobs", training: (fields: Fields): Fields => fields },
  RlorTrainerJob: { collection: "rlorTrainerJobs", training: (trainingConfig: Fields): Fields => ({ trainingConfig }) },
};

const minute = 60;

describe.each(Object.entries(kinds))("%s", (kind, { collection, training }) => {
  const target = `${demo}/${collection}/tune`;
  const parameter = `${kind[0]!.toLowerCase()}${kind.slice(1)}Id`;
  const create = (service: ApplicationClient, how: Fields = {}, beside: Fields = {}): Answer =>
    service.post(`${demo}/${collection}?${parameter}=tune`, { dataset, ...training({ baseModel, ...how }), ...beside });
  const started = (how: Fields = {}, beside: Fields = {}): ApplicationClient => {
    const service = client();
    expect(create(service, how, beside)).toMatchObject({
      status: 200,
      body: { state: "JOB_STATE_CREATING", name: `accounts/demo/${collection}/tune` },
    });
    return service;
  };
  const read = (service: ApplicationClient): Fields => service.get(target).body;

  test("goes through its states and leaves a model that names it", () => {
    const service = started({ outputModel: "support", loraRank: 16 });
    const states = [0, 5, 30, 30, 20 * minute, 30].map((seconds) => {
      service.wait(seconds);
      return read(service)["state"];
    });
    expect(states).toEqual([
      "JOB_STATE_CREATING",
      "JOB_STATE_PENDING",
      "JOB_STATE_VALIDATING",
      "JOB_STATE_RUNNING",
      "JOB_STATE_WRITING_RESULTS",
      "JOB_STATE_COMPLETED",
    ]);
    expect(read(service)).toMatchObject({ completedTime: "2026-01-01T00:21:35.000Z", status: { code: "OK" } });
    expect(service.get(`${demo}/models/support`).body).toMatchObject({
      state: "READY",
      kind: "HUB_PEFT_ADDON",
      fineTuningJob: `accounts/demo/${collection}/tune`,
      peftDetails: { baseModel, r: 16 },
    });
  });

  test("leaves a model named like itself where the program gives no name", () => {
    const service = started();
    expect(service.get(`${demo}/models/tune`).status).toBe(404);
    service.wait(3600);
    expect(service.get(`${demo}/models/tune`).status).toBe(200);
  });

  test("gets a UUID for an id where the request has none", () => {
    const { name } = client().post(`${demo}/${collection}`, { dataset, ...training({ baseModel }) }).body;
    expect(name).toMatch(new RegExp(`^accounts/demo/${collection}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
  });

  test("without an adapter leaves a base model that the base's shapes serve", () => {
    const service = started({ loraRank: 0, outputModel: "full" });
    service.wait(3600);
    expect(service.get(`${demo}/models/full`).body).toMatchObject({
      kind: "HUB_BASE_MODEL",
      baseModelDetails: { parameterCount: "8000000000" },
    });
    const answer = service.post(`${demo}/deployments`, {
      baseModel: "accounts/demo/models/full",
      deploymentShape: "default",
    });
    expect(answer).toMatchObject({ status: 200, body: { precision: "FP8" } });
  });

  test("reports progress by the share of its time", () => {
    const service = started({ epochs: 2 });
    expect(read(service)).not.toHaveProperty("jobProgress");
    service.wait(65 + 10 * minute);
    expect(read(service)["jobProgress"]).toMatchObject({
      percent: 50,
      epoch: 2,
      totalInputRequests: 2000,
      totalProcessedRequests: 1000,
    });
    service.wait(3600);
    expect(read(service)["jobProgress"]).toMatchObject({ percent: 100, epoch: 2 });
  });

  test("fails where its dataset's id says so, and leaves no model", () => {
    const service = started({}, { dataset: "accounts/demo/datasets/will-fail" });
    service.wait(3600);
    const { state, status, completedTime } = read(service);
    expect(state).toBe("JOB_STATE_FAILED");
    expect(status).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringContaining("dataset") as unknown });
    expect(completedTime).toBe("2026-01-01T00:01:05.000Z");
    expect(service.get(`${demo}/models/tune`).status).toBe(404);
  });

  test("rests paused, half done, where its dataset's id says so, until it is resumed", () => {
    const service = started({}, { dataset: "accounts/demo/datasets/will-pause" });
    service.wait(86_400);
    expect(read(service)).toMatchObject({ state: "JOB_STATE_PAUSED", jobProgress: { percent: 50 } });
    expect(read(service)).not.toHaveProperty("completedTime");
    expect(service.post(`${target}:resume`, {})).toMatchObject({ status: 200, body: { state: "JOB_STATE_PENDING" } });
    service.wait(3600);
    expect(read(service)).toMatchObject({ state: "JOB_STATE_COMPLETED", jobProgress: { percent: 100 } });
  });

  test("expires where its dataset's id says so, half done, and leaves no model", () => {
    const service = started({}, { dataset: "accounts/demo/datasets/will-expire" });
    service.wait(3600);
    expect(read(service)).toMatchObject({
      state: "JOB_STATE_EXPIRED",
      jobProgress: { percent: 50 },
      status: { code: "DEADLINE_EXCEEDED" },
      completedTime: "2026-01-01T00:21:05.000Z",
    });
    expect(service.get(`${demo}/models/tune`).status).toBe(404);
  });

  test("waits again where its dataset's id says so, and makes its input", () => {
    const service = started({}, { dataset: "accounts/demo/datasets/requeue", evalAutoCarveout: true });
    const states = [5, 30, 30, 30, 30].map((seconds) => {
      service.wait(seconds);
      return read(service)["state"];
    });
    expect(states).toEqual([
      "JOB_STATE_PENDING",
      "JOB_STATE_RE_QUEUEING",
      "JOB_STATE_VALIDATING",
      "JOB_STATE_CREATING_INPUT_DATASET",
      "JOB_STATE_RUNNING",
    ]);
  });

  test("is cancelled while active, once, and keeps what it reported", () => {
    const service = started();
    service.wait(65 + 5 * minute);
    expect(service.post(`${target}:cancel`, {})).toMatchObject({ status: 200, body: {} });
    expect(read(service)["state"]).toBe("JOB_STATE_CANCELLING");
    expect(service.post(`${target}:cancel`, {}).status).toBe(200);
    service.wait(5);
    expect(read(service)).toMatchObject({ state: "JOB_STATE_CANCELLED", jobProgress: { percent: 25 } });
    service.wait(7200);
    expect(read(service)["state"]).toBe("JOB_STATE_CANCELLED");
    expect(service.get(`${demo}/models/tune`).status).toBe(404);
  });

  test("that is over cannot be cancelled", () => {
    const service = started();
    service.wait(3600);
    expect(service.post(`${target}:cancel`, {})).toMatchObject({ status: 400, body: { code: 9 } });
  });

  test("is resumed from a failure or a pause, not from success", () => {
    const service = started();
    service.post(`${target}:cancel`, {});
    service.wait(5);
    const answer = service.post(`${target}:resume`, {});
    expect(answer).toMatchObject({ status: 200, body: { state: "JOB_STATE_PENDING" } });
    expect(answer.body).not.toHaveProperty("completedTime");
    service.wait(3600);
    expect(read(service)["state"]).toBe("JOB_STATE_COMPLETED");
    expect(service.post(`${target}:resume`, {})).toMatchObject({ status: 400, body: { code: 9 } });
  });

  test("may be deleted while it runs: its tombstone and its model stay (A072, A073)", () => {
    const service = started();
    service.wait(3600);
    service.delete(target);
    expect(read(service)["state"]).toBe("JOB_STATE_DELETING");
    service.wait(1);
    expect(read(service)["state"]).toBe("JOB_STATE_DELETING_CLEANING_UP");
    service.wait(86_400 * 365);
    expect(read(service)["state"]).toBe("JOB_STATE_DELETED");
    expect(service.get(`${demo}/models/tune`).status).toBe(200);
    const running = started();
    running.wait(120);
    expect(running.delete(target).status).toBe(200);
    running.wait(7200);
    expect(running.get(`${demo}/models/tune`).status).toBe(404);
  });

  test("names who started it, and its own page of the experiment tracker", () => {
    const service = started(
      {},
      {
        trackingConfig: {
          enabled: true,
          apiKey: "canary",
          project: "p",
          entity: "e",
          runId: "r",
          url: "https://elsewhere.example.com",
        },
      },
    );
    const body = read(service);
    expect(body["createdBy"]).toContain("@");
    expect(body["trackingConfig"]).toEqual({
      enabled: true,
      project: "p",
      entity: "e",
      runId: "r",
      url: "https://tracking.example.com/e/p/r",
    });
  });

  test("is refused over a model that cannot be tuned, or not in that way", () => {
    const refused = (how: Fields) => expect(create(client(), how)).toMatchObject({ status: 400, body: { code: 3 } });
    refused({ baseModel: "accounts/platform/models/vision-12b" });
    refused({ baseModel: "accounts/platform/models/embed-400m" });
    refused({ baseModel: "accounts/platform/models/open-70b", loraRank: 0 });
    expect(create(client(), { baseModel: "accounts/platform/models/open-70b", loraRank: 8 }).status).toBe(200);
  });

  test("is refused where its model would be in another account", () => {
    expect(create(client(), { outputModel: "accounts/other/models/stolen" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    const service = started({ outputModel: "accounts/demo/models/mine" });
    service.wait(3600);
    expect(service.get(`${demo}/models/mine`).status).toBe(200);
  });
});

describe("supervised fine-tuning", () => {
  const create = (service: ApplicationClient, body: Fields) =>
    service.post(`${demo}/supervisedFineTuningJobs?supervisedFineTuningJobId=tune`, { dataset, ...body });
  const read = (service: ApplicationClient) => service.get(`${demo}/supervisedFineTuningJobs/tune`).body;

  test("starts from a base model or a PEFT addon, not from both", () => {
    expect(create(client(), { baseModel, warmStartFrom: "accounts/demo/models/addon" })).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
    expect(create(client(), { warmStartFrom: "accounts/demo/models/addon" }).status).toBe(200);
  });

  test("stops early where that is asked for and the dataset's id says so", () => {
    const plateau = "accounts/demo/datasets/plateau";
    const outcome = (body: Fields) => {
      const service = client();
      create(service, { baseModel, ...body });
      service.wait(3600);
      return [read(service)["state"], service.get(`${demo}/models/tune`).status];
    };
    expect(outcome({ dataset: plateau, earlyStop: true })).toEqual(["JOB_STATE_EARLY_STOPPED", 200]);
    expect(outcome({ dataset: plateau })).toEqual(["JOB_STATE_COMPLETED", 200]);
  });

  test("estimates its cost, as a whole number in a string and billionths", () => {
    expect(create(client(), { baseModel, epochs: 3 }).body["estimatedCost"]).toEqual({
      currencyCode: "USD",
      units: "4",
      nanos: 500_000_000,
    });
  });

  test("signs its metrics' address for each read, its log's if readable (A097)", () => {
    const service = client();
    create(service, { baseModel });
    service.wait(120);
    const [first, second] = [read(service), read(service)];
    expect(first["metricsFileSignedUrl"]).not.toEqual(second["metricsFileSignedUrl"]);
    expect(first).not.toHaveProperty("trainerLogsSignedUrl");
    const account = service.world.get("accounts/demo")!;
    service.world.put({ ...account, notes: { trainerLogReading: true } });
    expect(read(service)).toHaveProperty("trainerLogsSignedUrl");
  });
});

describe("a reinforcement fine-tuning step", () => {
  const create = (service: ApplicationClient, body: Fields) =>
    service.post(`${demo}/rlorTrainerJobs?rlorTrainerJobId=step`, { dataset, trainingConfig: { baseModel }, ...body });
  const read = (service: ApplicationClient) => service.get(`${demo}/rlorTrainerJobs/step`).body;

  test.each(["keepAlive", "serviceMode"])("with %s comes to rest idle instead of ending", (mode) => {
    const service = client();
    create(service, { [mode]: true });
    service.wait(120);
    expect(read(service)["state"]).toBe("JOB_STATE_RUNNING");
    service.wait(86_400);
    expect(read(service)["state"]).toBe("JOB_STATE_IDLE");
    expect(service.get(`${demo}/models/step`).status).toBe(404);
  });

  test("in service mode has an address while it is up", () => {
    const service = client();
    expect(create(service, { serviceMode: true }).body).not.toHaveProperty("directRouteHandle");
    service.wait(120);
    expect(read(service)["directRouteHandle"]).toBe("step.trainers.example.com");
  });

  test("trains on one node where the request has no number", () => {
    const service = client();
    expect(create(service, {}).body).toMatchObject({ nodeCount: 1 });
    service.wait(65 + 100);
    expect(read(service)["acceleratorSeconds"]).toEqual({ VENDOR1_H100_80GB: "100" });
    expect(create(client(), { nodeCount: 3 }).body).toMatchObject({ nodeCount: 3 });
  });

  test("counts the seconds of its accelerators, as strings, for all nodes", () => {
    const service = client();
    create(service, { nodeCount: 2 });
    service.wait(65 + 100);
    expect(read(service)["acceleratorSeconds"]).toEqual({ VENDOR1_H100_80GB: "200" });
  });
});
