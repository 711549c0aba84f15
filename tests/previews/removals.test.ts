// First, so that the engine is read with its processes replaced.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../matrix/inline-site";

const settings = (name: string, adopt: string): string => `
  import { PolicySettings } from "pulumi-modelplatform";
  new PolicySettings("${name}", { residency: "EUROPE", onDelete: "clear", allowLoosening: true, ${adopt} });
`;

test("a preview lets settings go to the declaration that adopts them, as `up` does", async () => {
  const site = await InlineSite.start({ program: "modelplatform-deployed-model" });
  try {
    const file = join(site.program, "index.ts");
    writeFileSync(file, settings("one", ""));
    await site.expect(0, "up");
    writeFileSync(file, settings("two", 'adopt: "overwrite"'));
    const preview = await site.expect(0, "preview");
    expect(preview.output).not.toContain("failed");
    const up = await site.expect(0, "up");
    expect(up.output).toMatch(/belongs to \S+::two now, and is not deleted/);
    expect(JSON.stringify([...site.emulator.world.all()])).toContain('"residency":"EUROPE"');
  } finally {
    await site.close();
  }
});
