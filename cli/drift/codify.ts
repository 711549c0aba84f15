import { join, resolve } from "node:path";
import type { Command } from "commander";
import { type CodifyResult, codify } from "../../drift/codify/codify";
import type { ImportStack } from "../../drift/codify/import-document";
import type { AdoptionMode, ProgramTarget } from "../../drift/codify/program-text";
import { type ScanTarget as Account, missingList, targetsOf } from "../../drift/scan/accounts";
import { isHeld, type RecordedStack } from "../../drift/scan/recorded-object";
import { commandLine, quotedCommand } from "../../io/text/command-line";
import { printable } from "../../io/text/printable";
import { accountIdOf } from "../../provider/api/settings/credentials";
import { Stopwatch } from "../../provider/api/time";
import type { Client } from "../../provider/api/types";
import { resourceNameIn } from "../../provider/core/pulumi-names";
import { providerText } from "../../provider/pulumi/provider-text";
import { managedSpecs } from "../../provider/resources/index";
import { openClient } from "../command/client";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, repeatable } from "../command/flags";
import { createOutput, jsonText, printTimeSpent, writeOutput } from "../command/output";
import { recordedFor, stacksOf } from "../command/recorded-stacks";
import { chooseStack, engineAtHand, openProjectBackend } from "../command/stack-choice";
import { stackFlags } from "../command/stack-flags";
import { reportDoubts } from "../platform/doctor/doubts";
import { chosenBy, selectionFlags } from "./flags";

const codifyFlags = () => [
  repeatable("-a, --account <account>", "an account to read (default: the default account)"),
  flag("--all-accounts", "also every account that a configured key can list"),
  flag("--finished-jobs", "also declare finished jobs"),
  ...selectionFlags(),
  ...stackFlags(),
  flag("--import", "also write a file for `import --file`, in place of a program that adopts the objects"),
  flag(
    "--for <target>",
    "what serves the resources: this package's classes, or its plugin; or in Python",
    ["dynamic", "plugin", "python"],
    "dynamic",
  ),
  flag("--split <by>", "files: one, one per account, one per collection", ["none", "account", "collection"], "none"),
  flag(
    "--into <org/project/stack>",
    "with --import: the stack (default: the selected one of the project in this folder)",
  ),
  flag("--output <folder>", "where to write; existing files are not overwritten"),
  flag("--force", "overwrite existing files"),
  jsonFlag,
];

type CodifyFlags = FlagsOf<typeof codifyFlags>;

/** Writes the program for `names`, or for everything live in the accounts. */
async function writeProgram(
  flags: CodifyFlags,
  names: readonly string[] | undefined,
  context: CliContext,
): Promise<void> {
  if (flags.split !== "none" && flags.output === undefined && !flags.json)
    throw usageError(`--split ${flags.split} makes several files; give --output.`);
  if (flags.import && flags.output === undefined && !flags.json)
    throw usageError("--import makes a program and an import file; give --output.");
  if (flags.split !== "none" && flags.for === "python")
    throw usageError("--for python makes one file; leave --split out.");
  const selection = chosenBy(flags);
  const stack = flags.import ? await stackFor(flags.into, context) : undefined;
  const mode: AdoptionMode = flags.import ? "import" : "adopt";
  const stopwatch = new Stopwatch(context.time.now);
  const stacks = await stacksOf(flags, context);
  if (names) warnOfManaged(names, stacks, context);
  reportDoubts(stacks, context);
  const client = openClient(context, { effects: ["read"], stopwatch }, recordedFor(stacks, context));
  try {
    const targets = names ? [] : await targetsFor(client, flags, context);
    const codified = await codify({
      client,
      specs: managedSpecs,
      targets,
      managed: names ? [] : stacks.flatMap(({ objects }) => objects),
      mode,
      target: flags.for,
      split: flags.split,
      finishedJobs: flags.finishedJobs === true,
      names,
      selection,
      stack,
    });
    assertNotEmpty(codified);
    await deliver(codified, flags, client, context);
    if (codified.unread.length > 0) context.exitCode = exitCodes.partial;
  } finally {
    await client.close();
    printTimeSpent(stopwatch, context);
  }
}

/** A second declaration of an object is a mistake more often than a move. */
function warnOfManaged(names: readonly string[], stacks: readonly RecordedStack[], { stderr }: CliContext): void {
  for (const object of stacks.flatMap(({ objects }) => objects)) {
    const { name, urn, stack, spec } = object;
    if (!names.includes(name) || !isHeld(object)) continue;
    const title = `${spec.kind} ${resourceNameIn(urn)}`;
    const warning = `${name} is ${title} of the stack ${stack} already: two declarations would undo each other's changes. Put this code into that stack's program if it lacks the resource; for another stack, remove it there first, with \`state delete\`.`;
    stderr.write(`warning: ${printable(warning)}\n`);
  }
}

/** The stack that the import file is for: its name is part of what is recorded. */
async function stackFor(requestedStack: string | undefined, context: CliContext): Promise<ImportStack> {
  if (requestedStack === undefined) {
    const session = await openProjectBackend(context);
    return {
      organization: "organization",
      project: session.project.name,
      stack: await chooseStack(session, undefined),
      providerText,
    };
  }
  const [organization, project, stack, ...more] = requestedStack.split("/");
  if (!organization || !project || !stack || more.length > 0)
    throw usageError(
      "--into takes the full name of a stack, such as acme/shop/prod; with a file:// backend organization/shop/prod.",
    );
  return { organization, project, stack, providerText };
}

/** Milliseconds that listing accounts may take. */
const listingTimeoutMs = 60_000;

/** The given accounts, else all that the available keys can list, else the default one. */
async function targetsFor(
  client: Client,
  { account = [], allAccounts = false }: CodifyFlags,
  { stderr }: CliContext,
): Promise<Account[]> {
  const accounts = account.length > 0 || allAccounts ? account : [accountIdOf(client.settings)];
  const { targets, unlisted = [] } = await targetsOf(
    client,
    { accounts, all: allAccounts },
    { deadline: Date.now() + listingTimeoutMs, signal: AbortSignal.timeout(listingTimeoutMs) },
  );
  for (const { part, name, reason } of unlisted.map(missingList))
    stderr.write(`warning: ${printable(`${part} ${name} missing: ${reason}`)}.\n`);
  return targets;
}

function assertNotEmpty({ declarations, unread, leftOut, filtered }: CodifyResult): void {
  const [first] = unread;
  if (first && declarations.length + leftOut.length + filtered === 0) throw new CommandError(first.reason);
}

async function deliver(
  codified: CodifyResult,
  { output, json, force, for: target, into }: CodifyFlags,
  client: Client,
  context: CliContext,
): Promise<void> {
  const { importDocument } = codified;
  const files: Record<string, string> = {
    ...codified.files,
  };
  if (importDocument) files[importFile] = jsonText(importDocument);
  if (output !== undefined) writeFiles(output, files, force === true, context);
  if (json) return context.stdout.write(jsonText({ files, ...client.redactor.value(documentOf(codified, target)) }));
  if (output === undefined) context.stdout.write(files["index.ts"] ?? files["__main__.py"] ?? "");
  else for (const name of Object.keys(files)) context.stdout.write(`${join(output, name)}\n`);
  const engine = target === "python" ? ["pulumi"] : await engineAtHand(context);
  context.stderr.write(notes(codified, engine));
  if (importDocument && output !== undefined)
    context.stderr.write(stepsOfImport(output, Object.keys(files), { into, engine }));
}

/** What is imported and missing in the program would be deleted by the next `up`: the program comes first. */
function stepsOfImport(
  output: string,
  files: readonly string[],
  { into, engine }: { into: string | undefined; engine: readonly string[] },
): string {
  const stack = into === undefined ? [] : [["--stack", into] as const];
  const command = (words: readonly string[], ...flags: (readonly [string, string])[]): string =>
    quotedCommand([...engine, ...words], { flags: [...flags, ...stack] });
  const generates = engine[0] === "pulumi" ? ["--generate-code=false"] : [];
  const programs = files.filter((name) => name !== importFile).map((name) => printable(join(output, name)));
  return `
1. Put ${programs.join(", ")} into the program.
2. ${command(["import", ...generates], ["--file", join(output, importFile)])}
3. ${command(["preview"])} says: nothing to do.
`;
}

/** All or none: nothing is written if one of the files exists. */
function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  force: boolean,
  context: CliContext,
): void {
  const written: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (force) writeOutput(path, text, context, { worldReadable: true });
    else if (!createOutput(path, text, context, { worldReadable: true })) {
      const before = written.length === 0 ? "nothing was written" : `written before it: ${written.join(", ")}`;
      throw new CommandError(
        `${resolve(context.cwd, path)} already exists (${before}). Choose another --output, or overwrite with --force.`,
      );
    }
    written.push(name);
  }
}

const importFile = "import.json";

const documentOf = ({ declarations, config, leftOut, filtered, unread }: CodifyResult, target: ProgramTarget) => ({
  resources: declarations.map(({ object, logicalName, variable, file }) => ({
    name: object.name,
    kind: object.spec.kind,
    logicalName,
    variable,
    file: target === "python" ? "__main__.py" : `${file}.ts`,
  })),
  config,
  leftOut,
  filtered,
  unread,
});

/** What to know and to do next. */
function notes(
  { declarations, config, read, leftOut, filtered, unread }: CodifyResult,
  engine: readonly string[],
): string {
  const configLine = ({ key, purpose }: CodifyResult["config"][number]): string =>
    `  ${commandLine([...engine, "config", "set", "--secret"], { args: [key] })}   # ${printable(purpose)}`;
  const lines = [`Declared ${declarations.length} of ${read} ${read === 1 ? "object" : "objects"} read.`];
  const required = config.filter((value) => value.required);
  const optional = config.filter((value) => !value.required);
  if (required.length > 0)
    lines.push("", "Set these before `up`, each to the value that is in use:", ...required.map(configLine));
  if (optional.length > 0)
    lines.push("", "Set these where there is a value; the service does not tell:", ...optional.map(configLine));
  if (filtered > 0)
    lines.push("", `Left out by --filter or --kind: ${filtered} ${filtered === 1 ? "object" : "objects"}.`);
  if (leftOut.length > 0)
    lines.push(
      "",
      "Left out:",
      ...leftOut.map(({ kind, name, reason }) => `  ${kind} ${printable(`${name}: ${reason}`)}`),
    );
  if (unread.length > 0)
    lines.push(
      "",
      "Not read:",
      ...unread.map(
        ({ account, collection, reason }) => `  ${printable(`accounts/${account}/${collection}: ${reason}`)}`,
      ),
    );
  return `${lines.join("\n")}\n`;
}

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("codify"), codifyFlags())
    .summary("write TypeScript or Python for live objects")
    .description(
      "Writes a program that declares the named objects, or all live objects of accounts, as a person would: references instead of names, no defaults, secrets from the config. Without names it leaves out what stacks manage, what comes and goes with another object, and finished jobs. Prints it, or writes it to --output. Sends only reads.",
    )
    .argument("[name...]", "resource names, such as `accounts/acme/deployments/chat` (default: all of the accounts)")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform codify > index.ts",
        "npx pulumi-modelplatform codify accounts/acme/deployments/chat accounts/acme/users/ada",
        "npx pulumi-modelplatform codify --kind Deployment --filter 'annotations:\"custom/team\"'",
        "npx pulumi-modelplatform codify --all-accounts --split account --output infra",
      ),
    )
    .action((names: string[], flags: CodifyFlags) =>
      writeProgram(flags, names.length > 0 ? names : undefined, context),
    );
}
