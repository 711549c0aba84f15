import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { nightly } from "../nightly";
import { builtIn } from "./engines";
import { Site } from "./site";

const mount = (...args: string[]): boolean => spawnSync("mount", args).status === 0;
const unmount = (folder: string): void => void spawnSync("umount", ["--lazy", folder]);

/** Why there is no disk to fill, if there is none. */
function objection(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root may mount a small disk";
  return undefined;
}

const reason = objection();
const users = (count: number) => ({
  resources: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `u${index}`,
      { kind: "User", email: `u${index}@example.com`, role: "user" },
    ]),
  ),
});

nightly("each takes several commands in real processes; `state/refusing-disk` refuses in one", () => {
  (reason === undefined ? describe : describe.skip)(
    `a disk of 48 kB${reason === undefined ? "" : ` (skipped: ${reason})`}`,
    () => {
      let site: Site;
      let disk: string;
      beforeEach(async () => {
        site = await Site.open(builtIn);
        disk = join(site.folder, "disk");
        mkdirSync(disk);
        if (!mount("-t", "tmpfs", "-o", "size=48k", "tmpfs", disk))
          throw new Error("a small disk cannot be mounted here");
      });
      afterEach(async () => {
        unmount(disk);
        await site.close();
      });

      const run = (code: number, line: string) =>
        site.expect(code, line, { env: { PULUMI_BACKEND_URL: `file://${disk}` } });
      /** Lines of output run on, as sentences do. */
      const sentence = (output: string): string => output.replace(/\s+/g, " ");

      test("a state without room is named once, and everything goes on when there is room", async () => {
        await openBackend(`file://${disk}`, { env: {} }).createStack(site.project, site.stack);
        site.declare(users(30));
        const { output } = await run(1, "up");
        const words = `${disk}/.pulumi/stacks/${site.project}/${site.stack}.json cannot be written: the disk is full (ENOSPC). Free space on it, and run the command again.`;
        expect(sentence(output).split(words)).toHaveLength(2);
        expect(output.match(/ENOSPC/g)).toHaveLength(1);
        const left = readdirSync(join(disk, ".pulumi/stacks", site.project)).sort();
        expect(left).toEqual([`${site.stack}.json`, `${site.stack}.json.bak`]);

        expect(mount("-o", "remount,size=4m", disk)).toBe(true);
        await run(0, "up");
        expect(site.live("users/")).toHaveLength(30);
        await run(0, "preview --expect-no-changes");
      });

      test("a read-only one is reported before any request, and previews still work", async () => {
        await openBackend(`file://${disk}`, { env: {} }).createStack(site.project, site.stack);
        site.declare(users(1));
        expect(mount("-o", "remount,ro", disk)).toBe(true);
        const { output } = await run(1, "up");
        expect(sentence(output)).toContain(
          "cannot be written: the file system is read-only (EROFS). Mount it for writing",
        );
        expect(await site.requests()).toEqual([]);
        await run(0, "preview");
      });

      const fill = () =>
        writeFileSync(join(disk, "full"), Buffer.alloc(statfsSync(disk).bavail * statfsSync(disk).bsize));

      test.each<[disk: string, spoil: () => void, words: string]>([
        ["full", fill, "the disk is full (ENOSPC)"],
        ["read-only", () => mount("-o", "remount,ro", disk), "the file system is read-only (EROFS)"],
      ])("a journal on a %s one costs an update a warning, and a create its request", async (_, spoil, words) => {
        const env = { MODELPLATFORM_INTENTS: disk };
        const ada = (role: string) => ({ kind: "User", email: "ada@example.com", role });
        site.declare({ resources: { ada: ada("user") } });
        await site.expect(0, "up", { env: { MODELPLATFORM_INTENTS: join(site.folder, "elsewhere") } });
        spoil();
        site.declare({ resources: { ada: ada("admin") } });
        const updated = sentence((await site.expect(0, "up", { env })).output);
        expect(site.only("users/")["role"]).toBe("admin");
        expect(updated.split(words)).toHaveLength(2);
        await site.requests();
        site.declare({ resources: { ada: ada("admin"), eve: { ...ada("user"), email: "eve@example.com" } } });
        expect(sentence((await site.expect(1, "up", { env })).output)).toContain(words);
        expect(await site.writes()).toEqual([]);
      });
    },
  );
});
