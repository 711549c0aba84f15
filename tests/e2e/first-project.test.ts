// First, so that the engine is read with its processes replaced.
import { InlineSite } from "../matrix/inline-site";
import { nightly } from "../nightly";
import { builtIn, onEachEngine } from "./engines";
import { Newcomer } from "./first-project";
import { putPlayedNpx } from "./played-npx";

jest.setTimeout(300_000);

/** Pages that lead from an empty folder to a clean preview, and the last command of each. */
const pages = [
  ["README.md", "npx pulumi-modelplatform preview --refresh --expect-no-changes"],
  ["docs/first-project.md", "npx pulumi-modelplatform destroy --yes"],
] as const;

/** The pages, as `follow` has a newcomer follow them. */
const leads = (follow: (newcomer: Newcomer, page: string) => ReturnType<Newcomer["follow"]>): void =>
  test.each(pages)("%s leads from an empty folder to its last line", async (page, last) => {
    const newcomer = new Newcomer();
    try {
      const { steps, transcript } = await follow(newcomer, page);
      const failed = steps.filter(({ code = 0, missing = [] }) => code !== 0 || missing.length > 0);
      expect({ failed, transcript: failed.length > 0 ? transcript : "" }).toEqual({ failed: [], transcript: "" });
      expect(steps.findLast(({ block }) => block.kind === "commands")?.block.text).toContain(last);
      const quiet = steps.filter(({ block }) => block.kind === "commands" && !block.text.includes("--refresh"));
      expect(quiet.map(({ output }) => output).join("\n")).not.toMatch(/warning|deprecat/i);
    } finally {
      newcomer.close();
    }
  });

describe("on the built-in engine, in one process", () => {
  leads(async (newcomer, page) => {
    const site = await InlineSite.start();
    site.playIn(newcomer.project);
    const npx = await putPlayedNpx(newcomer.bin, site.play);
    try {
      newcomer.installNothing();
      return await newcomer.follow(page, builtIn, { emulator: new URL(site.url).port });
    } finally {
      npx.close();
      await site.close();
    }
  });
});

nightly(
  "the package is packed and installed, and a dozen commands start three processes each; a normal run covers the page in one",
  () =>
    onEachEngine((engine) =>
      leads((newcomer, page) => {
        newcomer.installOffline();
        return newcomer.follow(page, engine, { env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" } });
      }),
    ),
);
