import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelplatform, type Setting, temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import type { Deviations } from "./deviation";
import { ForeignService } from "./foreign-service";

/** Commands that read, at a service that refuses with the status of a success: none of them has seen a thing. */

let service: ForeignService;
afterEach(() => service.close());

const scan = "drift --stack-file empty.json --account acme --unmanaged";

const denied = "you may not list this";

const admin = (id: string): Values => ({
  ...{ name: `accounts/acme/users/${id}`, email: `${id}@example.com`, role: "admin", state: "READY" },
});

async function serve(deviations: Deviations): Promise<Setting & { cwd: string }> {
  service = await ForeignService.start(deviations);
  for (const id of ["eve", "mallory"]) service.objects.set(`accounts/acme/users/${id}`, admin(id));
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "decided.yaml"), "admins-listed: mandatory\n");
  writeFileSync(join(cwd, "empty.json"), JSON.stringify(exported([])));
  const env = {
    ...{ MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key-1", MODELPLATFORM_BASE_URL: service.url },
    XDG_STATE_HOME: join(cwd, "state"),
  };
  return { cwd, env };
}

const forms: [form: string, body: unknown][] = [
  ["as gRPC's JSON", { code: 7, message: denied }],
  ["within a member", { error: { code: 403, status: "PERMISSION_DENIED", message: denied } }],
  ["beside an empty list", { code: 7, message: denied, users: [] }],
  ["as a problem of RFC 9457", { title: "Forbidden", status: 403, detail: denied }],
  ["in a list of errors", { errors: [{ code: "forbidden", detail: denied }] }],
  ["with a description of OAuth", { error: "access_denied", error_description: denied }],
  ["with a list of messages", { statusCode: 403, message: [denied], error: "Forbidden" }],
];

const ofUsers = (body: unknown): Deviations => ({
  lists: (list, collection) => (collection === "users" ? body : list),
});

describe.each(forms)("a list of users that is refused with status 200, %s,", (_, body) => {
  test("is not audited, and that ends with 3", async () => {
    const setting = await serve(ofUsers(body));
    const { code, stdout } = await modelplatform("audit --policy-pack-config decided.yaml --json", setting);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false });
    expect(stdout).toContain(denied);
  });

  test("is the error of a call", async () => {
    const { code, stdout, stderr } = await modelplatform("call listUsers --account acme", await serve(ofUsers(body)));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/listUsers .*answered 200 with the error 403/);
    expect(stderr).toContain(denied);
  });

  test("is no account without users to a scan", async () => {
    const { code } = await modelplatform(`${scan} --json`, await serve(ofUsers(body)));
    expect(code).toBe(3);
  });

  test("is named by codify", async () => {
    const { code, stdout, stderr } = await modelplatform("codify --account acme --json", await serve(ofUsers(body)));
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(denied);
  });

  test("is named by doctor", async () => {
    const { stdout } = await modelplatform("doctor --json", await serve(ofUsers(body)));
    expect(stdout).toMatch(/users is forbidden/);
  });

  test("does not hold for probe", async () => {
    const { stdout } = await modelplatform("probe --json", await serve(ofUsers(body)));
    const { findings } = JSON.parse(stdout) as { findings: { asked: string; said: string | null; verdict: string }[] };
    const refused = findings.filter(({ said }) => said === denied);
    expect(refused.map(({ asked }) => asked)).toContain("GET users");
    expect(refused.map(({ verdict }) => verdict)).not.toContain("holds");
  });
});

test.each([
  ["audit --policy-pack-config decided.yaml --json", 3],
  [`${scan} --json`, 2],
  ["call listUsers --account acme", 0],
])("a list that counts more than it shows is read, and %s ends with %d and a warning", async (line, expected) => {
  const setting = await serve({ lists: (list) => ({ ...list, totalSize: 9 }) });
  const { code, stdout, stderr } = await modelplatform(line, setting);
  expect([code, stdout.includes("users/eve")]).toEqual([expected, true]);
  if (!line.startsWith("call"))
    expect(stderr).toMatch(/warning: listUsers lists 2 of the 9 objects that its `totalSize` counts/);
});

test.each([
  ["of another account", (name: string) => name.replace("acme", "acct-7"), /acct-7/],
  ["that are ids alone", (name: string) => name.split("/").at(-1)!, /`name`|the name of a/],
])("doctor refuses names %s", async (_, change, problem) => {
  const setting = await serve({ shows: (object) => ({ ...object, name: change(String(object["name"])) }) });
  const { code, stdout } = await modelplatform("doctor --json", setting);
  expect(code).toBe(1);
  expect(stdout).toMatch(problem);
});
