import { plainOutput } from "../../engine/display/display";
import type { EngineEvent } from "../../engine/events";
import { makeSecret } from "../../engine/values/values";
import { finished, step, summary } from "./display/script";

const nested = { list: [{ key: makeSecret({ deep: "hunter2" }) }], open: "text" };
const state = { inputs: nested, outputs: { hidden: makeSecret("hunter2") } };
const events = [
  {
    ...finished(1, step("update", "a", state)),
    step: { ...step("update", "a", state), old: step("update", "a", state).new },
  },
  summary(2, {}, { outputs: { token: makeSecret("hunter2"), count: 1 } }),
] as EngineEvent[];

function received(showSecrets?: boolean): string {
  const seen: EngineEvent[] = [];
  const output = plainOutput({
    onEvent: (event) => seen.push(event),
    ...(showSecrets === undefined ? {} : { showSecrets }),
  });
  for (const event of events) output.emit(event);
  output.close();
  return JSON.stringify(seen);
}

test("events for programs hold `[secret]` in place of each secret value", () => {
  const text = received();
  expect(text).not.toContain("hunter2");
  expect(text).toContain('"hidden":"[secret]"');
  expect(text).toContain('"key":"[secret]"');
  expect(text).toContain('"token":"[secret]"');
  expect(text).toContain('"open":"text"');
});

test("a program that asks for them gets the values", () => {
  expect(received(true).split("hunter2").length).toBeGreaterThan(3);
});
