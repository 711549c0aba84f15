import type { NdjsonStream } from "../../drift/report/json";
import type { CliContext } from "../command/context";
import type { DriftFlags } from "./flags";

/**
 * Prints findings as soon as their account is read: in the one format that can, unless something else has to be known
 * of each first. Undefined where the report is written at its end.
 */
export function streamFor(
  { format = [], output, since, history, watch }: DriftFlags,
  { stdout }: CliContext,
): NdjsonStream | undefined {
  const waits = [output, since, history, watch].some((flag) => flag !== undefined);
  if (waits || format.length !== 1 || format[0] !== "ndjson") return undefined;
  const { NdjsonStream } = require("../../drift/report/json") as typeof import("../../drift/report/json");
  return new NdjsonStream((text) => stdout.write(text));
}
