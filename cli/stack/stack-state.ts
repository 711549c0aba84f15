import type { Command } from "commander";
import { maskProperties } from "../../engine/display/value-text";
import { exportDeployment, importDeployment } from "../../engine/state/checkpoint";
import { encryptSnapshot, openStack, showSecrets } from "../../engine/state/secrets";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import type { PropertyMap, Snapshot, StateValue } from "../../engine/state/types";
import { stackType } from "../../engine/state/urns";
import { stripSecrets } from "../../engine/values/values";
import { printableJson } from "../../io/text/printable";
import type { CliContext } from "../command/context";
import { CommandError } from "../command/failure";
import { inputText, writeOutput } from "../command/files";
import { example, jsonFlag, stackFlag } from "../command/flags";
import { jsonText, listing } from "../command/output";
import { chooseStack, didYouMeanText, openProjectBackend } from "./stack-choice";

export function registerStackState(group: Command, context: CliContext): void {
  group
    .command("output")
    .summary("print the stack's outputs")
    .description("Prints the stack's outputs, or one of them, as its last update left them.")
    .argument("[name]")
    .option(...stackFlag)
    .option("--show-secrets", "print secrets as plain text")
    .option(...jsonFlag)
    .addHelpText("after", example("npx pulumi-modelplatform stack output endpoint"))
    .action((name: string | undefined, options: OutputOptions) => output(name, options, context));
  group
    .command("export")
    .summary("print the stack's state")
    .description("Prints the stack's state as `pulumi stack export` does; secrets stay encrypted.")
    .option(...stackFlag)
    .option("--file <path>", "write to a file")
    .option("--show-secrets", "write secrets as plain text")
    .addHelpText("after", example("npx pulumi-modelplatform stack export --file state.json"))
    .action((options: ExportOptions) => exportState(options, context));
  group
    .command("import")
    .summary("replace the stack's state")
    .description(
      "Replaces the stack's state by an exported one, as `pulumi stack import` does. Nothing but the state changes.",
    )
    .option(...stackFlag)
    .option("--file <path>", "read from a file (default: standard input)")
    .option("-f, --force", "also when it is of another stack or project")
    .addHelpText("after", example("npx pulumi-modelplatform stack import --file state.json"))
    .action((options: ImportOptions) => importState(options, context));
}

interface SecretOptions {
  stack?: string;
  showSecrets?: boolean;
}

/** The state with secrets as they stand in the file, or opened. */
async function load(
  { stack: requestedStack, showSecrets: opened = false }: SecretOptions,
  context: CliContext,
): Promise<{ stack: string; snapshot: Snapshot }> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  const snapshot = await session.backend.stack(session.project.name, stack).load();
  if (snapshot === undefined) throw new CommandError(`The stack ${stack} was removed just now. Try again.`);
  if (!opened) return { stack, snapshot };
  const config = await readStackConfig(session.project, stack);
  return { stack, snapshot: (await openStack(config, snapshot, context.env)).snapshot ?? snapshot };
}

interface OutputOptions extends SecretOptions {
  json?: boolean;
}

async function output(
  name: string | undefined,
  { json = false, ...options }: OutputOptions,
  context: CliContext,
): Promise<void> {
  const { stack, snapshot } = await load(options, context);
  const recorded = snapshot.resources.find(({ type }) => type === stackType)?.outputs ?? {};
  const outputs: PropertyMap = options.showSecrets
    ? Object.fromEntries(Object.entries(recorded).map(([key, value]) => [key, stripSecrets(value)]))
    : maskProperties(recorded);
  if (name !== undefined) {
    const value = outputs[name];
    if (value === undefined)
      throw new CommandError(`The stack ${stack} has no output ${name}.${didYouMeanText(name, Object.keys(outputs))}`);
    return context.stdout.write(json ? jsonText(value) : `${textOf(value)}\n`);
  }
  if (json) return context.stdout.write(jsonText(outputs));
  const rows = Object.entries(outputs).map(([key, value]) => [key, textOf(value)]);
  context.stdout.write(
    rows.length === 0
      ? `The stack ${stack} has no outputs.\n`
      : listing(["OUTPUT", "VALUE"], rows, context.stdout.columns),
  );
}

const textOf = (value: StateValue): string => (typeof value === "string" ? value : JSON.stringify(value));

interface ImportOptions {
  stack?: string;
  file?: string;
  force?: boolean;
}

interface ExportOptions extends SecretOptions {
  file?: string;
}

async function exportState({ file, ...options }: ExportOptions, context: CliContext): Promise<void> {
  const { stack, snapshot } = await load(options, context);
  const text = `${printableJson(exportDeployment(options.showSecrets ? showSecrets(snapshot) : snapshot), 4)}\n`;
  if (file === undefined) return context.stdout.write(text);
  // Its secrets may be plain text.
  writeOutput(file, text, context);
  context.stdout.write(`Wrote the state of the stack ${stack} to ${file}.\n`);
}

async function importState(
  { stack: requestedStack, file, force = false }: ImportOptions,
  context: CliContext,
): Promise<void> {
  const text = file === undefined ? await context.readStdin() : await inputText(file, context, "--file");
  const { project, backend } = await openProjectBackend(context);
  const stack = await chooseStack({ project, backend }, requestedStack);
  const document = importDeployment(parse(text, stack));
  if (!force) assertSameStack(document, project.name, stack);
  const config = await readStackConfig(project, stack);
  const salted = config.encryptionSalt;
  const { manager, snapshot = document } = await openStack(config, document, context.env);
  await backend.locked(project.name, stack, async (files) => {
    await files.save(encryptSnapshot(snapshot, manager));
    if (salted === undefined) await writeStackConfig(config);
  });
  context.stdout.write(`Imported ${snapshot.resources.length} resources into the stack ${stack}.\n`);
}

/** URNs name their stack and project: those of others would never be found by this one's program. */
function assertSameStack({ resources }: Snapshot, project: string, stack: string): void {
  const foreign = resources.find(({ urn }) => !urn.startsWith(`urn:pulumi:${stack}::${project}::`));
  if (foreign)
    throw new CommandError(
      `The state is of another stack or project: ${foreign.urn}. Import it into that one, or add --force.`,
    );
}

function parse(text: string, stack: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(
      `The state to import into ${stack} is not JSON. Give it as \`stack export\` writes it.`,
      undefined,
      { cause },
    );
  }
}
