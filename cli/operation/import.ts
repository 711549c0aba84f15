import { type Command, InvalidArgumentError } from "commander";
import { stacksIn } from "../../drift/scan/stacks";
import { parseImportFile } from "../../engine/import-file";
import { readProject } from "../../engine/state/project";
import { printable } from "../../io/text/printable";
import type { CliContext } from "../command/context";
import { usageFailure } from "../command/failure";
import { example, stackFlag, yesFlag } from "../command/help";
import { inputText } from "../command/input-file";
import { ownBackend } from "../command/own-backend";
import { type CodifyFlags, registerCodifyFlags, write } from "../drift/codified";
import { operate } from "./operation";
import type { OperationFlags } from "./operation-flags";

interface ImportFlags extends Omit<CodifyFlags, "stack" | "json">, Omit<OperationFlags, "target"> {
  file?: string;
  protect?: boolean;
  generateCode?: boolean;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command("import")
    .summary("write TypeScript for objects by name, or import a file")
    .description(
      "Two ways to make live objects a stack's.\n\nWith names: writes what `codify` writes, for these objects and no others, including finished jobs. Sends only reads.\n\nWith --file: takes the objects of an import file into the stack's state with the built-in engine, as `pulumi import --file` does; `codify --mode import` writes such files. They are protected then. An entry with outputs is recorded as it stands; any other is read by its provider, which a dynamic resource needs its `__provider` input for.",
    )
    .argument("[name...]", "resource names, such as `accounts/acme/deployments/chat`");
  registerCodifyFlags(command)
    .option("-f, --file <path>", "import this file into the stack")
    .option(...stackFlag)
    .option("--protect [true|false]", "with --file: protect imported resources (default: true)", truth)
    .option("--generate-code [true|false]", "with --file: must be false; `codify` writes the program", truth)
    .option("-p, --parallel <n>", "with --file: how many resources at once", Number)
    .option("--preview-only", "with --file: show what would be imported, record nothing")
    .option("--skip-preview", "with --file: no preview, and do not ask")
    .option(...yesFlag)
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform import accounts/acme/deployments/chat accounts/acme/users/ada",
        "npx pulumi-modelplatform import --file infra/import.json --yes",
      ),
    )
    .action((names: string[], flags: ImportFlags) => run(names, flags, context));
}

function truth(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It is true or false.");
  return text === "true";
}

async function run(names: readonly string[], flags: ImportFlags, context: CliContext): Promise<void> {
  if (flags.file === undefined)
    return names.length > 0
      ? writeFor(names, flags, context)
      : Promise.reject(usageFailure("import needs the names of objects, or --file."));
  if (names.length > 0) throw usageFailure("import takes names or --file, not both.");
  if (flags.generateCode === true)
    throw usageFailure("Code is written by `npx pulumi-modelplatform codify`; leave --generate-code out.");
  const text = await inputText(flags.file, context, "--file");
  const { target: _, ...operation } = flags;
  return operate("import", operation, context, {
    ...parseImportFile(text),
    protect: flags.protect,
  });
}

/** `pulumi import <type> <name> <id>` is a habit; what it needs, no dynamic resource has. */
async function writeFor(
  names: readonly string[],
  { stack: _, ...flags }: ImportFlags,
  context: CliContext,
): Promise<void> {
  const token = names.find((name) => name.includes(":"));
  if (token !== undefined)
    throw usageFailure(
      `${token} is a type, and a type, a name and an id do not say which provider reads a dynamic resource. Write \`npx pulumi-modelplatform import <resource name>\`, such as accounts/acme/deployments/chat.`,
    );
  await warnOfManaged(names, context);
  return write({ ...flags, json: flags.json || undefined }, names, context);
}

/** A second declaration of an object is a mistake more often than a move. States that cannot be read tell nothing. */
async function warnOfManaged(names: readonly string[], context: CliContext): Promise<void> {
  const project = await readProject(context.cwd).catch(() => undefined);
  const backend = ownBackend(project, context);
  const stacks = backend ? await stacksIn(backend).catch(() => []) : [];
  for (const { name, urn, stack, spec } of stacks.flatMap(({ objects }) => objects)) {
    if (!names.includes(name)) continue;
    const title = `${spec.kind} ${urn.slice(urn.lastIndexOf("::") + 2)}`;
    const warning = `${name} is ${title} of the stack ${stack} already: two declarations would undo each other's changes. Remove it there first, with \`state delete\`.`;
    context.stderr.write(`warning: ${printable(warning)}\n`);
  }
}
