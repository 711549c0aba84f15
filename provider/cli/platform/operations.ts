import type { Command } from "commander";
import type { ApiOperation } from "../../api/types";
import type { CliContext } from "../command/context";
import { example, jsonFlag } from "../command/help";
import { jsonText, listing } from "../command/listing";
import { fullCatalogue } from "./platform";

export function register(program: Command, context: CliContext): void {
  program
    .command("operations")
    .description(
      "Shows every operation of the service: whether the API's description lists it or a convention supplies it, what effect it has, and what uses it.",
    )
    .option(...jsonFlag)
    .addHelpText("after", example("npx pulumi-modelplatform operations", "npx pulumi-modelplatform operations --json"))
    .action(({ json }: { json?: true }) => {
      const { operations } = fullCatalogue();
      context.stdout.write(
        json
          ? jsonText(operations.map(described))
          : listing(["Operation", "Request", "Provenance", "Effect", "Used by"], operations.map(row)),
      );
    });
}

const described = ({ name, method, path, provenance, effect, usedBy }: ApiOperation) => ({
  name,
  method,
  path,
  provenance,
  effect,
  usedBy,
});

const row = ({
  name,
  method,
  path,
  assumedPath,
  provenance,
  convention = "",
  effect,
  usedBy,
}: ApiOperation): string[] => [
  name,
  `${method} ${path}`,
  provenance === "listed"
    ? assumedPath
      ? `listed, path ${convention}`
      : "listed"
    : `conventional ${convention}`.trim(),
  effect,
  usedBy.join(", "),
];
