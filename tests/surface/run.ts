import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiReports, reportFolder } from "../../tools/api";
import { runScript, type Script } from "../../tools/script";
import { root } from "../rooms";
import { flagTable } from "./flags";

const script = {
  command: "npm run api",
  about: "Records the public surface: every name and type that programs import, and every flag of every command.",
} satisfies Script;

function main(): number {
  const scratch = mkdtempSync(join(tmpdir(), "api-"));
  try {
    mkdirSync(join(root, reportFolder), { recursive: true });
    for (const { path, content } of apiReports(root, scratch)) writeFileSync(join(root, path), content);
    writeFileSync(join(root, reportFolder, "flags.md"), flagTable());
    return 0;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

void runScript(script, main);
