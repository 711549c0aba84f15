// First, so that the engine is read with its processes replaced.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../inline/site";

/** A service that creates objects in spite of `validateOnly` is met by previews as well. */

const program = (more: string): string => `
  import { Deployment } from "pulumi-modelplatform";
  new Deployment("chat", {
    deploymentId: "chat", baseModel: "accounts/platform/models/open-8b", deploymentShape: "default",
    onSoftDeletedConflict: "hardDelete", ${more}
  });
`;

test("a preview of a replacement creates nothing where `validateOnly` is ignored", async () => {
  const site = await InlineSite.start({ program: "modelplatform-deployed-model" });
  try {
    const file = join(site.program, "index.ts");
    writeFileSync(file, program(""));
    await site.expect(0, "up");
    site.emulator.world.changeSettings({ validateOnly: "ignore" });
    const before = [...site.emulator.world.all()];
    writeFileSync(file, program("preemptible: true,"));
    const { stdout } = await site.expect(0, "preview --refresh");
    expect(stdout).toMatch(/replace/);
    expect([...site.emulator.world.all()]).toEqual(before);
  } finally {
    await site.close();
  }
});
