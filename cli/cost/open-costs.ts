import type { Project } from "../../engine/state/project";
import { readStackConfig } from "../../engine/state/stack-config";
import { settingKey, settingVariable } from "../../provider/core/settings";
import type { CliContext } from "../command/context";
import type { OperationCosts } from "./operation-costs";

/** The costs of an operation, loaded only where there are prices. */
export async function openCosts(
  context: CliContext,
  project: Project,
  stack: string,
): Promise<OperationCosts | undefined> {
  const config = await readStackConfig(project, stack);
  const isSet =
    config.merged()[settingKey("prices")] !== undefined || (context.env[settingVariable("prices")] ?? "") !== "";
  if (!isSet) return undefined;
  const loaded = require("./operation-costs") as typeof import("./operation-costs");
  return loaded.OperationCosts.open(context, config);
}
