import { renamedFlags, withCurrentFlags } from "../../cli/command/renamed-flags";

const current = (line: string, callsService = true) => {
  const words = line.split(" ");
  const { line: result, notes } = withCurrentFlags(words, renamedFlags(words[0]!, callsService));
  return { line: result.join(" "), notes };
};

test.each([
  ["codify --mode import --output d", "codify --import --output d"],
  ["codify --mode=import", "codify --import"],
  ["codify --mode adopt", "codify"],
  ["drift -c modelplatform:accountId=acme", "drift --setting modelplatform:accountId=acme"],
  ["drift -cmodelplatform:accountId=acme", "drift --setting modelplatform:accountId=acme"],
  ["call listUsers --config=a=b=c", "call listUsers --setting a=b=c"],
  ["accept --body pr.md --json", "accept --format markdown --output pr.md --json"],
])("%s is %s, with one line for the user", (typed, now) => {
  const { line, notes } = current(typed);
  expect(line).toBe(now);
  expect(notes).toHaveLength(1);
  // A value may be a secret.
  expect(notes[0]).not.toMatch(/acme|pr\.md|a=b/);
});

test.each([
  ["codify --target plugin", "codify --for plugin"],
  ["drift --baseline b.json --allow-error", "drift --baseline b.json --baseline-errors"],
])("%s is %s, and stays for good", (typed, now) => {
  expect(current(typed)).toEqual({ line: now, notes: [] });
});

test.each([
  "codify --mode",
  "codify --mode other",
  "codify -- --mode import",
  "up --target urn --config a=b",
  "drift merge a.json --output b.json",
])("%s stays as it is", (typed) => {
  expect(current(typed, !typed.startsWith("up")).line).toBe(typed);
});

test("one note for a flag that is typed twice", () => {
  expect(current("doctor -c a=b -c c=d")).toEqual({
    line: "doctor --setting a=b --setting c=d",
    notes: ["`--config` is now `--setting`"],
  });
});
