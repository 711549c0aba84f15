import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scanOfPicture, tamper, textOfPage, textOfTerminal } from "../../measure/pictures/shown";
import { InlineSite } from "../inline/site";
import { root } from "../rooms";

jest.setTimeout(120_000);

let site: InlineSite;
beforeAll(async () => void (site = await InlineSite.start({ program: "modelplatform-quickstart" })));
afterAll(() => site.close());

/** Where these fail on purpose: `npm run pictures`, and commit what it draws. */
describe("the picture of the README", () => {
  test("of a terminal shows what `up` prints today", async () => {
    const picture = readFileSync(join(root, "docs/images/up.svg"), "utf8");
    const title = /<title>([^<]*)<\/title>/.exec(picture)![1]!;
    const { output } = await site.expect(0, "up --yes --skip-preview");
    expect(textOfTerminal(output)).toEqual(textOfTerminal(title));
  });

  test("of a page shows what a scan writes today", async () => {
    await tamper(site);
    const page = join(site.folder, "drift.html");
    const args = [...scanOfPicture(page), "--stack", site.stack];
    expect(await site.play(args, { cwd: site.program, env: site.env })).toMatchObject({ code: 2 });
    const drawn = readFileSync(join(root, "measure/pictures/drift-report.txt"), "utf8");
    expect(textOfPage(readFileSync(page, "utf8"))).toBe(drawn);
  });
});
