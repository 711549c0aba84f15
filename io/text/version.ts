/** The three numbers that a version begins with. What it leaves out is 0, and what follows them does not count. */
const numbersOf = (version: string): number[] =>
  (/^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version)?.slice(1) ?? []).map((part) => Number(part ?? 0));

/** For sorting: `1.10.0` is after `1.9.0`, and `1.10.0-rc` beside `1.10.0`. */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  return [0, 1, 2].map((index) => (a[index] ?? 0) - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
};

/** Whether what asks for `least` can have `version`: as new, and of the same major version. */
export const canReplace = (version: string, least: string): boolean =>
  numbersOf(version)[0] === numbersOf(least)[0] && compareVersions(version, least) >= 0;
