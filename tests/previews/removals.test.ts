// First, so that the engine is read with its processes replaced.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../inline/site";

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

const user = (name: string, options: string, adopt = ""): string => `
  import { User } from "pulumi-modelplatform";
  new User("${name}", { userId: "ada", role: "user", email: "ada@example.com"${adopt} }, { ${options} });
`;

test.each([
  ["without an alias", "", "", 1],
  ["with one", 'aliases: [{ name: "one" }]', "", 0],
  ["without an alias and with `adopt`", "", ', adopt: "overwrite"', 1],
])("a preview of a resource that is renamed %s ends as `up` does", async (_, options, adopt, code) => {
  const site = await InlineSite.start({ program: "modelplatform-deployed-model" });
  try {
    const file = join(site.program, "index.ts");
    writeFileSync(file, user("one", ""));
    await site.expect(0, "up");
    writeFileSync(file, user("two", options, adopt));
    const preview = await site.expect(code, "preview");
    if (code === 1) expect(preview.output).toContain('give two `aliases: [{ name: "one" }]`');
    await site.expect(code, "up");
    expect(JSON.stringify([...site.emulator.world.all()])).toContain("ada@example.com");
  } finally {
    await site.close();
  }
});
