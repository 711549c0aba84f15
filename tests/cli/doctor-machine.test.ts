import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DoctorFinding } from "../../cli/platform/doctor/finding";
import { type Machine, machineFindings } from "../../cli/platform/doctor/machine";
import { temporaryFolder } from "./terminal";

const bySubject = (findings: readonly DoctorFinding[]): Record<string, DoctorFinding> =>
  Object.fromEntries(findings.map((finding) => [finding.subject, finding]));

const machine = (changed: Partial<Machine> = {}): Machine => ({
  node: "20.19.0",
  env: { PATH: "" },
  cwd: temporaryFolder(),
  package: join(__dirname, "..", ".."),
  run: () => Promise.reject(new Error("ENOENT")),
  ...changed,
});

/** A folder in which packages are installed, by their versions. */
function folderWith(packages: Record<string, string>): string {
  const cwd = temporaryFolder();
  for (const [name, version] of Object.entries(packages)) {
    mkdirSync(join(cwd, "node_modules", name), { recursive: true });
    writeFileSync(join(cwd, "node_modules", name, "package.json"), JSON.stringify({ name, version }));
  }
  return cwd;
}

test.each<[string, () => Machine, string, DoctorFinding["level"]]>([
  ["Node.js as it should be", () => machine(), "Node.js", "ok"],
  ["an old Node.js", () => machine({ node: "20.18.3" }), "Node.js", "error"],
  [
    "another version of the package in the program",
    () => machine({ cwd: folderWith({ "pulumi-modelplatform": "0.0.1" }) }),
    "pulumi-modelplatform",
    "warning",
  ],
  ["no package in the program", () => machine(), "pulumi-modelplatform", "warning"],
  [
    "an SDK that is too old",
    () => machine({ cwd: folderWith({ "@pulumi/pulumi": "3.100.0" }) }),
    "Pulumi SDK",
    "error",
  ],
  [
    "an SDK of another generation",
    () => machine({ cwd: folderWith({ "@pulumi/pulumi": "4.0.0" }) }),
    "Pulumi SDK",
    "error",
  ],
  ["an SDK that fits", () => machine({ cwd: folderWith({ "@pulumi/pulumi": "3.300.1" }) }), "Pulumi SDK", "ok"],
  ["no Pulumi CLI", () => machine(), "Pulumi CLI", "ok"],
  ["a Pulumi CLI without its launcher", () => machine({ run: async () => "v3.248.0\n" }), "Pulumi CLI", "warning"],
])("%s", async (_, make, subject, level) => {
  const of = bySubject(await machineFindings(make()));
  expect(of[subject]).toMatchObject({ level });
});
