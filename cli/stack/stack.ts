import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { example } from "../command/flags";
import { registerStackHistory } from "./stack-history";
import { registerStackList } from "./stack-list";
import { registerStackNames } from "./stack-names";
import { registerStackState } from "./stack-state";

export function register(program: Command, context: CliContext): void {
  const group = program
    .command("stack")
    .description(
      "Stacks of the project in this folder. State lies where PULUMI_BACKEND_URL says (default: file://., the project's folder), in the Pulumi CLI's own format.",
    )
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack init dev", "npx pulumi-modelplatform stack output endpoint"),
    );
  registerStackNames(group, context);
  registerStackList(group, context);
  registerStackHistory(group, context);
  registerStackState(group, context);
}
