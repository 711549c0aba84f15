import { InitFailedError } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** Where people are invited, a user stays in `CREATING` until the invitation is answered. */

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  const headers = { host: "127.0.0.1", "content-type": "application/json" };
  const settings = { method: "PUT", headers, body: JSON.stringify({ speed: 0.001 }) };
  await at.emulator.fetch(new Request("http://127.0.0.1/_emulator/settings?account=acme", settings));
});
afterEach(() => at.close());

const ada = { email: "ada@example.com", role: "user", waitFor: "accepted" };

test("a program that waits for no state has the user before the invitation is answered", async () => {
  const process = at.process();
  const { id, outputs } = await process.create("User", "ada", ada);
  expect(at.object(id)).toMatchObject({ state: "CREATING" });
  expect(await at.process().diff("User", "ada", outputs, ada)).toMatchObject({ changes: false });
  await at.change(id, { state: "READY" });
  await at.process().update("User", "ada", outputs, { ...ada, role: "contributor" });
  expect(at.object(id)).toMatchObject({ role: "contributor" });
});

test("a wait that ends without the user says how not to wait", async () => {
  const error = (await rejection(at.process().create("User", "ada", { ...ada, waitFor: "ready" }))) as InitFailedError;
  expect(error).toBeInstanceOf(InitFailedError);
  expect(error.reasons.join("\n")).toContain('set `waitFor: "accepted"` to wait for no state');
});
