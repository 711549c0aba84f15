import fc from "fast-check";
import { RateLimiter } from "../../emulator/http/exchange";
import { client } from "./edge-client";

test("as many requests as the burst pass at once, then one per interval", () => {
  let now = 0;
  const limiter = new RateLimiter(() => now);
  const limit = { perSecond: 10, burst: 3 };
  const take = () => limiter.take("demo", limit);
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 100]);
  now = 60;
  expect(take()).toBe(40);
  now = 100;
  expect([take(), take()]).toEqual([0, 100]);
});

test("accounts have buckets of their own", () => {
  const limiter = new RateLimiter(() => 0);
  const limit = { perSecond: 1, burst: 1 };
  expect([limiter.take("a", limit), limiter.take("b", limit), limiter.take("a", limit)]).toEqual([0, 0, 1000]);
});

test("a caller who waits exactly as long as asked is not asked to wait again", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }),
      (perSecond, burst, pauses) => {
        let now = 0;
        const limiter = new RateLimiter(() => now);
        for (const pause of pauses) {
          const wait = limiter.take("demo", { perSecond, burst });
          now += wait;
          if (wait > 0) expect(limiter.take("demo", { perSecond, burst })).toBe(0);
          now += pause;
        }
      },
    ),
  );
});

test("a limited account is answered 429 with the time to wait, the others are not", async () => {
  const { api, control } = client({ accounts: { demo: "demo-key", acme: "acme-key" } });
  await control("PUT", "settings?account=demo", { rateLimit: { perSecond: 4, burst: 1 } });
  const list = "/v1/accounts/demo/users";
  expect((await api("GET", list)).status).toBe(200);
  const refused = await api("GET", list);
  expect(refused).toMatchObject({ status: 429, json: { code: 8 } });
  expect([refused.headers["retry-after"], refused.headers["retry-after-ms"]]).toEqual(["1", "250"]);
  expect((await api("GET", "/v1/accounts/acme/users", undefined, { authorization: "Bearer acme-key" })).status).toBe(
    200,
  );
  await control("POST", "clock", { advance: "250ms" });
  expect((await api("GET", list)).status).toBe(200);
});

test("a limit is of the key's account, whatever account the path names", async () => {
  const { api, control } = client();
  await control("PUT", "settings?account=demo", { rateLimit: { perSecond: 1, burst: 1 } });
  await api("GET", "/v1/accounts/demo/users");
  expect((await api("GET", "/v1/accounts/platform/models")).status).toBe(429);
});

test("a wrong key gets a 401 and takes nothing from the limit", async () => {
  const { api, control } = client();
  await control("PUT", "settings", { rateLimit: { perSecond: 1, burst: 1 } });
  for (let index = 0; index < 3; index++)
    expect((await api("GET", "/v1/accounts/demo/users", undefined, { authorization: "Bearer wrong" })).status).toBe(
      401,
    );
  expect((await api("GET", "/v1/accounts/demo/users")).status).toBe(200);
});

test("a limit set to null is gone", async () => {
  const { api, control } = client();
  await control("PUT", "settings", { rateLimit: { perSecond: 1, burst: 1 } });
  await api("GET", "/v1/accounts/demo/users");
  expect((await control("PUT", "settings", { rateLimit: null })).json.rateLimit).toBeNull();
  expect((await api("GET", "/v1/accounts/demo/users")).status).toBe(200);
});
