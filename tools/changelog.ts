/** A section of the changelog: what is unreleased, or a version. */
interface Section {
  /** `Unreleased`, or the version. */
  name: string;
  /** When the version was released, as `2026-01-31`. */
  day?: string | undefined;
  /** Everything between its heading and the next one. */
  text: string;
}

const unreleased = "Unreleased";
const heading = /^## +\[?([^\]\s]+)\]?(?: - (.*\S))?\s*$/;

/** The sections in the order of the page. */
export function sectionsOf(changelog: string): Section[] {
  const sections: Section[] = [];
  for (const line of changelog.split(/(?<=\n)/)) {
    const [, name, day] = heading.exec(line) ?? [];
    if (name !== undefined) sections.push({ name, day: isDay(day) ? day : undefined, text: "" });
    else if (sections.length > 0) sections.at(-1)!.text += line;
  }
  return sections;
}

/** The next release. */
interface Release {
  version: string;
  /** As `2026-01-31`. */
  day: string;
  /** The version that the sources have now. */
  current: string;
}

/** The changelog with what is unreleased as the section of a version; throws where that version cannot be the next. */
export function releaseUnreleased(changelog: string, { version, day, current }: Release): string {
  const numbers = numbersOf(version);
  if (numbers === undefined) throw new Error(`\`${version}\` is not a version, such as 1.2.3`);
  const [first, ...versions] = sectionsOf(changelog);
  if (first?.name !== unreleased) throw new Error(noUnreleased);
  if (versions.some(({ name }) => name === version))
    throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const later = [current, ...versions.map(({ name }) => name)].find((other) => isLower(numbers, numbersOf(other)));
  if (later !== undefined) throw new Error(`${version} is lower than ${later}, which package.json or CHANGELOG.md has`);
  if (isEmpty(first)) throw new Error(`[${unreleased}] is empty in CHANGELOG.md: there is nothing to release`);
  return changelog.replace(/^## .*\n/m, (line) => `${line}\n## [${version}] - ${day}\n`);
}

/** Why the changelog is not that of a release of the version, if it is not. */
export function problemOfRelease(changelog: string, version: string): string | undefined {
  const [first, topmost] = sectionsOf(changelog);
  if (first?.name !== unreleased) return noUnreleased;
  if (topmost === undefined) return "no version has a section";
  if (topmost.name !== version) return `the topmost section is ${topmost.name}, and the version ${version}`;
  if (!isEmpty(first)) return `[${unreleased}] has entries that the release leaves out`;
  if (topmost.day === undefined) return `the section of ${version} has no date`;
  return isEmpty(topmost) ? `the section of ${version} is empty` : undefined;
}

const noUnreleased = `CHANGELOG.md has no section [${unreleased}] at its top`;

/** Headings alone are no entry. */
const isEmpty = ({ text }: Section): boolean => !text.split("\n").some((line) => /\S/.test(line) && !/^#/.test(line));

/** Whether a calendar has the day. */
const isDay = (day = ""): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, day.length) === day;

const numbersOf = (version: string): number[] | undefined =>
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version)?.slice(1).map(Number);

function isLower(version: readonly number[], than: readonly number[] = []): boolean {
  const index = version.findIndex((number, place) => number !== (than[place] ?? 0));
  return index >= 0 && version[index]! < (than[index] ?? 0);
}
