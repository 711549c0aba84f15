import { z } from "../../../provider/core/zod";
import { geographies } from "../../../provider/resources/regions";

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
