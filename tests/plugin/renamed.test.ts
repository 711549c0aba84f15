import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { dynamicUrn } from "../../provider/core/pulumi-names";
import { Deployment } from "../../provider/plugin-classes";
import { closeAll, Plugin, urnOf } from "./support/plugin";

/** A create that was interrupted, and a program in which the resource has another name since. */

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "renamed-"))));
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

/** A plugin whose process has made a deployment that no state has recorded, and the plugin of the next run. */
async function interrupted(): Promise<{ id: string; next: Plugin }> {
  const env = { MODELPLATFORM_INTENTS: folder };
  const first = await Plugin.start({ env });
  const { id } = await first.made("Deployment", "before", chat);
  const next = await first.another(env);
  await next.configure(first.config);
  return { id, next };
}

const aliases = [dynamicUrn(urnOf("Deployment", "before"))];

test("is found again by its alias, which our class hands over and nothing records", async () => {
  const { id, next } = await interrupted();
  const made = await next.made("Deployment", "after", { ...chat, [hiddenInput]: { aliases } });
  expect(made.id).toBe(id);
  expect(made.inputs).not.toHaveProperty(hiddenInput);
  expect(made.outputs).not.toHaveProperty(hiddenInput);
});

test.each([
  ["the language hands over no aliases", {}],
  ["our class says that there was no other name", { [hiddenInput]: {} }],
])("is left beside another one where %s", async (_, hidden) => {
  const { id, next } = await interrupted();
  expect((await next.made("Deployment", "after", { ...chat, ...hidden })).id).not.toBe(id);
});

test("the class of the plugin hands over what a resource was called before", async () => {
  const given: pulumi.runtime.MockResourceArgs[] = [];
  const newResource = (args: pulumi.runtime.MockResourceArgs) => {
    given.push(args);
    return { id: args.name, state: args.inputs };
  };
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "demo", "dev");
  new Deployment("renamed", chat, { aliases: [{ name: "before" }] });
  new Deployment("always", chat);
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
  const hidden = Object.fromEntries(given.map(({ name, inputs }) => [name, inputs[hiddenInput]]));
  expect(hidden).toEqual({ renamed: { aliases }, always: { aliases: [] } });
});
