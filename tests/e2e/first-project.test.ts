import { withCliAtNight } from "./engines";
import { Newcomer } from "./first-project";

jest.setTimeout(300_000);

withCliAtNight("the page has the same commands for both", (engine) => {
  test("the page for newcomers leads from an empty folder to a clean preview, and away again", async () => {
    const newcomer = new Newcomer();
    try {
      newcomer.installOffline();
      const { steps, transcript } = await newcomer.follow(engine, { PULUMI_NODEJS_TRANSPILE_ONLY: "true" });
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
});
