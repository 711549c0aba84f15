import { assertSameEndpoint } from "../../provider/lifecycle/memory/identity";

const recorded = { endpoint: "https://api.example.com" };

test("a recorded object is looked up only at the service of its record (A006)", () => {
  expect(() => assertSameEndpoint("Deployment chat", recorded, "https://other.example.com", false)).toThrow(
    expect.objectContaining({ code: "another-address", message: expect.stringContaining("modelplatform:baseUrl") }),
  );
  expect(() => assertSameEndpoint("Deployment chat", recorded, "https://api.example.com", false)).not.toThrow();
});

test("a program may say that the service has moved", () => {
  expect(() => assertSameEndpoint("Deployment chat", recorded, "https://other.example.com", true)).not.toThrow();
});

test.each(["http://127.0.0.1:9999", "http://localhost:1", "http://[::1]:8787"])(
  "loopback origins count as one: %s",
  (origin) => {
    expect(() =>
      assertSameEndpoint("Deployment chat", { endpoint: "http://127.0.0.1:8787" }, origin, false),
    ).not.toThrow();
  },
);

test("an emulator and a service are never taken for each other", () => {
  expect(() =>
    assertSameEndpoint("Deployment chat", { endpoint: "http://127.0.0.1:8787" }, "https://api.example.com", false),
  ).toThrow();
});
