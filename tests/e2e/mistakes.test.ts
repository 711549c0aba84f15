import { builtIn } from "./engines";
import { openModel } from "./everything";
import type { Site } from "./site";
import { openSite } from "./sites";

/** A mistake of its own in each of 31 resources: messages that are alike would be listed once. */
const mistaken = Object.fromEntries(
  Array.from({ length: 31 }, (_, index) => [
    `chat-${index}`,
    { kind: "Deployment", baseModel: openModel, deploymentShape: "default", [`mistake${index}of31`]: index },
  ]),
);
const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "user" };

let site: Site;
beforeEach(async () => {
  site = await openSite(builtIn);
  site.declare({ resources: { ...mistaken, ada } });
});
afterEach(() => site.close());

const expectAll = (output: string): void => {
  for (const [index, name] of Object.keys(mistaken).entries()) {
    expect(output).toContain(`Deployment ${name} (`);
    expect(output).toContain(`error: mistake${index}of31: is not a property`);
  }
};

test("one preview lists the mistakes of 31 resources and plans the rest", async () => {
  const { output } = await site.expect(1, "preview");
  expectAll(output);
  expect(output).toContain("31 of 32 resources have errors");
  expect(output).toContain("1 to create, 31 failed");
  expect(await site.writes()).toEqual([]);
});

test("an `up` without a preview lists as many, and makes none of them", async () => {
  expectAll((await site.expect(1, "up --skip-preview")).output);
  expect(site.live("deployments")).toEqual([]);
});
