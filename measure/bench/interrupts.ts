import { openFor, strike, struckCommands } from "../../tests/interrupts/struck";
import { machine } from "./peers/results";

/**
 * Seconds from a ^C to the end of each command, which waits for the answer to its first, fourth, … request. `POINTS`
 * names others.
 */
const points = (process.env["POINTS"] ?? "1,4,7,10").split(",").map(Number);

export async function main(): Promise<void> {
  console.log(`${machine()}\n`);
  console.log(`| ^C at request | ${points.join(" | ")} |`);
  console.log(`|${" --- |".repeat(points.length + 1)}`);
  for (const [title, command] of Object.entries(struckCommands)) {
    const cells: string[] = [];
    for (const point of points) {
      const site = await openFor(command);
      try {
        const { seconds, code } = await strike(site, command, point, ["SIGINT"]);
        cells.push(seconds === undefined ? "ended before" : `${seconds.toFixed(2)} s, ${code}`);
        if (seconds !== undefined && code !== 130) process.exitCode = 1;
      } finally {
        await site.close();
      }
    }
    console.log(`| ${title} | ${cells.join(" | ")} |`);
  }
}
