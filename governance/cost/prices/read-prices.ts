import { inWords } from "../../../provider/core/checks/issue-words";
import { ConfigurationError } from "../../../provider/core/errors";
import { fieldsOf } from "../../../provider/core/fields/fields";
import { misspelt } from "../../../provider/core/values/closest";
import { pathText, type Segment } from "../../../provider/core/values/paths";
import { isObject, type Values } from "../../../provider/core/values/values";
import { z } from "../../../provider/core/zod";
import { AcceleratorType } from "../../../provider/resources/messages";
import { regionMeanings } from "../../../provider/resources/regions";
import { type ExactDocument, placeIn, readExactly } from "./exact-document";
import { AcceleratorPrice, Discount, PriceFile, TrainingPrice, type Validity } from "./price-file";
import type { Prices } from "./prices";

/**
 * Reads a file of prices. Throws `ConfigurationError`, with the line, for whatever would make an amount a guess: text
 * for a number, two prices for one thing, a second currency. `where` names the file in words.
 */
export function readPrices(text: string, where: string): Prices {
  const document = readExactly(text, where);
  const refuse = (path: readonly Segment[], reason: string, advice = "Correct the price file."): never => {
    throw new ConfigurationError(`${placeIn(where, document.lineOf(path))}: ${reason}`, { advice });
  };
  const file = parsed(document, refuse);
  const warnings: string[] = [];
  const named = (path: readonly Segment[], value: string | undefined, known: readonly string[]): void => {
    if (value === undefined || known.includes(value)) return;
    const near = misspelt(value, known);
    if (near !== undefined)
      refuse(path, `\`${pathText(path)}\` is ${JSON.stringify(value)}`, `Did you mean \`${near}\`?`);
    warnings.push(
      `${placeIn(where, document.lineOf(path))}: \`${pathText(path)}\` is ${JSON.stringify(value)}, which this version does not know`,
    );
  };
  const { accelerators = [], training = [], discounts = [] } = file;
  accelerators.forEach(({ type, region }, index) => {
    if (type.endsWith("_UNSPECIFIED") || region?.endsWith("_UNSPECIFIED"))
      refuse(["accelerators", index], "a price needs a type, and a region or none", "Name one, or leave `region` out.");
    named(["accelerators", index, "type"], type, acceleratorTypes);
    named(["accelerators", index, "region"], region, Object.keys(regionMeanings));
  });
  const lists = { accelerators, training, discounts };
  for (const [list, entries] of Object.entries(lists))
    entries.forEach((entry, index) => {
      if (entry.from !== undefined && entry.to !== undefined && entry.to < entry.from)
        refuse([list, index], `\`${list}[${index}]\` ends on ${entry.to}, before it begins on ${entry.from}`);
      const own = "currency" in entry ? entry.currency : undefined;
      if (own !== undefined && own !== file.currency)
        refuse(
          [list, index, "currency"],
          `\`${list}[${index}].currency\` is ${own}, and the file's is ${file.currency}`,
          "Two currencies cannot be added up: keep a file for each, or convert the prices.",
        );
    });
  refuseDoubles(
    accelerators,
    ({ type, region, geography }) => `${type} in ${region ?? geography ?? "every region"}`,
    "accelerators",
    refuse,
  );
  refuseDoubles(
    training,
    ({ baseModel, parametersUpTo }) => baseModel ?? `models of up to ${parametersUpTo} parameters`,
    "training",
    refuse,
  );
  refuseDoubles(discounts, ({ account }) => `the account ${account}`, "discounts", refuse);
  const share = (name: "revocable" | "preemptible") =>
    file[name] === undefined ? undefined : document.nanosAt([name]);
  return {
    where,
    currency: file.currency,
    warnings,
    accelerators: accelerators.map((entry, index) => ({
      ...entry,
      nanos: document.nanosAt(["accelerators", index, "hourly"]),
    })),
    training: training.map((entry, index) => ({
      ...entry,
      nanos: document.nanosAt(["training", index, "perMillionTokens"]),
    })),
    discounts: discounts.map((entry, index) => ({ ...entry, nanos: document.nanosAt(["discounts", index, "share"]) })),
    datasets: Object.fromEntries(Object.entries(file.datasets ?? {}).map(([name, tokens]) => [name, BigInt(tokens)])),
    revocable: share("revocable"),
    preemptible: share("preemptible"),
  };
}

const acceleratorTypes = fieldsOf(z.object({ type: AcceleratorType }))[0]!.values!;

function parsed(document: ExactDocument, refuse: (path: readonly Segment[], reason: string) => never): PriceFile {
  if (!isObject(document.value)) return refuse([], "a price file is a map, with `currency` and `accelerators`");
  const result = PriceFile.safeParse(document.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [found] = inWords(issue!, document.value as Values, [], membersAt);
  const hint = /must be a number, not a string/.test(found!.reason) ? "; write it without quotation marks" : "";
  return refuse(
    issue!.path as Segment[],
    `${found!.path === "" ? "the entry" : `\`${found!.path}\``} ${found!.reason}${hint}`,
  );
}

const members = (schema: z.ZodObject): string[] => Object.keys(schema.shape);
const entries: Readonly<Record<string, z.ZodObject>> = {
  accelerators: AcceleratorPrice,
  training: TrainingPrice,
  discounts: Discount,
};
const membersAt = ([list]: readonly Segment[]): string[] =>
  members(list === undefined ? PriceFile : (entries[String(list)] ?? z.object({})));

/** Two entries for one thing on one day would leave the price to chance. */
function refuseDoubles<E extends Validity>(
  all: readonly E[],
  thingOf: (entry: E) => string,
  list: string,
  refuse: (path: readonly Segment[], reason: string, advice: string) => never,
): void {
  const seen = new Map<string, number[]>();
  all.forEach((entry, index) => {
    const thing = thingOf(entry);
    const others = seen.get(thing) ?? [];
    const other = others.find((each) => overlap(all[each]!, entry));
    if (other !== undefined)
      refuse(
        [list, index],
        `\`${list}[${other}]\` and \`${list}[${index}]\` both hold for ${thing} at the same time`,
        "Give them days that do not overlap, with `from` and `to`, or remove one.",
      );
    seen.set(thing, [...others, index]);
  });
}

const overlap = (one: Validity, other: Validity): boolean =>
  (one.from ?? "") <= (other.to ?? "9999-12-31") && (other.from ?? "") <= (one.to ?? "9999-12-31");
