import type { Command } from "commander";
import { codify } from "../../drift/codify/codify";
import { ChosenName } from "../../drift/codify/declarations";
import { isHeld, type RecordedObject } from "../../drift/scan/recorded-object";
import { stacksIn } from "../../drift/scan/stacks";
import { parseImportFile } from "../../engine/program/import-resources";
import { readStackConfig } from "../../engine/state/stack-config";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { dynamicToken, pluginToken } from "../../provider/core/pulumi-names";
import { hint, likelyTypoOf } from "../../provider/core/values/did-you-mean";
import { matchTemplate } from "../../provider/core/values/names";
import { providerText } from "../../provider/pulumi/provider-text";
import { managedSpecs } from "../../provider/resources/index";
import { openClient } from "../command/client";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, stackFlag, yesFlag } from "../command/flags";
import { inputText } from "../command/input";
import { chooseStack, openProjectBackend, type ProjectBackend } from "../command/stack-choice";
import { isHere } from "../platform/doctor/orphans";
import { settingsFindings } from "../platform/doctor/settings";
import { wholeConfig } from "../stack/config";
import { truth } from "./flags";
import { operate } from "./operation";

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("import"), importFlags)
    .summary("take live objects into the stack's state")
    .description(
      "Takes a live object into the stack's state, protected, and prints the code that declares it; or with --file the objects of an import file, which `codify --import` writes. An entry with outputs is recorded as it stands; any other is read by its provider, which a dynamic resource needs its `__provider` input for.",
    )
    .argument("[type]", "as URNs have it, such as `modelplatform:index:Deployment` for the plugin")
    .argument("[name]", "name in the stack")
    .argument("[id]", "resource name, such as `accounts/acme/deployments/chat`")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform import pulumi-nodejs:dynamic/modelplatform:Deployment chat accounts/acme/deployments/chat",
        "npx pulumi-modelplatform import --file infra/import.json --yes",
      ),
    )
    .action((type = "", name = "", id = "", flags: ImportFlags) =>
      flags.file === undefined ? importOne({ type, name, id }, flags, context) : importFile(flags.file, flags, context),
    );
}

/** Refuses a line that names neither an object nor a file. */
export function check(command: Command): void {
  const { args: words } = command;
  const { file, generateCode } = command.opts<ImportFlags>();
  if (file !== undefined && words.length > 0) throw usageError("import takes an object or --file, not both.");
  if (file !== undefined && generateCode === true)
    throw usageError("`npx pulumi-modelplatform codify` writes the code of an import file; leave --generate-code out.");
  if (file !== undefined) return;
  if (words.length > 0 && words.every((word) => word.startsWith("accounts/")))
    throw usageError(
      `import takes objects into the state. For the program of objects, run ${quotedCommand([...ownCommand, "codify"], { args: words })}.`,
    );
  if (words.length < 3) throw usageError("import needs a type, a name and an id, or --file.");
}

async function importFile(path: string, flags: ImportFlags, context: CliContext): Promise<void> {
  const request = parseImportFile(await inputText(path, context, "--file"));
  const ours = request.resources.filter(({ type, component }) => component !== true && isMeantForUs(type));
  for (const { type } of ours) typeIn(type);
  const session = await openProjectBackend(context);
  const ids = ours.flatMap(({ id }) => id ?? []);
  const stack = await chooseStack(session, flags.stack);
  const config = await wholeConfig(await readStackConfig(session.project, stack), context.env);
  // What the stack itself has stays as it is.
  await assertUnmanaged(ids, { stack, config, context, isOwnRefused: false }, session);
  return operate("import", flags, context, { ...request, protect: flags.protect });
}

const importFlags = [
  flag("-f, --file <path>", "import the objects of this file"),
  stackFlag,
  yesFlag,
  flag("--preview-only", "show what would be imported, record nothing"),
  flag("--skip-preview", "no preview, and do not ask"),
  flag("--protect [true|false]", "protect what is imported (default: true)", truth),
  flag("--generate-code [true|false]", "print the code of an object (default: true)", truth),
  flag("-p, --parallel <n>", "how many resources at once", Number),
  jsonFlag,
];

type ImportFlags = FlagsOf<typeof importFlags>;

/** `pulumi import <type> <name> <id>`: into the stack's state, protected, and the code that declares it. */
async function importOne(
  { type, name, id }: { type: string; name: string; id: string },
  flags: ImportFlags,
  context: CliContext,
): Promise<void> {
  const { spec, target } = typeIn(type);
  if (!matchTemplate(spec.name, id))
    throw usageError(
      `${id} is not the id of a ${spec.kind}: write its resource name, such as \`${exampleOf(spec.name)}\`.`,
    );
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, flags.stack);
  const config = await wholeConfig(await readStackConfig(session.project, stack), context.env);
  await assertUnmanaged([id], { stack, config, context, isOwnRefused: true }, session);
  const client = openClient(context, { effects: ["read"] }, { config });
  try {
    const place = { organization: "organization", project: session.project.name, stack, providerText };
    const { files, importDocument, declarations } = await codify({
      ...{ client, specs: managedSpecs, targets: [], names: [id], mode: "import", target, split: "none" },
      ...{ stack: place, uniqueNames: new ChosenName(name) },
    });
    const code = files["index.ts"] ?? "";
    if (!importDocument?.resources.some((entry) => entry.logicalName === name))
      throw unreadableError(id, declarations.length, code);
    const request = parseImportFile(JSON.stringify(importDocument));
    await operate("import", { ...flags, stack }, context, { ...request, protect: flags.protect });
    const isDone = context.exitCode === 0 && !flags.previewOnly;
    if (isDone && flags.generateCode !== false && !flags.json)
      context.stdout.write(`\nAdd this to the program, so that the next \`up\` does not delete it:\n\n${code}`);
  } finally {
    await client.close();
  }
}

/** Types of other packages are the engine's business, and so are providers. */
function isMeantForUs(type: string): boolean {
  const prefix = type.slice(0, type.lastIndexOf(":") + 1);
  return prefix === "" || likelyTypoOf(prefix, [pluginToken(""), dynamicToken("")]) !== undefined;
}

/** Of which kind, and served by what. */
function typeIn(token: string): { spec: (typeof managedSpecs)[number]; target: "dynamic" | "plugin" } {
  for (const spec of managedSpecs) {
    if (token === dynamicToken(spec.kind)) return { spec, target: "dynamic" };
    if (token === pluginToken(spec.kind)) return { spec, target: "plugin" };
  }
  const kinds = managedSpecs.map(({ kind }) => kind);
  const kind = hint(token.slice(token.lastIndexOf(":") + 1), kinds);
  throw usageError(
    kind === undefined
      ? `${token} is not a type of this provider. Write \`${pluginToken("<kind>")}\`, with one of ${kinds.join(", ")}.`
      : `${token} is not a type of this provider. Write \`${dynamicToken(kind)}\`, or \`${pluginToken(kind)}\` for the plugin.`,
  );
}

const exampleOf = (template: string): string => template.replace("{account}", "acme").replace(/\{\w+\}/, "chat");

interface Destination {
  stack: string;
  config: { get(key: string): string | undefined };
  context: CliContext;
  /** Whether an object that the stack itself has is an error, too. */
  isOwnRefused: boolean;
}

/** Rejects an object that a state has at the same service: two declarations would undo each other's changes. */
async function assertUnmanaged(
  ids: readonly string[],
  { stack: own, config, context: { env }, isOwnRefused }: Destination,
  { project, backend }: ProjectBackend,
): Promise<void> {
  const requested = new Set(ids);
  const { settings } = settingsFindings({ env, config });
  const isThere = ({ name, account, outputs, isProduced, pending }: RecordedObject): boolean =>
    requested.has(name) &&
    !isProduced &&
    isHeld({ pending }) &&
    isHere({ origin: outputs.endpoint, account }, settings);
  for (const { stack, objects } of await stacksIn(backend)) {
    const isOwn = stack === `organization/${project.name}/${own}`;
    const existing = objects.find(isThere);
    if (!existing || (isOwn && !isOwnRefused)) continue;
    throw new CommandError(
      `${existing.name} is ${existing.urn} of the stack ${stack} already, so nothing was imported. ${isOwn ? "Declare it under that name." : "Move it with `npx pulumi-modelplatform state move`."}`,
    );
  }
}

function unreadableError(id: string, declared: number, code: string): CommandError {
  return new CommandError(
    declared === 0
      ? `${id} cannot be declared, so nothing was imported.`
      : `${id} has a value that the service never shows, so nothing was imported. Declare it, and \`up\` takes it over:\n\n${code}`,
  );
}
