import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { missingCli, pulumiCli, repository } from "../../tests/e2e/engines";

const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "processor"}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node.js ${process.version}`;

/** The CLI logs each command in its home, which is the user's where nobody names another. */
function versionOfCli(): string {
  const home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
  const env = { ...process.env, PULUMI_HOME: home };
  try {
    return execFileSync(pulumiCli.command, ["version"], { encoding: "utf8", env }).trim();
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Of what is measured beside this package. */
function versions(): string {
  const { version } = JSON.parse(
    readFileSync(join(repository, "node_modules/@pulumi/pulumi/package.json"), "utf8"),
  ) as { version: string };
  const cli = missingCli === "" ? versionOfCli() : "none";
  return `Pulumi SDK ${version}, Pulumi CLI ${cli || "of a build without a version"}`;
}

/** Seconds of the processor that processes have taken that this one started, and theirs, once they ended. */
export function processorOfChildren(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  // The system counts in hundredths of a second. The third field of the file is the first one here.
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const starts = 10;

/** Milliseconds of the processor that Node.js takes to start and end. */
function bareStart(): number {
  const before = processorOfChildren();
  for (let start = 0; start < starts; start += 1) spawnSync(process.execPath, ["-e", "0"]);
  return ((processorOfChildren() - before) * 1000) / starts;
}

/** Milliseconds of the processor that a hundred million steps of a loop take; several times as many until it is compiled. */
function loop(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let step = 0; step < 100_000_000; step += 1) sum = (Math.imul(sum, 31) + step) | 0;
  const { user, system } = process.cpuUsage(before);
  // The result is used, so that the loop is not left out.
  return (user + system) / 1000 + (sum === 0.5 ? 1 : 0);
}

/** Load of each processor above which a machine is busy with something else. */
const busyFrom = 0.5;
export const isBusy = (load: number, processors: number): boolean => load > busyFrom * processors;

/** Waits until what ran before no longer counts, a minute at most. */
export async function settled(): Promise<void> {
  for (let wait = 0; wait < 60 && isBusy(loadavg()[0]!, cpus().length); wait += 1) await pause(1000);
}

/** The day, the machine, how fast it is, and what else it does at this moment. */
export function surroundings(): string {
  const load = loadavg()[0]!;
  const speed = [bareStart(), Math.min(...Array.from({ length: 5 }, loop))].map((ms) => `${ms.toFixed(0)} ms`);
  const busy = isBusy(load, cpus().length) ? " The machine was busy, so that times are longer than they need be." : "";
  return `On ${new Date().toISOString().slice(0, 10)}: ${machine()}, ${versions()}; \`node -e 0\` takes ${speed[0]} of the processor, a loop of 100 million steps ${speed[1]}; the load at the start was ${load.toFixed(1)}.${busy}`;
}
