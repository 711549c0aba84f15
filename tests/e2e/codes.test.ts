import { builtIn } from "./engines";
import { openSite } from "./sites";

jest.setTimeout(300_000);

interface Failed {
  kind: string;
  code?: string;
}

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const failing = {
  ...{ kind: "Deployment", baseModel: "accounts/platform/models/open-8b" },
  ...{ acceleratorType: "VENDOR1_L4_24GB", acceleratorCount: 1, precision: "NF4" },
};

test.each([
  { title: "a dynamic resource", from: undefined },
  { title: "a resource of the plugin", from: "pulumi-modelplatform/plugin" },
])("`--json` says by a code why a step of $title failed, or left it unready", async ({ from }) => {
  const site = await openSite(builtIn);
  const codes = async (resources: object): Promise<unknown[]> => {
    site.declare({ resources, ...(from && { from }) });
    const { stdout } = await site.run("up --yes --json");
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Failed);
    return events.filter(({ kind }) => kind === "stepFailed").map(({ code }) => code);
  };
  try {
    await site.seed({ "accounts/demo/users/ada": { email: ada.email, role: ada.role } });
    expect(await codes({ ada })).toEqual(["already-exists"]);
    expect(await codes({ failing })).toEqual(["failed"]);
    expect(site.resource("failing")).toMatchObject({ initErrors: [expect.stringContaining("FAILED")] });
    expect(await codes({ failing: { ...failing, displayName: "Again" } })).toEqual(["failed"]);
  } finally {
    await site.close();
  }
});
