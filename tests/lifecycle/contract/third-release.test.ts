import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Engine, onEachEngine } from "../../e2e/engines";
import type { Site } from "../../e2e/site";
import { openSite } from "../../e2e/sites";
import { everyNth } from "../../nightly";
import type { Values } from "../../values";

/**
 * Stacks that the third release has left, each with its state, its journal and what the service had: this one continues
 * with them as with its own. They were written by that release, by each engine and host, and are never written again.
 */

interface LeftStack {
  engine: "builtin" | "cli";
  host: "dynamic" | "plugin";
  marks: boolean;
  resources: Record<string, Values & { kind: string }>;
  checkpoint: unknown;
  /** The stack's settings: with the salt of its secrets. */
  salt: string;
  journal: Record<string, unknown[]>;
  objects: Record<string, Values>;
}

const folder = join(__dirname, "states", "third-release");

const left = (engine: Engine): (readonly [title: string, stack: LeftStack])[] =>
  readdirSync(folder)
    .map((file) => [file.replace(".json", ""), JSON.parse(readFileSync(join(folder, file), "utf8"))] as const)
    .filter(([, stack]) => stack.engine === (engine.isBuiltIn ? "builtin" : "cli"));

/** What the state does not hold, as the last create of the journal has made it. */
const isUnfinished = (title: string): boolean => /^(killed|cut-off)/.test(title);

async function continued(engine: Engine, { checkpoint, salt, journal, objects, resources, host }: LeftStack) {
  const site = await openSite(engine);
  await site.seed(objects);
  mkdirSync(dirname(site.stateFile), { recursive: true });
  writeFileSync(site.stateFile, JSON.stringify(checkpoint));
  writeFileSync(join(site.program, "Pulumi.dev.yaml"), salt);
  mkdirSync(site.intents);
  for (const [file, facts] of Object.entries(journal))
    writeFileSync(join(site.intents, file), facts.map((fact) => `${JSON.stringify(fact)}\n`).join(""));
  site.declare({ from: host === "plugin" ? "pulumi-modelplatform/plugin" : "pulumi-modelplatform", resources });
  return site;
}

jest.setTimeout(300_000);

const declaredNames = (site: Site): string[] =>
  site
    .resources()
    .map(({ id }) => String(id))
    .sort();

const liveNames = (site: Site): string[] =>
  ["deployments/", "users/", "secrets/"].flatMap((each) => site.live(each).map(({ name }) => String(name))).sort();

/** In this process: what is judged is what a release reads, not where. */
onEachEngine((engine) => {
  everyNth(10, 0, left(engine), (stacks) => {
    test.each(stacks)("the stack %s goes on, with nothing lost or doubled", async (title, stack) => {
      const site = await continued(engine, stack);
      const env = stack.marks ? { MODELPLATFORM_OWNERSHIP_MARKER: "true" } : {};
      try {
        await site.requests();
        await site.expect(0, isUnfinished(title) ? "preview" : "preview --expect-no-changes", { env });
        expect(await site.writes()).toEqual([]);
        await site.expect(0, "up", { env });
        expect(liveNames(site)).toEqual(declaredNames(site));
        expect(liveNames(site)).toHaveLength(Object.keys(stack.resources).length);
        // Nothing was made that was there.
        for (const name of liveNames(site)) expect(Object.keys(stack.objects)).toContain(name);
        await site.expect(0, "preview --expect-no-changes", { env });
        await site.expect(0, "destroy", { env });
        expect(liveNames(site)).toEqual([]);
      } finally {
        await site.close();
      }
    });
  });
});
