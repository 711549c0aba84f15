import { cliPath, pulumi } from "../../tests/engine/judge";
import { Workshop } from "../../tests/engine/workshop";

/**
 * Wall time of `up`, a second `up` and `destroy` for resources of a provider that does nothing, on the built-in
 * engine and on the Pulumi CLI with its file backend, if that is on the PATH. The ratio is the one to look at: both
 * spend the same on the program and the provider.
 */

const counts = (process.env["COUNTS"] ?? "1,100,1000").split(",").map(Number);
const operations = ["up", "up", "destroy"] as const;
/** At most this share of the CLI's time for the first `up`. */
const target = 0.4;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** One operation, which has to go well, on either engine. */
type Run = (operation: (typeof operations)[number]) => Promise<void>;

async function builtIn(workshop: Workshop): Promise<Run> {
  const stack = await workshop.open();
  return async (operation) => {
    const { result } = await stack[operation]();
    if (result !== "succeeded") throw new Error(`${operation} ${result}`);
  };
}

async function cli(workshop: Workshop): Promise<Run> {
  await pulumi(workshop, "stack", "init", "dev");
  return async (operation) => {
    const { code, output } = await pulumi(workshop, operation, "--yes", "--skip-preview");
    if (code !== 0) throw new Error(output);
  };
}

/** In turns, so that both find the machine alike. */
async function compare(count: number): Promise<void> {
  process.env["COUNT"] = String(count);
  const workshops = [new Workshop("many"), new Workshop("many")] as const;
  try {
    const ours = await builtIn(workshops[0]);
    const theirs = cliPath === undefined ? undefined : await cli(workshops[1]);
    for (const [index, operation] of operations.entries()) {
      const our = await seconds(() => ours(operation));
      const their = theirs && (await seconds(() => theirs(operation)));
      const wanted = index === 0 ? ` (target: at most ${target})` : "";
      const against =
        their === undefined
          ? "not compared, since there is no Pulumi CLI on PATH"
          : `Pulumi CLI ${their.toFixed(1)} s, ratio ${(our / their).toFixed(2)}${wanted}`;
      console.log(
        `${count} resources, ${index === 1 ? "second up" : operation}: built-in ${our.toFixed(1)} s, ${against}`,
      );
    }
  } finally {
    for (const workshop of workshops) workshop.remove();
  }
}

export async function main(): Promise<void> {
  for (const count of counts) await compare(count);
}
