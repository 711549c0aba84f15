import { Option } from "commander";
import { type WantedObjects, wantedObjects } from "../../drift/scan/unmanaged";
import { InvalidFilter } from "../../provider/core/filters/lexer";
import { managedSpecs } from "../../provider/resources/index";
import { usageFailure } from "../command/failure";
import { listOf } from "../command/list-of";

/** Which live objects that are in no stack a command lists. */
export interface ChoiceFlags {
  filter?: string;
  kind?: string[];
}

const kinds = managedSpecs.map(({ kind }) => kind);

export const choiceFlags = (): Option[] => [
  new Option(
    "--filter <filter>",
    "of the objects in no stack, only those that match this AIP-160 filter, such as 'state = FAILED'",
  ),
  new Option("--kind <kind>", "of the objects in no stack, only this kind; may be repeated")
    .choices(kinds)
    .argParser(listOf("--kind", kinds)),
];

/** The choice that flags make; undefined where they make none. */
export function chosenBy({ filter, kind }: ChoiceFlags): WantedObjects | undefined {
  try {
    return wantedObjects(managedSpecs, { kinds: kind, filter });
  } catch (error) {
    if (error instanceof InvalidFilter) throw usageFailure(`--filter: ${error.message}`);
    throw error;
  }
}
