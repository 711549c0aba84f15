import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import { FunctionCounter, type Hops, type RanFunctions } from "./hops/coverage";
import { flowsOf } from "./hops/flows";
import { startService } from "./hops/service";

/**
 * Hops of five flows: files and distinct functions of the compiled package that run during a call, the second time.
 * Functions of up to three lines and closures count apart. The emulator is another process, the dynamic host is this one. With the role `files`, the names of the
 * files, a line of JSON for each flow.
 */

const account = "demo";
const key = "demo-key";

export async function main(role?: string): Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "hops-"));
  const service = await startService(account, key);
  Object.assign(process.env, {
    MODELPLATFORM_ACCOUNT_ID: account,
    MODELPLATFORM_API_KEY: key,
    MODELPLATFORM_BASE_URL: service.url,
    MODELPLATFORM_INTENTS: join(folder, "intents"),
  });
  const counter = await FunctionCounter.start(join(repository, "dist"));
  const { flows, close } = flowsOf(service, folder);
  try {
    const namesFiles = role === "files";
    if (!namesFiles) console.log("| flow | files | functions | closures, one-liners |\n| --- | --- | --- | --- |");
    for (const { title, prepare } of flows) {
      await (await prepare(1))();
      const ran = await counter.during(await prepare(2));
      if (namesFiles) console.log(JSON.stringify({ title, files: [...ran.keys()] }));
      else console.log(`| ${title} | ${ran.size} | ${sumOf(ran, "named")} | ${sumOf(ran, "small")} |`);
    }
  } finally {
    counter.stop();
    await close();
    service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sumOf = (ran: Hops, kind: keyof RanFunctions): number =>
  [...ran.values()].reduce((sum, functions) => sum + functions[kind], 0);
