import { type CreateVerdict, createRules } from "../../provider/lifecycle/ownership/verdicts";
import { type MetRow, metRows, played } from "./met-objects";

/** Each row of the table, with the verdict of another one: some create shows it. */

const others = createRules.map(({ verdict }, index) => {
  const rest = [...createRules.slice(index + 1), ...createRules.slice(0, index)].map((row) => row.verdict);
  return rest.find((other) => other !== verdict)!;
});

const isAsTold = (row: MetRow): Promise<boolean> =>
  played(row).then(
    (outcome) => outcome === row[4],
    () => false,
  );

jest.setTimeout(600_000);

test.each(createRules.map((row, index) => [index, row.verdict, others[index]!] as const))(
  "row %i with %s exchanged for %s",
  async (index, verdict, other) => {
    const row = createRules[index] as { verdict: CreateVerdict };
    row.verdict = other;
    try {
      for (const met of metRows) if (!(await isAsTold(met))) return;
      throw new Error("No create has shown it");
    } finally {
      row.verdict = verdict;
    }
  },
);
