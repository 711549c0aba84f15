import { readFileSync } from "node:fs";
import { join } from "node:path";
import { problemOfRelease, releaseUnreleased, sectionsOf } from "../../tools/changelog";

const head = "# Changelog\n\nThe format follows a page.\n\n";
const unreleased = "## [Unreleased]\n\n### Added\n\n- A.\n";
const [day, later] = ["2026-11-26", "2026-12-01"];

/** A changelog with a section of each heading and text. */
const changelog = (...sections: string[]): string => head + sections.join("\n");

describe("what is unreleased", () => {
  test("becomes the dated section of the first version, under an empty section", () => {
    expect(releaseUnreleased(changelog(unreleased), { version: "0.1.0", day, current: "0.1.0" })).toBe(
      changelog("## [Unreleased]\n", "## [0.1.0] - 2026-11-26\n\n### Added\n\n- A.\n"),
    );
  });

  test("is put above the sections of earlier versions, which stay as they are", () => {
    const first = "## [0.9.0] - 2026-01-01\n\n### Added\n\n- Old.\n";
    expect(releaseUnreleased(changelog(unreleased, first), { version: "0.10.0", day: later, current: "0.9.0" })).toBe(
      changelog("## [Unreleased]\n", "## [0.10.0] - 2026-12-01\n\n### Added\n\n- A.\n", first),
    );
  });

  const before = "## [0.2.0] - 2026-01-01\n\n- B.\n";
  test.each([
    ["a version that has a section", "0.2.0", changelog(unreleased, before), "has a section for 0.2.0 already"],
    ["one that has an undated section", "0.2.0", changelog(unreleased, "## [0.2.0]\n"), "for 0.2.0 already"],
    ["one that has a section of another form", "0.2.0", changelog(unreleased, "## 0.2.0\n"), "for 0.2.0 already"],
    ["a version below the newest", "0.1.9", changelog(unreleased, before), "0.1.9 is lower than 0.2.0"],
    ["a version below that of the sources", "0.0.9", changelog(unreleased), "0.0.9 is lower than 0.1.0"],
    ["a version below one further down", "0.2.1", changelog(unreleased, before, "## [0.3.0] - 2026-01-02\n"), "0.3.0"],
    ["nothing to release", "0.3.0", changelog("## [Unreleased]\n", before), "[Unreleased] is empty"],
    ["headings without an entry", "0.3.0", changelog("## [Unreleased]\n\n### Added\n", before), "is empty"],
    ["no section for it", "0.3.0", head, "no section [Unreleased] at its top"],
    ["another section first", "0.3.0", changelog(before, unreleased), "no section [Unreleased] at its top"],
  ])("is refused where there is %s", (_, version, text, problem) => {
    expect(() => releaseUnreleased(text, { version, day, current: "0.1.0" })).toThrow(problem);
  });

  test.each(["", "1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2.3", "1.2.3 ", "latest"])("is refused as %j", (version) => {
    expect(() => releaseUnreleased(changelog(unreleased), { version, day, current: "0.1.0" })).toThrow(
      "is not a version",
    );
  });
});

describe("a release", () => {
  const entry = "\n### Added\n\n- A.\n";
  const released = `## [0.2.0] - 2026-01-01\n${entry}`;
  const empty = "## [Unreleased]\n";

  test("is allowed with its section topmost, dated and not empty", () => {
    expect(problemOfRelease(changelog(empty, released), "0.2.0")).toBeUndefined();
    const next = releaseUnreleased(changelog(unreleased, released), { version: "0.3.0", day, current: "0.2.0" });
    expect(problemOfRelease(next, "0.3.0")).toBeUndefined();
  });

  test.each([
    ["a section that is not topmost", changelog(empty, `## [0.3.0] - ${day}\n${entry}`, released), "topmost"],
    ["entries above it", changelog(unreleased, released), "[Unreleased] has entries that the release leaves out"],
    ["no section of the version", changelog(empty, `## [0.1.0] - ${day}\n${entry}`), "the topmost section is 0.1.0"],
    ["no version at all", changelog(unreleased), "no version has a section"],
    ["no date", changelog(empty, `## [0.2.0]\n${entry}`), "has no date"],
    ["a day that no calendar has", changelog(empty, `## [0.2.0] - 2026-02-30\n${entry}`), "has no date"],
    ["text for a date", changelog(empty, `## [0.2.0] - unreleased\n${entry}`), "has no date"],
    ["an empty section", changelog(empty, `## [0.2.0] - ${day}\n\n### Added\n`, released), "is empty"],
    ["no section for what follows", changelog(released), "no section [Unreleased] at its top"],
  ])("is refused with %s", (_, text, problem) => {
    expect(problemOfRelease(text, "0.2.0")).toContain(problem);
  });
});

test("the changelog has dated versions, newest first, below Unreleased", () => {
  const [first, ...versions] = sectionsOf(readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8"));
  expect(first).toMatchObject({ name: "Unreleased" });
  for (const { name, day: dated } of versions) expect([name, dated]).toEqual([name, expect.any(String)]);
  const names = versions.map(({ name }) => name);
  expect([...names].sort((a, b) => b.localeCompare(a, "en", { numeric: true }))).toEqual(names);
});
