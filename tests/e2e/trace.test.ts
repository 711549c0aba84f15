import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entriesIn, problemsOf } from "../api/support/har";
import { InlineSite } from "../inline/site";
import { apiKey } from "./site";

test("a run of the quickstart leaves an archive by the schema of HAR 1.2, no secret", async () => {
  const site = await InlineSite.start({ program: "modelplatform-quickstart" });
  try {
    const file = join(site.folder, "run.har");
    const env = { MODELPLATFORM_TRACE: file };
    await site.expect(0, "up", { env });
    await site.expect(0, "destroy", { env });
    const text = readFileSync(file, "utf8");
    expect(problemsOf(text)).toBeUndefined();
    const sent = (await site.requests()).map(({ method, path, status }) => `${method} ${path} ${status}`);
    const traced = entriesIn(text).map(({ request: { method, url }, response: { status } }) => {
      const { pathname } = new URL(url);
      return `${method} ${pathname} ${status}`;
    });
    expect(traced.sort()).toEqual(sent.sort());
    expect(traced.some((line) => line.startsWith("POST /v1/accounts/demo/secrets"))).toBe(true);
    for (const secret of [apiKey, "only-for-the-emulator"]) expect(text).not.toContain(secret);
  } finally {
    await site.close();
  }
});
