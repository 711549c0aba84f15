import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../inline/site";

jest.setTimeout(300_000);

/** What a preview says of creates that were cut off. */

let site: InlineSite;
beforeEach(async () => void (site = await InlineSite.start({}, Date.now())));
afterEach(() => site.close());

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const bob = { kind: "User", email: "bob@example.com", role: "user" };

/** A run of this stack has begun to create one, says the journal. */
function begin(name: string, email: string): void {
  const [file] = readdirSync(site.intents).map((each) => join(site.intents, each));
  const sent = readFileSync(file!, "utf8")
    .split("\n")
    .find((line) => line.includes('"fact":"sent"'))!;
  const { keyDigest: _, ...place } = JSON.parse(sent).place;
  const urn = site.urn("User", name);
  const other = { ...JSON.parse(sent), id: name, urn, place: { ...place, name: `accounts/demo/users/${name}` } };
  appendFileSync(file!, `${JSON.stringify({ ...other, digest: email })}\n`);
}

/** Two runs have, says the state. */
function beginTwice(name: string): void {
  const file = join(site.folder, "state/.pulumi/stacks", site.project, "dev.json");
  const state = JSON.parse(readFileSync(file, "utf8"));
  const resource = { urn: site.urn("User", name), custom: true, type: "pulumi-nodejs:dynamic/modelplatform:User" };
  state.checkpoint.latest.pending_operations = [1, 2].map(() => ({ resource, type: "creating" }));
  writeFileSync(file, JSON.stringify(state));
}

test("a create of which only the journal tells is named, and nothing to delete", async () => {
  await site.up({ resources: { ada } });
  begin("bob", bob.email);
  site.declare({ resources: { ada, bob } });
  const { output } = await site.expect(0, "preview");
  expect(output).toContain(
    "warning: User accounts/demo/users/bob may have been created as bob by an interrupted run, and no state has it. If the program still declares bob, `up` looks for it before it creates another.",
  );
  expect(output).not.toContain("call deleteUser");
  expect((await site.expect(0, "up")).output).not.toContain("may have been created");
});

test("creates of one resource that were cut off twice are named once", async () => {
  await site.up({ resources: { ada } });
  begin("bob", bob.email);
  beginTwice("bob");
  site.declare({ resources: { ada, bob } });
  const { output } = await site.expect(0, "preview");
  expect(output.split(site.urn("User", "bob"))).toHaveLength(2);
  expect(output).toContain("An operation of an earlier run has an unknown outcome");
  expect(output).not.toContain("may have been created");
});
