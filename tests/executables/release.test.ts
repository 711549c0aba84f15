import { readFileSync } from "node:fs";
import { join } from "node:path";
import { organization, published } from "../../tools/publisher";
import { releaseChecks } from "../../tools/release";

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as { version: string };

const failing = (...of: Parameters<typeof releaseChecks>): string[] =>
  releaseChecks(...of)
    .filter(({ holds }) => !holds)
    .map(({ what, otherwise }) => `${what}: ${otherwise}`);

test("a release is refused while its tag, its changelog or its publisher are not there", () => {
  const [tag, changelog, ...publication] = failing("9.9.9", "v9.9.8");
  expect(tag).toBe("the tag names the version of package.json: it is v9.9.8, and the version 9.9.9");
  expect(changelog).toMatch(/^the changelog is that of the version: .*; run `npm run release:version -- <version>`/);
  const [named, said, packed] = [
    "the publisher is named: replace the placeholder in tools/publisher.ts, and run `npm run generate`",
    "the package says that it is published: say that it is `published` in tools/publisher.ts, and run `npm run generate`",
    expect.stringMatching(/^no packed file names the placeholder, or says that nothing is published: .*README\.md/),
  ];
  const isNamed = !organization.startsWith("example-");
  expect(publication).toEqual([
    ...(isNamed ? [] : [named]),
    ...(published ? [] : [said]),
    ...(isNamed && published ? [] : [packed]),
  ]);
  expect(failing(version, `v${version}`).map((each) => each.split(":")[0])).not.toContain(
    "the tag names the version of package.json",
  );
});
