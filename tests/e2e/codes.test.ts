import { errorCodes } from "../../provider/core/error-codes";
import { builtIn } from "./engines";
import { openSite } from "./sites";

jest.setTimeout(300_000);

interface Failed {
  kind: string;
  code?: string;
}

test("`--json` tells why a step has failed by the code of its error", async () => {
  const site = await openSite(builtIn);
  try {
    await site.seed({ "accounts/demo/users/ada": { email: "ada@example.com", role: "user" } });
    site.declare({ resources: { ada: { kind: "User", email: "ada@example.com", role: "user" } } });
    const { stdout } = await site.run("up --yes --json");
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Failed);
    const codes = events.flatMap(({ kind, code }) => (kind === "stepFailed" ? code : []));
    expect(codes).toEqual(["already-exists"]);
    expect(Object.keys(errorCodes)).toContain("already-exists");
  } finally {
    await site.close();
  }
});
