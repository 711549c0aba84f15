import type { CallOptions } from "../../provider/api/types";
import { rejection } from "../rejection";
import { chat, start } from "./support/started-client";

describe("a key that a command makes", () => {
  const env = {
    MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { keyCommand: ["print-key"] } }),
    MODELPLATFORM_API_KEY: "",
  };
  const expired = { status: 401, body: { code: 16, message: "the key has expired", details: [] } };
  /** A service that takes one key only, and a command whose runs print those of `printed`, the last one for good. */
  function startWith(good: string, printed: readonly string[]) {
    const runs: string[] = [];
    const run = async (): Promise<string> => {
      const key = printed[Math.min(runs.length, printed.length - 1)]!;
      runs.push(key);
      return key;
    };
    return {
      runs,
      ...start(
        (request) => (request.headers["authorization"] === `Bearer ${good}` ? { body: chat } : expired),
        { run },
        env,
      ),
    };
  }
  const read: CallOptions = { parameters: { name: chat.name } };

  test("is renewed once after a 401, and the request is retried with it", async () => {
    const { client, requests, runs } = startWith("second-key", ["first-key", "second-key"]);
    expect((await client.call("getDeployment", read)).value).toMatchObject(chat);
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer first-key", "Bearer second-key"]);
    await client.call("getDeployment", read);
    expect([runs.length, requests.length]).toEqual([2, 3]);
  });

  test("is renewed once for all requests that it has failed", async () => {
    const { client, runs } = startWith("second-key", ["first-key", "second-key"]);
    await Promise.all(Array.from({ length: 8 }, () => client.call("getDeployment", read)));
    expect(runs).toEqual(["first-key", "second-key"]);
  });

  test("is renewed once for all of them, even to the same one; a second 401 is the error", async () => {
    const { client, requests, runs } = startWith("another-key", ["first-key"]);
    const errors = await Promise.all([0, 1, 2].map(() => rejection(client.call("getDeployment", read))));
    expect(errors.map(({ message }) => message)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining("does not accept the API key of account `acme`")),
    );
    expect(errors.join()).not.toContain("first-key");
    expect([runs.length, requests.length]).toEqual([2, 6]);
  });

  test("is renewed for a create, too: a request with a refused key changes nothing", async () => {
    const { client, requests } = startWith("second-key", ["first-key", "second-key"]);
    await client.call("createDeployment", { body: { baseModel: chat.baseModel } });
    expect(requests.map(({ method }) => method)).toEqual(["POST", "POST"]);
  });

  test("that runs out again is replaced again", async () => {
    let good = "key-1";
    let runs = 0;
    const { client } = start(
      (request) => (request.headers["authorization"] === `Bearer ${good}` ? { body: chat } : expired),
      { run: async () => `key-${++runs}` },
      env,
    );
    for (const next of ["key-1", "key-2", "key-3"]) {
      good = next;
      await client.call("getDeployment", read);
    }
    expect(runs).toBe(3);
  });
});

test("a 401 for a key that no command makes is the error at once", async () => {
  const { client, requests } = start(() => ({ status: 401, body: { code: 16, message: "no", details: [] } }));
  await rejection(client.call("getDeployment", { parameters: { name: chat.name } }));
  expect(requests).toHaveLength(1);
});
