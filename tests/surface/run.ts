import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiReports, reportFolder } from "../../tools/api";
import { runScript, type Script } from "../../tools/script";
import { recordLinear } from "../architecture/expressions";
import { root } from "../rooms";
import { flagTable } from "./flags";

const script = {
  command: "npm run api",
  about:
    "Records what is held to a list: names and types of programs, flags of commands, regular expressions found linear.",
} satisfies Script;

function main(): number {
  const scratch = mkdtempSync(join(tmpdir(), "api-"));
  try {
    mkdirSync(join(root, reportFolder), { recursive: true });
    for (const { path, content } of apiReports(root, scratch)) writeFileSync(join(root, path), content);
    writeFileSync(join(root, reportFolder, "flags.md"), flagTable());
    recordLinear();
    return 0;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

void runScript(script, main);
