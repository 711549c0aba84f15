import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { builtIn } from "./engines";
import { openModel } from "./everything";
import { Newcomer } from "./first-project";
import { unless } from "./hosts";
import { Site } from "./site";

const { peerDependencies } = require("../../package.json") as { peerDependencies: Record<string, string> };
const sdk = "@pulumi/pulumi";
const range = peerDependencies[sdk]!;

const npm = (cwd: string, ...args: string[]): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 600_000 });

/** Why nothing can be installed here; empty where it can. */
function unreachable(): string {
  try {
    npm(
      __dirname,
      "view",
      `${sdk}@${range.replace(/^\D+/, "")}`,
      "version",
      "--fetch-retries=0",
      "--fetch-timeout=10000",
    );
    return "";
  } catch {
    return "skipped: the npm registry does not answer";
  }
}

unless(unreachable(), "with the SDK at each end of the supported range", () => {
  test.each([
    ["oldest", range.replace(/^\D+/, "")],
    ["newest", range],
  ])("%s: programs on both hosts are made, left alone and destroyed", async (_, version) => {
    const newcomer = new Newcomer();
    const work = join(newcomer.folder, "work");
    npm(work, "install", "--no-audit", "--no-fund", "--ignore-scripts", newcomer.pack(), `${sdk}@${version}`);
    const site = await Site.open(builtIn);
    rmSync(join(site.program, "node_modules"));
    symlinkSync(join(work, "node_modules"), join(site.program, "node_modules"));
    try {
      for (const from of ["pulumi-modelplatform", "pulumi-modelplatform/plugin"]) {
        site.declare({
          from,
          resources: {
            ada: { kind: "User", userId: "ada", email: "ada@example.com", role: "user" },
            chat: { kind: "Deployment", deploymentId: "chat", baseModel: openModel, deploymentShape: "default" },
          },
        });
        await site.expect(0, "up");
        await site.expect(0, "preview --expect-no-changes");
        await site.expect(0, "refresh --preview-only --expect-no-changes");
        await site.expect(0, "destroy");
        expect(site.live("users/")).toEqual([]);
      }
    } finally {
      await site.close();
      newcomer.close();
    }
  });
});
