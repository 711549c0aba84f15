import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { manifest } from "../../io/files/package";
import type { ArchiveServer } from "./archive-server";
import type { RehearsalService } from "./emulator";
import { lifeCycle, playLifeCycle } from "./life-cycle";
import { installPlugin } from "./plugin";
import type { PythonIndex } from "./python-index";
import { sizeOf } from "./registry";
import type { Installation } from "./report";
import type { Sandbox } from "./sandbox";
import type { Steps } from "./steps";

const project = "name: people\nruntime:\n  name: python\n  options:\n    virtualenv: venv\n";
const program = `import pulumi
import pulumi_modelplatform as modelplatform

ada = modelplatform.User("ada", email="ada@example.com", role=modelplatform.UserRole.CONTRIBUTOR)
pulumi.export("ada", ada.name)
`;

/** What pip has to report about our package: the wheel that was published, from the local index. */
export function assertFromIndex(report: string, name: string, index: string, wheel: Buffer): void {
  const { install } = JSON.parse(report) as { install: InstalledPackage[] };
  const entry = install.find(({ metadata }) => metadata.name.replaceAll("_", "-") === name);
  if (entry === undefined) throw new Error(`pip reports no installation of ${name}`);
  const { url, archive_info: archive } = entry.download_info;
  const published = createHash("sha256").update(wheel).digest("hex");
  if (!url.startsWith(index)) throw new Error(`${name} was installed from ${url}, and not from ${index}`);
  if (archive.hashes.sha256 !== published)
    throw new Error(`${name} was installed as ${archive.hashes.sha256}, and published as ${published}`);
}

interface InstalledPackage {
  metadata: { name: string };
  download_info: { url: string; archive_info: { hashes: { sha256: string } } };
}

/** Installs the Python SDK in an empty folder, and runs a program with it on the Pulumi CLI. */
export async function rehearsePython(
  sandbox: Sandbox,
  steps: Steps,
  { python, archives, service }: { python: PythonIndex; archives: ArchiveServer; service: RehearsalService },
): Promise<Installation> {
  const cwd = sandbox.newFolder("python-user", "program");
  const user = { cwd, env: { ...sandbox.home("python-user"), ...python.pip, ...service.env } };
  const requirement = `${manifest().name}==${manifest().version}`;
  const install = await steps.during(`installing ${requirement} by pip, and the plugin`, async () => {
    await sandbox.run("python3", ["-m", "venv", "venv"], user);
    await sandbox.run(join(cwd, "venv", "bin", "pip"), ["install", "--report", "report.json", requirement], user);
    const wheel = readdirSync(python.storage).find((file) => file.endsWith(".whl"))!;
    const report = readFileSync(join(cwd, "report.json"), "utf8");
    assertFromIndex(report, manifest().name, python.address, readFileSync(join(python.storage, wheel)));
    await installPlugin(sandbox, user, archives);
  });
  sandbox.write(project, "python-user", "program", "Pulumi.yaml");
  sandbox.write(program, "python-user", "program", "__main__.py");
  const life = await steps.during("running a program in Python", () =>
    playLifeCycle((...args) => sandbox.run("pulumi", args, user), service),
  );
  return {
    what: `pip install ${requirement}`,
    bytes: sizeOf(join(cwd, "venv")),
    seconds: install.seconds + life.seconds,
    ran: `a program on the Pulumi CLI: ${lifeCycle}`,
  };
}
