import { z } from "../../provider/core/zod";
import { geographies } from "../../provider/resources/regions";
import { type Nanos, whole } from "./money";

/** The file of prices as its users write it. `prices.schema.json` of this package is made from it. */

const Day = z.iso.date();
const validity = {
  from: Day.optional().describe("First day that it holds, UTC. Absent: it always has."),
  to: Day.optional().describe("Last day that it holds, UTC. Absent: it goes on."),
};
const Share = z.number().min(0).max(1);
const Price = z.number().min(0);
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be a code of ISO 4217, such as USD")
  .describe("Code of the currency, such as `USD`.");
const sameCurrency = currency.optional().describe("Only to say it again: a file has one currency.");

const geographyNames = geographies.map(({ geography }) => geography);
const Geography = z.enum(geographyNames as [string, ...string[]]);

export const AcceleratorPrice = z
  .strictObject({
    type: z.string().min(1).describe("Accelerator type, such as `VENDOR1_H100_80GB`."),
    hourly: Price.describe("Price of one accelerator for one hour."),
    region: z.string().min(1).optional().describe("Only in this region, such as `EU_FRANKFURT_1`."),
    geography: Geography.optional().describe("Only in the regions of this geography."),
    currency: sameCurrency,
    ...validity,
  })
  .refine(({ region, geography }) => region === undefined || geography === undefined, {
    path: ["geography"],
    error: "cannot be combined with `region`",
  })
  .meta({
    id: "AcceleratorPrice",
    description:
      "A price by the hour. One for a region goes before one for its geography, and that before one for everywhere.",
  });

export const TrainingPrice = z
  .strictObject({
    baseModel: z.string().min(1).optional().describe("Resource name of the base model that is trained."),
    parametersUpTo: z
      .int()
      .min(1)
      .optional()
      .describe("Instead: base models of at most so many parameters, unless a smaller class holds them."),
    perMillionTokens: Price.describe("Price of a million training tokens."),
    currency: sameCurrency,
    ...validity,
  })
  .refine(({ baseModel, parametersUpTo }) => (baseModel === undefined) !== (parametersUpTo === undefined), {
    error: "needs either `baseModel` or `parametersUpTo`",
  })
  .meta({ id: "TrainingPrice", description: "A price of training, by base model or by the size of the base model." });

export const Discount = z
  .strictObject({
    account: z.string().min(1).describe("Account that the discount was agreed on for."),
    share: Share.describe("Part of every price that is taken off: 0.15 for 15%."),
    ...validity,
  })
  .meta({ id: "Discount", description: "A negotiated discount on all prices of an account." });

export const PriceFile = z
  .strictObject({
    $schema: z.string().optional().describe("Where editors find this schema."),
    currency,
    accelerators: z.array(AcceleratorPrice).optional().describe("Prices by the hour."),
    revocable: Share.optional().describe("Part of the price that replicas on revocable capacity cost: 0.4 for 40%."),
    preemptible: Share.optional().describe("Part of the price that preemptible deployments cost."),
    training: z.array(TrainingPrice).optional().describe("Prices of fine-tuning."),
    datasets: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe("Number of training tokens of a dataset in one epoch, by its resource name."),
    discounts: z.array(Discount).optional().describe("Negotiated discounts, by account."),
  })
  .meta({ title: "Prices for pulumi-modelplatform", description: "What accelerators and training cost you." });

export type PriceFile = z.infer<typeof PriceFile>;
export type Validity = { from?: string | undefined; to?: string | undefined };

/** JSON Schema of the file, draft 2020-12, for editors. */
export const priceFileSchema = (): object => z.toJSONSchema(PriceFile, { target: "draft-2020-12", io: "input" });

type Priced<E> = E & { nanos: Nanos };

/** A price file that has been read: every number in it is exact. */
export interface Prices {
  /** The file in words, for errors. */
  where: string;
  currency: string;
  warnings: readonly string[];
  accelerators: readonly Priced<z.infer<typeof AcceleratorPrice>>[];
  training: readonly Priced<z.infer<typeof TrainingPrice>>[];
  discounts: readonly Priced<z.infer<typeof Discount>>[];
  datasets: Readonly<Record<string, bigint>>;
  revocable: Nanos | undefined;
  preemptible: Nanos | undefined;
}

/** The lowest and the highest price that may apply, or why there is none. */
export type PriceRange = { least: Nanos; most: Nanos } | { unknown: string };

/** `day` is `YYYY-MM-DD`, UTC. */
const holdsOn =
  (day: string) =>
  ({ from, to }: Validity): boolean =>
    (from ?? "") <= day && day <= (to ?? "9999-12-31");

/** What an accelerator costs for an hour, wherever among `regions` it runs. */
export function hourlyPrice(
  { accelerators }: Prices,
  type: string,
  regions: readonly string[],
  day: string,
): PriceRange {
  const ofType = accelerators.filter((entry) => entry.type === type);
  if (ofType.length === 0) return { unknown: `the price file has no price for ${type}` };
  const current = ofType.filter(holdsOn(day));
  if (current.length === 0) return { unknown: `the price of ${type} ${whyNotOn(day, ofType)}` };
  const priced = regions.map((region) => ({ region, price: priceIn(region, current) }));
  const missing = priced.find(({ price }) => price === undefined);
  if (missing) {
    const outdated = ofType.filter((entry) => covers(entry, missing.region) && !current.includes(entry));
    const why = outdated.length > 0 ? ` ${whyNotOn(day, outdated)}` : " is not in the price file";
    return { unknown: `the price of ${type} in ${missing.region}, where it may run,${why}` };
  }
  return rangeOf(priced.map(({ price }) => price!));
}

const rangeOf = (prices: readonly Nanos[]): { least: Nanos; most: Nanos } => ({
  least: prices.reduce((least, each) => (each < least ? each : least)),
  most: prices.reduce((most, each) => (each > most ? each : most)),
});

/** The geography of a region, by the beginning of its name (A064). */
export const geographyOf = (region: string): string | undefined =>
  geographies.find(({ prefix }) => region.startsWith(prefix))?.geography;

const covers = (entry: { region?: string | undefined; geography?: string | undefined }, region: string): boolean =>
  entry.region === region ||
  (entry.region === undefined && (entry.geography === undefined || entry.geography === geographyOf(region)));

/** The price that says most about the region. */
function priceIn(region: string, entries: Prices["accelerators"]): Nanos | undefined {
  const fitting = entries.filter((entry) => covers(entry, region));
  const best =
    fitting.find((entry) => entry.region !== undefined) ??
    fitting.find((entry) => entry.geography !== undefined) ??
    fitting[0];
  return best?.nanos;
}

function whyNotOn(day: string, entries: readonly Validity[]): string {
  const ended = entries.flatMap(({ to }) => (to !== undefined && to < day ? [to] : [])).sort();
  const begins = entries.flatMap(({ from }) => (from !== undefined && from > day ? [from] : [])).sort();
  return ended.length > 0 ? `is out of date: it ended on ${ended.at(-1)}` : `holds only from ${begins[0]} on`;
}

/** The part of every price that the account pays. */
export function paidShare({ discounts }: Prices, account: string, day: string): Nanos {
  const discount = discounts.find((entry) => entry.account === account && holdsOn(day)(entry));
  return whole - (discount?.nanos ?? 0n);
}

/** What training a model costs. `parameters` is asked for only where no price names the model. */
export function trainingPrice(
  { training }: Prices,
  model: { name: string; parameters: bigint | undefined },
  day: string,
): { nanos: Nanos } | { unknown: string } {
  const named = training.filter(({ baseModel }) => baseModel === model.name);
  const bySize = training.filter(({ parametersUpTo }) => parametersUpTo !== undefined);
  const current = named.find(holdsOn(day));
  if (current) return { nanos: current.nanos };
  if (named.length > 0) return { unknown: `the price of training ${model.name} ${whyNotOn(day, named)}` };
  if (bySize.length === 0) return { unknown: `the price file has no price for training ${model.name}` };
  const { parameters } = model;
  if (parameters === undefined)
    return { unknown: `the price of training ${model.name} depends on its size, which is not known` };
  const classes = bySize
    .filter((entry) => holdsOn(day)(entry) && BigInt(entry.parametersUpTo!) >= parameters)
    .sort((one, other) => one.parametersUpTo! - other.parametersUpTo!);
  const [smallest] = classes;
  return smallest
    ? { nanos: smallest.nanos }
    : { unknown: `the price file has no price for training models of ${parameters} parameters` };
}
