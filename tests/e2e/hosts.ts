import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Why tests that need a program on the PATH are left out; empty where they are not. */
export function missing(...programs: readonly string[]): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const absent = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  return absent.length === 0 ? "" : `skipped: no ${absent.map((program) => `\`${program}\``).join(", ")} on PATH`;
}

/** Why tests that run Python programs are left out; empty where they are not. */
export function missingPython(): string {
  const programs = missing("pulumi", "pulumi-language-python", "python3");
  if (programs !== "") return programs;
  try {
    execFileSync("python3", ["-c", "import pulumi, parver, semver"], { stdio: "ignore" });
    return "";
  } catch {
    return "skipped: `python3` has no packages `pulumi`, `parver` and `semver`";
  }
}

/** Tests that are left out, with the reason, where there is one. */
export function unless(reason: string, title: string, tests: () => void): void {
  if (reason === "") describe(title, tests);
  else describe.skip(`${title} (${reason})`, tests);
}
