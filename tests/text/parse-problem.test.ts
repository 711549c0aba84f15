import { yamlValue } from "../../io/text/parse-problem";

test("a text is read as YAML reads it", () => {
  expect(yamlValue("a: 1\nb: [x, &n 2]\nc: *n\n", "it")).toEqual({ a: 1, b: ["x", 2], c: 2 });
  expect(yamlValue("n: 9007199254740993", "it", { intAsBigInt: true })).toEqual({ n: 9007199254740993n });
});

test.each([
  ["a: 1\nb:\n  c: 1\n  c: CANARY\n", "Pulumi.yaml cannot be read: line 4, column 3: duplicate key"],
  ["a: 'CANARY\n", "Pulumi.yaml cannot be read: line 2, column 1: missing char"],
  ["a: &a { b: [1, *a] }\n", "Pulumi.yaml cannot be read: an alias in it leads to what surrounds it"],
  ["a: &a\n  <<: *a\n", "Pulumi.yaml cannot be read: an alias in it leads to what surrounds it"],
  ["a: *CANARY\n", "Pulumi.yaml cannot be read: its aliases lead nowhere, or to too much"],
  [`[${",".repeat(600_000)}]`, "Pulumi.yaml has more than 600,000 tokens by line 1. Check the file, or split it."],
  [`a: &a 1\nb:\n${"- *a\n".repeat(1001)}`, "Pulumi.yaml has more than 1,000 aliases by line 1003."],
  [`x: ${"!!str ".repeat(20_000)}a`, "Pulumi.yaml cannot be read: line 1, column 10: multiple tags"],
  ["a: 1\n---\nb: 2\n", "Pulumi.yaml cannot be read: line 2, column 1: multiple docs"],
  [`a: ${"x".repeat(4 * 1024 * 1024)}`, "Pulumi.yaml has 5 MB, and at most 4 MB are read. Check the file."],
])("a text that cannot be read is named by its place: %.20j", (text, message) => {
  expect(() => yamlValue(text, "Pulumi.yaml")).toThrow(message);
});

test("keys of a large map are compared with few others", () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n");
  const compared = jest.spyOn(Array.prototype, "some");
  expect(Object.keys(yamlValue(keys, "it") as object)).toHaveLength(20_000);
  const calls = compared.mock.calls.length;
  compared.mockRestore();
  // The library's own check calls it for each key.
  expect(calls).toBeLessThan(1000);
});

test("a program of 5,000 resources is read", () => {
  const resource = (index: number): string => `  r${index}:
    type: modelplatform:Deployment
    properties:
      displayName: name ${index}
      baseModel: accounts/acme/models/llama
      minReplicaCount: 1
      maxReplicaCount: 4
      autoscalingPolicy: { scaleUpWindow: 30s, loadTargets: [{ default: 0.8 }] }
      annotations:
        team: search
`;
  const program = `resources:\n${Array.from({ length: 5000 }, (_, index) => resource(index)).join("")}`;
  const { resources } = yamlValue(program, "Pulumi.yaml") as { resources: object };
  expect(Object.keys(resources)).toHaveLength(5000);
});

test.each(["LOG_STREAM", "LOG_TOKENS"])("nothing of a text is printed where the environment has %s", (name) => {
  const [log, dir] = [jest.spyOn(console, "log").mockImplementation(), jest.spyOn(console, "dir").mockImplementation()];
  process.env[name] = "1";
  try {
    expect(yamlValue("token: CANARY\n", "it")).toEqual({ token: "CANARY" });
    expect(process.env[name]).toBe("1");
    expect([log.mock.calls, dir.mock.calls]).toEqual([[], []]);
  } finally {
    delete process.env[name];
    log.mockRestore();
    dir.mockRestore();
  }
});
