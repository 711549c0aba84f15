import { callerIn, carriesToken, controlAccessError } from "../../emulator/access";
import type { Role } from "../../emulator/types";

const statusFor = (address: string | undefined, headers: Record<string, string>, token?: string) =>
  controlAccessError({ address, headers }, token)?.status;

test.each([
  ["127.0.0.1", "127.0.0.1:8787"],
  ["127.0.0.1", "localhost:8787"],
  ["::1", "[::1]:8787"],
  ["::ffff:127.0.0.1", "localhost"],
])("a program on the machine (%s) that calls it by %s may control", (address, host) => {
  expect(statusFor(address, { host })).toBeUndefined();
  expect(statusFor(address, { host, origin: `http://${host}` })).toBeUndefined();
});

test.each([
  ["another machine", "192.0.2.7", { host: "127.0.0.1:8787" }],
  ["a page whose name was made to point here", "127.0.0.1", { host: "evil.example:8787" }],
  ["a name that only begins like this machine's", "127.0.0.1", { host: "localhost.evil.example" }],
  ["no name", "127.0.0.1", {}],
  ["a page of another site", "127.0.0.1", { host: "127.0.0.1:8787", origin: "https://evil.example" }],
  ["a page of another local server", "127.0.0.1", { host: "127.0.0.1:8787", origin: "http://127.0.0.1:3000" }],
  ["a page without an origin to speak of", "127.0.0.1", { host: "127.0.0.1:8787", origin: "null" }],
] as const)("%s may not control", (_, address, headers) => {
  expect(statusFor(address, headers as Record<string, string>)).toBe(403);
});

test("with a token, only its holders may control, from any machine", () => {
  expect(statusFor("192.0.2.7", { host: "ci.example", authorization: "Bearer t0k3n" }, "t0k3n")).toBeUndefined();
  expect(statusFor("192.0.2.7", { host: "ci.example", "x-control-token": "t0k3n" }, "t0k3n")).toBeUndefined();
  expect(statusFor("192.0.2.7", { host: "ci.example", authorization: "Bearer t0k3" }, "t0k3n")).toBe(401);
  expect(statusFor("127.0.0.1", { host: "127.0.0.1:8787" }, "t0k3n")).toBe(401);
});

test("a call within the process may control", () => {
  expect(statusFor(undefined, {}, "t0k3n")).toBeUndefined();
});

test("a token is distinguished from others of any length", () => {
  for (const other of ["", "t", "t0k3n ", "t0k3n0", "T0K3N"])
    expect(carriesToken({ "x-control-token": other }, "t0k3n")).toBe(false);
  expect(carriesToken({ "x-control-token": "t0k3n" }, "t0k3n")).toBe(true);
});

test("a key is found as its owner's, also once keys have changed", () => {
  const keys = new Map<string, { account: string; role: Role }>([["k-1", { account: "demo", role: "admin" }]]);
  const owner = (key: string) => callerIn(keys, { authorization: `Bearer ${key}` });
  expect(owner("k-1")).toEqual({ account: "demo", role: "admin", key: "k-1" });
  expect(owner("k-2")).toBeUndefined();
  keys.set("k-2", { account: "acme", role: "user" });
  expect(owner("k-2")).toEqual({ account: "acme", role: "user", key: "k-2" });
  keys.set("k-2", { account: "acme", role: "custom" });
  expect(owner("k-2")?.role).toBe("custom");
  keys.delete("k-1");
  keys.set("k-3", { account: "demo", role: "admin" });
  expect([owner("k-1"), owner("k-3")?.account]).toEqual([undefined, "demo"]);
});

test.each([[{}], [{ authorization: "k-1" }], [{ authorization: "Basic k-1" }], [{ authorization: "Bearer " }]])(
  "a request with %j carries no key",
  (headers) => {
    expect(
      callerIn(new Map([["k-1", { account: "demo", role: "admin" }]]), headers as Record<string, string>),
    ).toBeUndefined();
  },
);
