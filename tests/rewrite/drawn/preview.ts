import { changesBetween } from "../../../provider/core/comparison/diff";
import { recordedOutputs } from "../../../provider/core/comparison/recorded";
import { digestsOf } from "../../../provider/lifecycle/sources";
import { createHarness, type Harness, type Process } from "../../lifecycle/harness";
import { address } from "../../lifecycle/in-process";
import type { Values } from "../../values";
import type { Lot } from "./world";

/** What a preview with a refresh would do to a resource. */
export type PreviewStep =
  | { op: "same" | "create" }
  /** Paths that would be changed by a request. */
  | { op: "update"; paths: string[] }
  | { op: "failed"; reason: string };

/** A service that has the live objects, for previews of programs. */
export class Previews {
  private constructor(private readonly harness: Harness) {}

  static async open(lots: readonly Lot[]): Promise<Previews> {
    const harness = await createHarness();
    for (const { spec, object, live } of lots)
      if (live) harness.emulator.world.put({ kind: spec.kind, name: object, fields: structuredClone(live) });
    return new Previews(harness);
  }

  /** Of a program that says `args` of what the stack has recorded, or of what it has not. */
  async of(lot: Lot, args: Values): Promise<PreviewStep> {
    const process = this.harness.process();
    try {
      return await (lot.isManaged ? this.known(process, lot, args) : this.adopted(process, lot, args));
    } catch (error) {
      return { op: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  private async known(process: Process, { spec, name, inputs, first }: Lot, args: Values): Promise<PreviewStep> {
    const { kind } = spec;
    const digests = digestsOf(spec, inputs, (bytes) => "5a".repeat(bytes));
    const outputs = recordedOutputs(spec, inputs, first, { accountId: "acme", endpoint: address, digests });
    const found = await process.refresh(kind, name, outputs, inputs);
    if (!found) return { op: "create" };
    const { changes } = await process.diff(kind, name, found.outputs, args);
    if (changes === false) return { op: "same" };
    const differing = changesBetween(spec, found.outputs, await process.check(kind, name, args, found.outputs));
    const paths = differing.filter(({ effect }) => effect !== "record").map(({ path }) => path);
    if (paths.length > 0) return { op: "update", paths };
    await this.harness.requests();
    await process.update(kind, name, found.outputs, args);
    return (await this.isQuiet()) ? { op: "same" } : { op: "update", paths: ["(something)"] };
  }

  private async adopted(process: Process, { spec, name }: Lot, args: Values): Promise<PreviewStep> {
    await this.harness.requests();
    const { outputs } = await process.create(spec.kind, name, args);
    if (!(await this.isQuiet())) return { op: "create" };
    const { changes } = await process.diff(spec.kind, name, outputs, args);
    return changes === false ? { op: "same" } : { op: "update", paths: ["(something)"] };
  }

  /** Nothing was sent that changes anything. */
  private isQuiet = async (): Promise<boolean> =>
    (await this.harness.requests()).every((request) => request.startsWith("GET "));

  close = (): Promise<void> => this.harness.close();
}
