// First, so that the engine is read with its processes replaced.
import { InlineSite } from "../matrix/inline-site";
import { nightly } from "../nightly";
import { builtIn, onEachEngine } from "./engines";
import { Newcomer } from "./first-project";
import { putPlayedNpx } from "./played-npx";

jest.setTimeout(300_000);

/** The page, as `follow` has a newcomer follow it. */
const leads = (follow: (newcomer: Newcomer) => ReturnType<Newcomer["follow"]>): void =>
  test("the page for newcomers leads from an empty folder to a clean preview and back", async () => {
    const newcomer = new Newcomer();
    try {
      const { steps, transcript } = await follow(newcomer);
      const failed = steps.filter(({ code = 0, missing = [] }) => code !== 0 || missing.length > 0);
      expect({ failed, transcript: failed.length > 0 ? transcript : "" }).toEqual({ failed: [], transcript: "" });
      const commands = steps.flatMap(({ block }) => (block.kind === "commands" ? block.text.split("\n")[0] : []));
      expect(commands.at(-1)).toBe("npx pulumi-modelplatform destroy --yes");
      const quiet = steps.filter(({ block }) => block.kind === "commands" && !block.text.includes("--refresh"));
      expect(quiet.map(({ output }) => output).join("\n")).not.toMatch(/warning|deprecat/i);
    } finally {
      newcomer.close();
    }
  });

describe("on the built-in engine, in one process", () => {
  leads(async (newcomer) => {
    const site = await InlineSite.start();
    site.playIn(newcomer.project);
    const npx = await putPlayedNpx(newcomer.bin, site.play);
    try {
      newcomer.installNothing();
      return await newcomer.follow(builtIn, { emulator: new URL(site.url).port });
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
      leads((newcomer) => {
        newcomer.installOffline();
        return newcomer.follow(engine, { env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" } });
      }),
    ),
);
