import Table from "cli-table3";
import { builtIn } from "../../tests/e2e/engines";
import { Site } from "../../tests/e2e/site";

/**
 * Requests that a stack costs the service, through the whole of program, engine and provider, by the emulator's
 * journal: for deployments, which have to be waited for, and for secrets, which have not. POST, PATCH and DELETE are
 * exact; a GET more or less depends on how long the machine takes, since a deployment is made in 120 ms here.
 */

const counts = (process.env["COUNTS"] ?? "1,100,1000").split(",").map(Number);
/** So many at once that waiting, not the engine, decides how long it takes. */
const parallel = 100;

/** One after the other, on one stack. Another edit is a change of every resource in place. */
const steps = [
  { title: "create", line: "up", edit: 0 },
  { title: "preview, no change", line: "preview", edit: 0 },
  { title: "up, no change", line: "up", edit: 0 },
  { title: "refresh", line: "refresh", edit: 0 },
  { title: "update", line: "up", edit: 1 },
  { title: "delete", line: "destroy", edit: 1 },
] as const;

const methods = ["POST", "PATCH", "DELETE", "GET"] as const;

async function life(kind: string, count: number, table: Table.Table): Promise<void> {
  const site = await Site.open(builtIn, { program: "fleet" });
  try {
    for (const { title, line, edit } of steps) {
      await site.requests();
      const { code, output } = await site.run(`${line} --parallel ${parallel}`, {
        env: { FLEET: JSON.stringify({ kind, count, edit }) },
      });
      if (code !== 0) throw new Error(`${title} of ${count} ended with ${code}:\n${output.slice(-3000)}`);
      const sent = await site.requests();
      const byMethod = methods.map((method) => sent.filter((request) => request.method === method).length);
      table.push([`${kind}: ${title}`, count, ...byMethod, sent.length, (sent.length / count).toFixed(3)]);
      console.error(`${title} of ${count}: ${sent.length} requests`);
    }
  } finally {
    await site.close();
  }
}

export async function main(): Promise<void> {
  const table = new Table({
    head: ["", "resources", ...methods, "requests", "per resource"],
    style: { head: [], border: [], compact: true },
  });
  for (const kind of ["Deployment", "Secret"]) for (const count of counts) await life(kind, count, table);
  console.log(table.toString());
}
