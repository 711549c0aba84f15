import { checkoutProbes } from "./probes/checkout";
import { fileProbes } from "./probes/files";
import { neighbourProbes } from "./probes/neighbour";
import { serviceProbes } from "./probes/service";
import { textProbes } from "./probes/text";

const attackers = {
  service: serviceProbes,
  files: [...checkoutProbes, ...fileProbes],
  neighbour: neighbourProbes,
  text: textProbes,
};

test("there are at least 150 attacks, 30 of each attacker, and none twice", () => {
  const all = Object.values(attackers).flat();
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(Object.entries(attackers).filter(([, probes]) => probes.length < 30)).toEqual([]);
  expect(new Set(all.map(({ holds }) => holds)).size).toBe(all.length);
});
