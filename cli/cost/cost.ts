import type { Command } from "commander";
import { serviceCatalogue } from "../../governance/cost/catalogue";
import { breachOf } from "../../governance/cost/ceiling";
import { costReport } from "../../governance/cost/estimate";
import { formats } from "../../governance/cost/formats/index";
import { requirePrices } from "../../governance/cost/read-prices";
import { printable } from "../../io/text/printable";
import type { Client } from "../../provider/api/types";
import { dayOf } from "../../provider/core/values/day";
import { type CliContext, exitCodes } from "../command/context";
import { columnsTo, writeOutput } from "../command/files";
import { example, formatsHelp } from "../command/flags";
import { interruptible } from "../command/interruptible";
import { openClient } from "../platform/platform";
import { type CostFlags, checkCostFlags, costFlags, subjectsFrom } from "./sources";

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("cost")
    .description(
      "What deployments and training cost, with your own prices: per hour at the least and at the most, before and after a change. Prices come from MODELPLATFORM_PRICES, a YAML or JSON file; none ship with this package. Sends only reads, and needs a key only for hardware that a shape decides, and for --live.",
    );
  for (const option of costFlags()) command.addOption(option);
  command
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform cost --stack acme/shop/prod --by annotation:custom/team",
        "pulumi preview --json | npx pulumi-modelplatform cost --preview-json -",
        "npx pulumi-modelplatform cost --live --format html --output cost.html",
        "npx pulumi-modelplatform cost --preview-json preview.json --format markdown --fail-above 120/h",
      ),
    )
    .addHelpText("after", formatsHelp(formats))
    .addHelpText("after", "Exit codes: 0 done, 1 error, 2 above the ceiling, 64 usage, 130 interrupted.\n")
    .action((flags: CostFlags) => run(flags, context));
}

async function run(flags: CostFlags, context: CliContext): Promise<void> {
  checkCostFlags(flags);
  const prices = requirePrices({ env: context.env }, context);
  for (const warning of prices.warnings) context.stderr.write(`warning: ${printable(warning)}.\n`);
  const client = openClient(context, { effects: ["read", "readViaPost"] });
  try {
    const report = await interruptible(context, {
      message: "interrupted",
      run: async (signal) =>
        costReport(await subjectsFrom(flags, context, client, signal), {
          prices,
          day: dayOf(context.time.now()),
          catalogue: hasKey(client) ? serviceCatalogue(client, signal) : undefined,
          grouping: flags.by,
        }),
    });
    const format = formats[flags.format ?? (flags.json ? "json" : "text")]!;
    const text = format.render(report, { columns: columnsTo(flags.output, context) });
    if (flags.output === undefined) context.stdout.write(text);
    else writeOutput(flags.output, text, context);
    const breach = breachOf(report, { ceiling: flags.failAbove, strict: flags.strict === true });
    if (breach === undefined) return;
    context.stderr.write(`${printable(breach)}\n`);
    context.exitCode = exitCodes.aboveCeiling;
  } finally {
    await client.close();
  }
}

/** Whether the service can be asked at all; what a key may read shows with each read. */
const hasKey = ({ settings: { credentials, endpoint } }: Client): boolean =>
  credentials.some((credential) => (credential.endpoint ?? endpoint) !== undefined);
