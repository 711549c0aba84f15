import type { Command } from "commander";
import type { CliContext } from "../command/context";
import { addFlags, example, formatsHelp } from "../command/flags";
import { registerMerge } from "./drift";
import { type AuditFlags, auditFlags, auditReports, checkBaseline, checkNotify, checkOutput } from "./flags";

export function register(program: Command, context: CliContext): void {
  const command = addFlags(program.command("audit"), auditFlags());
  command
    .description(
      "Holds the policies of `pulumi-modelplatform/policies` against live state: every object of the accounts, in a stack or not. Stacks, where given, say which of them has an object and what its program has chosen. Only reads, and reads what `drift` would; keys come from the environment.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform audit --all-accounts",
        "npx pulumi-modelplatform audit --backend file://~/state --policy-pack-config policies.json --format html --output audit.html",
        "npx pulumi-modelplatform audit --all-accounts --format ics --output retirements.ics",
      ),
    )
    .addHelpText("after", formatsHelp(auditReports.formats))
    .addHelpText(
      "after",
      "Exit codes: 0 no breach, 1 error, 2 breaches, 3 something could not be read\nor judged,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: AuditFlags) => {
      checkOutput(flags);
      checkNotify(flags);
      checkBaseline(flags, context);
      const { run } = require("./audit-run") as typeof import("./audit-run");
      return run(flags, context);
    });
  registerMerge(command, auditReports, context);
}
