import type { ReportContext } from "../../drift/report/format";
import type { CliContext } from "../command/context";
import type { Scanned } from "./accept/patches";
import type { OutputFlags } from "./flags";

/** The patch for each finding. The editor of programs takes longer to load than a small scan takes. */
export async function findPatches(
  scanned: Scanned,
  flags: OutputFlags,
  context: CliContext,
): Promise<ReportContext["patches"]> {
  const { patchesFor } = require("./accept/patches") as typeof import("./accept/patches");
  return patchesFor(scanned, flags, context);
}
