import * as processes from "node:child_process";
import { InlineSite } from "./site";

test("a command on such a site starts no process, for its program neither", async () => {
  const started = jest.spyOn(processes, "spawn");
  const site = await InlineSite.start();
  try {
    const { code, output } = await site.run("up --yes");
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
    expect(started.mock.calls.map(([command]) => command)).toEqual([]);
  } finally {
    await site.close();
  }
});
