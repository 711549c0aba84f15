import { checkoutDoorProbes } from "./doors/checkout";
import { engineProbes } from "./doors/engine";
import { fileDoorProbes } from "./doors/files";
import { nameProbes } from "./doors/names";
import { patternProbes } from "./doors/patterns";
import { pipelineProbes } from "./doors/pipelines";
import { redactionProbes } from "./doors/redaction";
import { textDoorProbes } from "./doors/text";
import { checkoutProbes } from "./probes/checkout";
import { fileProbes } from "./probes/files";
import { neighbourProbes } from "./probes/neighbour";
import { rateStoreProbes } from "./probes/rate-store";
import { serviceProbes } from "./probes/service";
import { stackExportProbes } from "./probes/stack-export";
import { textProbes } from "./probes/text";

const attackers = {
  service: serviceProbes,
  files: [...checkoutProbes, ...stackExportProbes, ...rateStoreProbes, ...fileProbes],
  neighbour: neighbourProbes,
  text: textProbes,
};

test("there are at least 150 attacks, 30 of each attacker, and none twice", () => {
  const all = Object.values(attackers).flat();
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(Object.entries(attackers).filter(([, probes]) => probes.length < 30)).toEqual([]);
  expect(new Set(all.map(({ holds }) => holds)).size).toBe(all.length);
});

const doors = {
  names: nameProbes,
  files: fileDoorProbes,
  text: textDoorProbes,
  redaction: redactionProbes,
  checkout: checkoutDoorProbes,
  engine: engineProbes,
};

test("at least 220 attacks meet the six doors, 25 each, beside patterns and pipelines", () => {
  const all = [...Object.values(doors), patternProbes, pipelineProbes].flat();
  expect(all.length).toBeGreaterThanOrEqual(220);
  expect(Object.entries(doors).filter(([, probes]) => probes.length < 25)).toEqual([]);
  expect(new Set(all.map(({ holds }) => holds)).size).toBe(all.length);
});
