import { canReplace, compareVersions } from "../../io/text/version";

test.each([
  ["1.10.0", "1.9.9", 1],
  ["v1.2.3", "1.2.3", 0],
  ["1.2", "1.2.0", 0],
  ["1.2.3-rc.1", "1.2.3", 0],
  ["0.9.9", "1.0.0", -1],
])("%s compared with %s is %d", (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
});

test.each([
  ["1.2.3", "1.2.3", true],
  ["1.10.0", "1.9.0", true],
  ["1.2.2", "1.2.3", false],
  ["2.0.0", "1.9.0", false],
  ["x", "1.0.0", false],
])("%s can replace %s: %s", (version, least, expected) => {
  expect(canReplace(version, least)).toBe(expected);
});
