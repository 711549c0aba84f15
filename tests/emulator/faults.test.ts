import { Faults, type FaultTarget } from "../../emulator/http/faults";
import { ApiError } from "../../emulator/types";
import { client, type EdgeClient } from "./edge-client";

const target = (change: Partial<FaultTarget> = {}): FaultTarget => ({
  operation: "getDeployment",
  method: "GET",
  path: "/v1/accounts/demo/deployments/chat",
  account: "demo",
  ...change,
});

const list = "/v1/accounts/demo/deployments";

/** What went wrong with a request, as a client's retry table would ask. */
const codeOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => "answered",
    (error: { cause?: { code?: string } }) => error.cause?.code,
  );

describe("a rule", () => {
  test.each([
    [{}, true],
    [{ operation: "getDeployment" }, true],
    [{ operation: "createDeployment" }, false],
    [{ method: "get" }, true],
    [{ method: "PATCH" }, false],
    [{ account: "demo" }, true],
    [{ account: "acme" }, false],
    [{ path: "/v1/accounts/demo/deployments/chat" }, true],
    [{ path: "/v1/accounts/*/deployments/*" }, true],
    [{ path: "/v1/accounts/**" }, true],
    [{ path: "*deployments*" }, true],
    [{ path: "/v1/accounts/*/users/*" }, false],
    [{ method: "GET", account: "demo", path: "*/chat", operation: "getDeployment" }, true],
    [{ method: "GET", account: "acme", path: "*/chat" }, false],
  ])("that matches %j strikes: %s", (match, strikes) => {
    const faults = new Faults();
    faults.add({ match, fault: { kind: "reset" } });
    expect(faults.takeMatching(target()) !== undefined).toBe(strikes);
  });

  test("strikes once, after skipping as many as told, and counts its hits", () => {
    const faults = new Faults();
    const { id } = faults.add({ fault: { kind: "reset" }, skip: 2, times: 2 });
    expect([1, 2, 3, 4, 5].map(() => faults.takeMatching(target())?.kind)).toEqual([
      undefined,
      undefined,
      "reset",
      "reset",
      undefined,
    ]);
    expect(faults.list()).toEqual([{ id, match: {}, fault: { kind: "reset" }, skip: 2, times: 2, hits: 2 }]);
  });

  test("without an end strikes always", () => {
    const faults = new Faults();
    faults.add({ fault: { kind: "reset" }, times: null });
    expect(Array.from({ length: 50 }, () => faults.takeMatching(target())).every(Boolean)).toBe(true);
  });

  test("that is older strikes first, and a request that it skips may meet a younger one", () => {
    const faults = new Faults();
    faults.add({ fault: { kind: "reset" }, skip: 1 });
    faults.add({ fault: { kind: "hang" }, times: 2 });
    expect([1, 2, 3, 4].map(() => faults.takeMatching(target())?.kind)).toEqual(["hang", "reset", "hang", undefined]);
  });

  test("that is removed strikes no more", () => {
    const faults = new Faults();
    const { id } = faults.add({ fault: { kind: "reset" } });
    expect(faults.remove(id)).toBe(true);
    expect(faults.remove(id)).toBe(false);
    expect(faults.takeMatching(target())).toBeUndefined();
  });

  test.each([
    [{}, "`fault`"],
    [{ fault: { kind: "explode" } }, "`fault.kind`"],
    [{ fault: { kind: "status" } }, "`fault.status`: must be given for this kind"],
    [{ fault: { kind: "status", status: 99 } }, "`fault.status`"],
    [{ fault: { kind: "reset" }, times: 0 }, "`times`"],
    [{ fault: { kind: "reset" }, math: {} }, "math"],
    [
      { fault: { kind: "reset" }, match: { operation: "createDeploiment" } },
      "there is no operation `createDeploiment`; did you mean `createDeployment`?",
    ],
    [
      { fault: { kind: "status", status: 503, headers: { "Retry-After": "1\r\nx: y" } } },
      "`fault.headers.Retry-After`",
    ],
  ])("that makes no sense is refused: %j", (order, reason) => {
    expect(() => new Faults().add(order)).toThrow(ApiError);
    expect(() => new Faults().add(order)).toThrow(reason);
  });
});

describe("a fault", () => {
  let emulator: EdgeClient;
  beforeEach(() => {
    emulator = client();
  });

  test("of kind status answers without carrying out", async () => {
    await emulator.fault(
      { kind: "status", status: 503, headers: { "Retry-After": "7" } },
      { operation: "createDeployment" },
    );
    const answer = await emulator.api("POST", `${list}?deploymentId=chat`, {
      baseModel: "accounts/platform/models/open-8b",
    });
    expect(answer).toMatchObject({ status: 503, json: { code: 14, details: [] } });
    expect(answer.headers["retry-after"]).toBe("7");
    expect((await emulator.api("GET", `${list}/chat`)).status).toBe(404);
  });

  test("of kind status answers the body it is given", async () => {
    await emulator.fault({ kind: "status", status: 429, body: { message: "quota exhausted" } });
    expect(await emulator.api("GET", list)).toMatchObject({ status: 429, text: '{"message":"quota exhausted"}' });
    await emulator.fault({ kind: "status", status: 502, body: "bad gateway" });
    expect(await emulator.api("GET", list)).toMatchObject({ status: 502, text: "bad gateway" });
  });

  test("of kind status may have a status that goes without a body", async () => {
    await emulator.fault({ kind: "status", status: 204 });
    expect(await emulator.api("GET", list)).toMatchObject({ status: 204, text: "" });
  });

  test("of kind status words its refusal as the account's settings ask for", async () => {
    await emulator.control("PUT", "settings?account=demo", { errorStyle: "nested" });
    await emulator.fault({ kind: "status", status: 404 });
    expect((await emulator.api("GET", list)).json).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  });

  test("of kind commitThenStatus answers once the request has been carried out", async () => {
    await emulator.fault({ kind: "commitThenStatus", status: 504 });
    await expect(emulator.deployment("chat")).rejects.toThrow("504");
    expect((await emulator.api("GET", `${list}/chat`)).status).toBe(200);
  });

  test.each([
    ["reset", "ECONNRESET", 404],
    ["resetAfterCommit", "ECONNRESET", 200],
    ["refuse", "ECONNREFUSED", 404],
  ])("of kind %s breaks the connection", async (kind, code, after) => {
    await emulator.fault({ kind });
    expect(await codeOf(emulator.deployment("chat"))).toBe(code);
    expect((await emulator.api("GET", `${list}/chat`)).status).toBe(after);
  });

  test("of kind hang answers nothing until the caller has enough", async () => {
    await emulator.fault({ kind: "hang" });
    const controller = new AbortController();
    const request = emulator.emulator.fetch(new Request(`http://emulator.test${list}`, { signal: controller.signal }));
    controller.abort(new Error("enough"));
    await expect(request).rejects.toThrow("enough");
  });

  test("of kind truncate ends in the middle of the body", async () => {
    await emulator.fault({ kind: "truncate" });
    expect(await codeOf(emulator.api("GET", list))).toBe("UND_ERR_SOCKET");
  });

  test("of kind stall sends half of the body, then nothing", async () => {
    const whole = (await emulator.api("GET", list)).text;
    await emulator.fault({ kind: "stall" });
    const controller = new AbortController();
    const response = await emulator.emulator.fetch(
      new Request(`http://emulator.test${list}`, {
        signal: controller.signal,
        headers: { authorization: "Bearer demo-key" },
      }),
    );
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(whole.slice(0, whole.length >> 1));
    const rest = reader.read();
    controller.abort(new Error("enough"));
    await expect(rest).rejects.toThrow("enough");
  });

  test("of kind garbage answers 200 with text that is not JSON", async () => {
    await emulator.fault({ kind: "garbage" });
    expect(await emulator.api("GET", list)).toMatchObject({ status: 200, json: undefined });
  });

  test("of kind html answers 200 with a page and carries out nothing", async () => {
    await emulator.fault({ kind: "html" });
    const answer = await emulator.api("POST", `${list}?deploymentId=chat`, {});
    expect(answer).toMatchObject({ status: 200, json: undefined });
    expect(answer.headers["content-type"]).toMatch(/^text\/html/);
    expect((await emulator.api("GET", `${list}/chat`)).status).toBe(404);
  });

  test("of kind oversize answers more than ten megabytes of good JSON", async () => {
    await emulator.fault({ kind: "oversize" });
    const { text, json } = await emulator.api("GET", list);
    expect(text.length).toBeGreaterThan(10 * 1024 * 1024);
    expect(json.deployments).toEqual([]);
  });

  test("of kind redirect points to another origin", async () => {
    await emulator.fault({ kind: "redirect" });
    const answer = await emulator.api("GET", list);
    expect(answer.status).toBe(307);
    expect(answer.headers["location"]).toBe(`https://elsewhere.invalid${list}`);
  });

  test("of kind slow answers after so many milliseconds", async () => {
    const waits: number[] = [];
    const slow = client({ after: (ms, callback) => (waits.push(ms), callback(), () => undefined) });
    await slow.fault({ kind: "slow", ms: 1500 });
    expect((await slow.api("GET", list)).status).toBe(200);
    expect(waits).toEqual([1500]);
  });

  test("with `commit` carries out what its kind would not, or the other way round", async () => {
    await emulator.fault({ kind: "html", commit: true });
    await emulator.deployment("one");
    expect((await emulator.api("GET", `${list}/one`)).status).toBe(200);
    await emulator.fault({ kind: "garbage", commit: false });
    await emulator.deployment("two");
    expect((await emulator.api("GET", `${list}/two`)).status).toBe(404);
  });

  test("appears in the journal, with status 0 if there was no answer", async () => {
    await emulator.fault({ kind: "reset" });
    await emulator.fault({ kind: "status", status: 500 });
    await codeOf(emulator.api("GET", list));
    await emulator.api("GET", list);
    await emulator.api("GET", list);
    const { requests } = (await emulator.control("GET", "requests")).json;
    expect(requests.map(({ status, fault }: { status: number; fault?: string }) => [status, fault])).toEqual([
      [0, "reset"],
      [500, "status"],
      [200, undefined],
    ]);
  });
});

describe("an answer that lags behind", () => {
  let emulator: EdgeClient;
  let path: string;
  beforeEach(async () => {
    emulator = client();
    path = await emulator.deployment("chat");
    await emulator.control("POST", "clock", { advance: "1h" });
    await emulator.api("GET", path);
  });

  test("shows an object as it was before the last write", async () => {
    await emulator.api("PATCH", `${path}?updateMask=display_name`, {
      baseModel: "accounts/platform/models/open-8b",
      displayName: "new",
    });
    await emulator.fault({ kind: "stale" }, { method: "GET" }, { times: 2 });
    const answers = [await emulator.api("GET", path), await emulator.api("GET", list), await emulator.api("GET", path)];
    expect(answers.map(({ json }) => (json.deployments?.[0] ?? json).displayName)).toEqual([
      undefined,
      undefined,
      "new",
    ]);
    expect(answers[0]!.json.state).toBe("READY");
  });

  test("does not see an object that was just made, so many times", async () => {
    await emulator.fault({ kind: "notYetVisible", reads: 2 }, { operation: "createDeployment" });
    const made = await emulator.deployment("late");
    const seen = async () => [
      (await emulator.api("GET", made)).status,
      (await emulator.api("GET", list)).json.totalSize,
    ];
    expect([await seen(), await seen(), await seen()]).toEqual([
      [404, 1],
      [404, 2],
      [200, 2],
    ]);
  });

  test("does not see an object that was just made, for so long", async () => {
    await emulator.fault({ kind: "notYetVisible", ms: 10_000 }, { operation: "createDeployment" });
    const made = await emulator.deployment("late");
    const seen = async () => (await emulator.api("GET", made)).status;
    expect([await seen(), await seen(), await seen()]).toEqual([404, 404, 404]);
    await emulator.control("POST", "clock", { advance: "10s" });
    expect(await seen()).toBe(200);
  });

  test("does not see the object that a read asks for", async () => {
    await emulator.fault({ kind: "notYetVisible" }, { operation: "getDeployment" });
    expect((await emulator.api("GET", path)).json).toMatchObject({ code: 5 });
    expect((await emulator.api("GET", path)).status).toBe(200);
  });

  test("does not keep a write from the world", async () => {
    await emulator.fault({ kind: "notYetVisible", reads: 5 }, { operation: "createDeployment" });
    await emulator.deployment("late");
    await expect(emulator.deployment("late")).rejects.toThrow("already exists");
  });
});
