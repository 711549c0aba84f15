/** The oldest version on which `require` reads the modules that some of the packages are. */
export const oldestNode = "20.19.0";

/** Why this package cannot run on a version of Node.js, such as `18.20.4`; undefined where it can. */
export function unsupportedReason(version: string): string | undefined {
  const numbers = (text: string): number[] => text.split(".").map((part) => Number.parseInt(part, 10));
  const [[major = 0, minor = 0], [least = 0, leastMinor = 0]] = [numbers(version), numbers(oldestNode)];
  if (major > least || (major === least && minor >= leastMinor)) return undefined;
  return `pulumi-modelplatform needs Node.js ${oldestNode} or newer, and this is ${version}. Install a newer one: https://nodejs.org/`;
}
