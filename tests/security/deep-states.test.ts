import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formats } from "../../drift/report/formats";
import { temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { answers, ending, expectSpoken, listening, operator } from "./scene";

/** A state holds what nobody could walk through: it costs the report one entry, and no other resource. */
const user = (id: string): Values => ({
  ...{ name: `accounts/acme/users/${id}`, email: `${id}@example.com`, role: "user" },
  ...{ state: "READY", displayName: id },
});
const levels = 20_000;
const nests: Readonly<Record<string, string>> = {
  objects: `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
  lists: `${"[".repeat(levels)}1${"]".repeat(levels)}`,
};
const marker = "where the nest goes";

const places: Readonly<Record<string, (resources: readonly Values[]) => void>> = {
  "an output that is no field": (resources) => put(resources[2]!, "outputs", "extra"),
  "an output that is a field": (resources) => put(resources[2]!, "outputs", "displayName"),
  "an input that is a field": (resources) => put(resources[2]!, "inputs", "displayName"),
  "an input of a create that did not finish": (resources) => {
    for (const key of ["id", "outputs"]) delete resources[2]![key];
    put(resources[2]!, "inputs", "displayName");
  },
  "an output of the stack": (resources) => put({ ...resources[0]! }, "outputs", "url", resources[0]),
};

function put(resource: Values, part: string, key: string, into = resource): void {
  into[part] = { ...(resource[part] as Values | undefined), [key]: marker };
}

const every = Object.keys(formats);
const [firstPlace, ...otherPlaces] = Object.keys(places);

/** A state is read before a format is asked for: every format meets one place, and every place one format. */
const cases = Object.keys(nests).flatMap((nest, index) => [
  ...(index === 0 ? [[nest, firstPlace!, every] as const] : []),
  ...(index === 0 ? otherPlaces : Object.keys(places)).map((place) => [nest, place, ["json"]] as const),
]);

test.each(cases)("%s 20,000 deep in %s leave the rest of a scan as it is, in %j", async (nest, place, shown) => {
  const listed = [{ ...user("ada"), displayName: "Eve" }, user("bob")];
  const { url } = await listening(
    answers({ "GET /v1/accounts/acme/users": { body: { users: listed } }, "GET /v1/": {} }),
  );
  const document = exported(
    ["ada", "bob"].map((id) => ({
      kind: "User",
      inputs: { email: `${id}@example.com`, role: "user", displayName: id },
      live: user(id),
    })),
  );
  const { resources } = document["deployment"] as { resources: Values[] };
  for (const { outputs } of resources) if (outputs) (outputs as Values)["endpoint"] = url;
  places[place]!(resources);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(document).replace(`"${marker}"`, nests[nest]!));
  for (const format of shown) {
    const { stdout, said } = await ending(`drift --stack-file prod.json --account acme --format ${format}`, {
      ...{ cwd, env: operator(url) },
    });
    expectSpoken(said);
    // Metrics count objects and name none.
    const found = format === "openmetrics" ? /drift_objects\{verdict="changed"\} 1/ : /ada/;
    expect({ format, stdout }).toEqual({ format, stdout: expect.stringMatching(found) });
  }
});

test("such a resource's entry says why it is left out, and the scan is incomplete", async () => {
  const { url } = await listening(answers({ "GET /v1/": {} }));
  const document = exported([
    { kind: "User", inputs: { email: "bob@example.com", role: "user" }, live: user("bob"), outputs: { extra: marker } },
  ]);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(document).replace(`"${marker}"`, nests["objects"]!));
  const { code, stdout } = await ending("drift --stack-file prod.json --account acme --format json", {
    ...{ cwd, env: operator(url) },
  });
  expect({ code, report: JSON.parse(stdout) }).toMatchObject({
    code: 3,
    report: { unusable: [{ stack: "shop/prod", reason: "is nested deeper than 100 levels" }] },
  });
});
