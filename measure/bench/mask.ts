import Table from "cli-table3";
import {
  kinds,
  letters,
  matcherOf,
  secretsOf,
  stepsOf,
  stepsOfSecrets,
  textOfShared,
} from "../../tests/masking/growth";

/** How the work of finding secrets grows, in steps counted: with four times the secrets or the text, fourfold. */

const table = new Table({
  head: ["", "steps", "four times as many", "ratio", "at most"],
  style: { head: [], border: [] },
});

function row(name: string, few: number, many: number, most: number): void {
  const ratio = many / few;
  table.push([name, few, many, ratio.toFixed(2), most]);
  if (ratio > most) process.exitCode = 1;
}

export function main(): void {
  for (const [name, kind] of Object.entries(kinds))
    row(`400 ${name}`, stepsOfSecrets(kind, 100), stepsOfSecrets(kind, 400), name.includes("middle") ? 4.6 : 4.4);

  const secrets = secretsOf(kinds["keys of 40 letters"]!, 400);
  const matcher = matcherOf(secrets);
  const plain = stepsOf(matcher, letters("plain", 4000));
  const shared = stepsOf(matcher, textOfShared(secrets, 4000));
  row("400 KB of text", stepsOf(matcher, letters("text", 100_000)), stepsOf(matcher, letters("text", 400_000)), 4.4);
  row("4,000 letters that share windows", stepsOf(matcher, textOfShared(secrets, 1000)), shared, 4.4);
  console.log(table.toString());
  console.log(`4,000 letters that share windows: ${(shared / plain).toFixed(2)} times others, at most 3`);
  if (shared > 3 * plain) process.exitCode = 1;
}
