import { createHash } from "node:crypto";
import type { CostComparison } from "../../drift/scan/collection-scan";
import type { EngineEvent } from "../../engine/events";
import type { StackConfig } from "../../engine/state/stack-config";
import { costReport, hourlyDifference } from "../../governance/cost/estimate";
import { formats } from "../../governance/cost/formats";
import { type EngineStep, stackOf, subjectsOf } from "../../governance/cost/preview";
import type { Prices } from "../../governance/cost/prices";
import { openPrices } from "../../governance/cost/read-prices";
import type { CostReport } from "../../governance/cost/report";
import { lazyCatalogue, serviceCatalogue } from "../../governance/cost/service";
import { printable } from "../../io/text/printable";
import { hasKey } from "../../provider/api/settings/credentials";
import type { Client } from "../../provider/api/types";
import { messageOf } from "../../provider/core/errors";
import { dayOf } from "../../provider/core/values/grouping";
import { accountOf } from "../../provider/core/values/names";
import { configFor } from "../checkout/settings";
import { openClient } from "../command/client";
import type { CliContext } from "../command/context";
import { wholeConfig } from "../stack/config";

type Config = { get(key: string): string | undefined };

/** What an operation of the built-in engine does to the cost, where the project or the environment has prices. */
export class OperationCosts {
  private steps: EngineStep[] = [];

  private constructor(
    private readonly context: CliContext,
    private readonly prices: Prices,
    private readonly config: () => Promise<Config>,
  ) {}

  /** Undefined without prices. Throws for prices that cannot be used, before anything has been done. */
  static open(context: CliContext, config: StackConfig): OperationCosts | undefined {
    const plain = { get: (key: string) => (config.isSecret(key) ? undefined : config.get(key, undefined)) };
    const prices = openPrices({ env: context.env, config: plain }, context);
    if (!prices) return undefined;
    for (const warning of prices.warnings) context.stderr.write(`warning: ${printable(warning)}.\n`);
    return new OperationCosts(context, prices, () => wholeConfig(config, context.env));
  }

  begin(): void {
    this.steps = [];
  }

  onEvent(event: EngineEvent): void {
    if (event.kind === "stepFinished") this.steps.push(event.step);
  }

  /**
   * The cost of the events so far. Undefined if nothing of it is paid for or the cost is unknown, which never fails an
   * operation that went well.
   */
  async report({ applied, signal }: { applied: boolean; signal: AbortSignal }): Promise<CostReport | undefined> {
    const subjects = subjectsOf(this.steps, { stack: this.steps[0] && stackOf(this.steps[0].urn), applied });
    if (subjects.length === 0) return undefined;
    let client: Client | undefined;
    const catalogue = lazyCatalogue(async () => {
      client = await this.openClient();
      return client && serviceCatalogue(client, signal);
    });
    try {
      const day = dayOf(this.context.time.now());
      return await costReport(subjects, { prices: this.prices, day, catalogue });
    } catch (error) {
      this.context.stderr.write(`warning: the cost is not shown: ${printable(messageOf(error))}\n`);
      return undefined;
    } finally {
      await client?.close();
    }
  }

  render(report: CostReport): string {
    return `\n${formats["text"]!.render(report, { columns: this.context.stdout.columns })}`;
  }

  /** Undefined without a key. */
  private async openClient(): Promise<Client | undefined> {
    const { config } = configFor(this.context.checkout, await this.config());
    const client = openClient(this.context, { effects: ["read", "readViaPost"] }, { config });
    if (hasKey(client.settings)) return client;
    await client.close();
    return undefined;
  }
}

/** What differences cost, where the environment has prices. Hardware is what is recorded or live. */
export function costsOfDrift(context: CliContext): CostComparison | undefined {
  const prices = openPrices({ env: context.env }, context);
  if (!prices) return undefined;
  for (const warning of prices.warnings) context.stderr.write(`warning: ${printable(warning)}.\n`);
  const basis = { prices, day: dayOf(context.time.now()) };
  const key = JSON.stringify(basis, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return {
    currency: prices.currency,
    key: createHash("sha256").update(key).digest("hex"),
    changeOf: (spec, name, { recorded, live }) =>
      hourlyDifference(
        { spec, name, account: accountOf(name) ?? "", before: recorded ?? "none", after: live ?? "none" },
        basis,
      ),
  };
}
