import { type Command, InvalidArgumentError } from "commander";
import { parseImportFile } from "../../engine/program/imports";
import type { CliContext } from "../command/context";
import { usageFailure } from "../command/failure";
import { example, jsonFlag, stackFlag, yesFlag } from "../command/help";
import { inputText } from "../command/input-file";
import { type ImportFlags, importOne } from "./import-one";
import { operate } from "./operation";

export function register(program: Command, context: CliContext): void {
  program
    .command("import")
    .summary("take live objects into the stack's state")
    .description(
      "Takes a live object into the stack's state, protected, and prints the code that declares it; or with --file the objects of an import file, which `codify --mode import` writes. An entry with outputs is recorded as it stands; any other is read by its provider, which a dynamic resource needs its `__provider` input for.",
    )
    .argument("[type]", "as URNs have it, such as `modelplatform:index:Deployment` for the plugin")
    .argument("[name]", "name in the stack")
    .argument("[id]", "resource name, such as `accounts/acme/deployments/chat`")
    .option("-f, --file <path>", "import the objects of this file")
    .option(...stackFlag)
    .option(...yesFlag)
    .option("--preview-only", "show what would be imported, record nothing")
    .option("--skip-preview", "no preview, and do not ask")
    .option("--protect [true|false]", "protect what is imported (default: true)", truth)
    .option("--generate-code [true|false]", "print the code of an object (default: true)", truth)
    .option("-p, --parallel <n>", "how many resources at once", Number)
    .option(...jsonFlag)
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform import pulumi-nodejs:dynamic/modelplatform:Deployment chat accounts/acme/deployments/chat",
        "npx pulumi-modelplatform import --file infra/import.json --yes",
      ),
    )
    .action((type: string | undefined, name: string | undefined, id: string | undefined, flags: ImportFlags) =>
      run([type, name, id], flags, context),
    );
}

function truth(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It is true or false.");
  return text === "true";
}

async function run(given: readonly (string | undefined)[], flags: ImportFlags, context: CliContext): Promise<void> {
  const words = given.filter((word) => word !== undefined);
  const [type = "", name = "", id = ""] = words;
  if (flags.file !== undefined && words.length > 0) throw usageFailure("import takes an object or --file, not both.");
  if (flags.file !== undefined) return importFile(flags.file, flags, context);
  if (words.length > 0 && words.every((word) => word.startsWith("accounts/")))
    throw usageFailure(
      `import takes objects into the state. For the program of objects, run \`npx pulumi-modelplatform codify ${words.join(" ")}\`.`,
    );
  if (words.length < 3) throw usageFailure("import needs a type, a name and an id, or --file.");
  return importOne({ type, name, id }, flags, context);
}

async function importFile(path: string, flags: ImportFlags, context: CliContext): Promise<void> {
  if (flags.generateCode === true)
    throw usageFailure(
      "`npx pulumi-modelplatform codify` writes the code of an import file; leave --generate-code out.",
    );
  const request = parseImportFile(await inputText(path, context, "--file"));
  return operate("import", flags, context, { ...request, protect: flags.protect });
}
