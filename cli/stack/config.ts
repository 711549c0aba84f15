import type { Command } from "commander";
import { openSecrets, passphraseFrom, type SecretsManager } from "../../engine/state/passphrase";
import { openStack } from "../../engine/state/secrets";
import { readStackConfig, type StackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { ceilings } from "../../io/files/read";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { printable } from "../../io/text/printable";
import { settingFields, settingKey, unknownSettingKeys } from "../../provider/core/settings";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, stackFlag } from "../command/flags";
import { inputOnStdin } from "../command/input";
import { jsonText, listing } from "../command/output";
import { chooseStack, didYouMeanText, openProjectBackend, type ProjectBackend } from "../command/stack-choice";

const soundsSecret =
  /(api|access|private|secret)[_-]?keys?$|(password|passphrase|secret|token)$|^modelplatform:accounts$/i;

/** Plain-text values end up in a file that is usually committed. */
function assertNotPlainSecret(key: string, advice: string): void {
  if (soundsSecret.test(key)) throw usageError(`\`${key}\` sounds like a secret. ${advice}`);
}

/** A setting without its namespace would be a value of the user's own program, which nothing here reads. */
function assertNamespaced(key: string, { name: project }: { name: string }): void {
  const withoutSeparators = (text: string): string => text.toLowerCase().replace(/[-_]/g, "");
  const field = settingFields.find(({ name }) => withoutSeparators(name) === withoutSeparators(key));
  if (field)
    throw usageError(
      `\`${key}\` is a value of your own program without a namespace. Write \`${settingKey(field.name)}\`, or \`${project}:${key}\` if you mean your own.`,
    );
}

/** No setting of this package begins and ends with a quote: the shell, or a word processor, has left them there. */
function assertUnquoted(key: string, value: string): void {
  if (key.startsWith(settingKey("")) && /^(["'“”„‘’]).*["'“”‘’]$/s.test(value.trim()))
    throw usageError(`The value of \`${key}\` has quotation marks around it. Leave them out.`);
}

/** Warns about keys that nothing reads, with the keys they may have meant. */
export function warnOfUnknownKeys(keys: readonly string[], { stderr }: Pick<CliContext, "stderr">): void {
  for (const text of unknownSettingKeys(keys)) stderr.write(`warning: ${printable(text)}\n`);
}

/** Sets the `key=value` pairs of `--config` in the stack's file, and gives their keys. */
export async function setConfig(
  { project }: ProjectBackend,
  stack: string,
  pairs: readonly string[],
): Promise<string[]> {
  if (pairs.length === 0) return [];
  const config = await readStackConfig(project, stack);
  const keys: string[] = [];
  for (const pair of pairs) {
    const cut = pair.indexOf("=");
    if (cut < 1) throw usageError(`--config ${pair}: write it as key=value.`);
    const key = pair.slice(0, cut);
    assertNamespaced(key, project);
    assertNotPlainSecret(
      key,
      `Set it once with ${quotedCommand([...ownCommand, "config", "set", "--secret"], { args: [key] })}.`,
    );
    assertUnquoted(key, pair.slice(cut + 1));
    config.set(key, pair.slice(cut + 1));
    keys.push(key);
  }
  await writeStackConfig(config);
  return keys;
}

/** A stack's config, its secrets included. Without the passphrase, what is encrypted counts as not set. */
export async function wholeConfig(
  config: StackConfig,
  env: CliContext["env"],
): Promise<{ get(key: string): string | undefined }> {
  const manager = await managerOf(config.encryptionSalt, env);
  return { get: (key) => (config.isSecret(key) && !manager ? undefined : config.get(key, manager)) };
}

async function managerOf(salt: string | undefined, env: CliContext["env"]): Promise<SecretsManager | undefined> {
  if (salt === undefined) return undefined;
  try {
    return await openSecrets({ passphrase: await passphraseFrom(env), salt });
  } catch {
    return undefined;
  }
}

const pathFlag = flag("--path", "the key is a path into a value: `list[0].member`");

const listFlags = [stackFlag, flag("--show-secrets", "print secrets as plain text"), jsonFlag];
const getFlags = [stackFlag, pathFlag, jsonFlag];
const setFlags = [
  stackFlag,
  flag("--secret", "encrypt the value"),
  flag("--plaintext", "store the value in plain text although its key sounds like a secret"),
  pathFlag,
];
const removeFlags = [stackFlag, pathFlag];

export function register(program: Command, context: CliContext): void {
  const group = program
    .command("config")
    .description(
      "Lists a stack's configuration in Pulumi.<stack>.yaml, or changes it. A key without a namespace belongs to the project.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform config set modelplatform:accountId acme",
        "npx pulumi-modelplatform config set --secret modelplatform:apiKey",
      ),
    );
  registerReaders(group, context);
  addFlags(group.command("set"), setFlags)
    .summary("set a value")
    .description(
      "Sets a value. Without one, it is asked for, or read from standard input: so that no secret is on a command line.",
    )
    .argument("<key>")
    .argument("[value]")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform config set modelplatform:accountId acme",
        "npx pulumi-modelplatform config set --secret modelplatform:apiKey < key.txt",
      ),
    )
    .action((key: string, value: string | undefined, options: FlagsOf<typeof setFlags>) =>
      set(key, value, options, context),
    );
  addFlags(group.command("rm"), removeFlags)
    .summary("remove a value")
    .description("Removes a value from the stack's file; the project's default, if any, applies again.")
    .argument("<key>")
    .addHelpText("after", example("npx pulumi-modelplatform config rm modelplatform:preflight"))
    .action((key: string, options: FlagsOf<typeof removeFlags>) => remove(key, options, context));
}

function registerReaders(group: Command, context: CliContext): void {
  addFlags(group.command("ls", { isDefault: true }), listFlags)
    .summary("list all values, as `config` alone does")
    .description("Lists all values, the project's defaults too; secrets as [secret].")
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform config ls", "npx pulumi-modelplatform config --show-secrets"),
    )
    .action((options: FlagsOf<typeof listFlags>) => list(options, context));
  addFlags(group.command("get"), getFlags)
    .summary("print one value")
    .description("Prints one value, a secret as plain text.")
    .argument("<key>")
    .addHelpText("after", example("npx pulumi-modelplatform config get modelplatform:accountId"))
    .action((key: string, options: FlagsOf<typeof getFlags>) => get(key, options, context));
}

interface OpenConfig {
  session: ProjectBackend;
  stack: string;
  config: StackConfig;
  /** Encrypts and decrypts the stack's secrets; needs the passphrase. */
  secrets(): Promise<SecretsManager>;
}

async function open({ stack: requestedStack }: { stack?: string }, context: CliContext): Promise<OpenConfig> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  const config = await readStackConfig(session.project, stack);
  const secrets = async () =>
    (await openStack(config, await session.backend.stack(session.project.name, stack).load(), context.env)).manager;
  return { session, stack, config, secrets };
}

async function list(
  { showSecrets = false, json = false, ...options }: FlagsOf<typeof listFlags>,
  context: CliContext,
): Promise<void> {
  const { config, secrets } = await open(options, context);
  const keys = Object.keys(config.merged()).sort();
  const anySecret = keys.some((key) => config.isSecret(key));
  const manager = showSecrets && anySecret ? await secrets() : undefined;
  const entries = keys.map((key) => {
    const secret = config.isSecret(key);
    return { key, secret, value: secret && !showSecrets ? undefined : config.get(key, manager) };
  });
  if (json) return context.stdout.write(jsonText(Object.fromEntries(entries.map(({ key, ...entry }) => [key, entry]))));
  if (entries.length === 0) return context.stdout.write("Nothing is set.\n");
  context.stdout.write(
    listing(
      ["KEY", "VALUE"],
      entries.map(({ key, value }) => [key, value ?? "[secret]"]),
      context.stdout.columns,
    ),
  );
}

async function get(
  key: string,
  { json = false, path = false, ...options }: FlagsOf<typeof getFlags>,
  context: CliContext,
): Promise<void> {
  const { stack, config, secrets } = await open(options, context);
  const secret = config.isSecret(key, { path });
  const value = config.get(key, secret ? await secrets() : undefined, { path });
  if (value === undefined)
    throw new CommandError(`The stack ${stack} does not set \`${key}\`.${didYouMeanText(key, spellings(config))}`);
  context.stdout.write(json ? jsonText({ value, secret }) : `${value}\n`);
}

/** Keys as users may write them: the project's own also without its name. */
function spellings(config: StackConfig): string[] {
  const own = `${config.project.name}:`;
  return Object.keys(config.merged()).flatMap((key) => (key.startsWith(own) ? [key.slice(own.length), key] : [key]));
}

async function set(
  key: string,
  valueArgument: string | undefined,
  { secret = false, plaintext = false, path = false, ...options }: FlagsOf<typeof setFlags>,
  context: CliContext,
): Promise<void> {
  if (secret && plaintext) throw usageError("--secret and --plaintext cannot be combined.");
  if (!secret && !plaintext)
    assertNotPlainSecret(key, "Add --secret to encrypt it, or --plaintext if everyone may read it.");
  const { session, stack, config, secrets } = await open(options, context);
  if (!path) assertNamespaced(key, config.project);
  const isFirst = secret && config.encryptionSalt === undefined;
  const manager = secret ? await secrets() : undefined;
  const value = valueArgument ?? (await enteredValue(key, secret, context));
  assertUnquoted(key, value);
  const write = async (into: StackConfig): Promise<void> => {
    into.set(key, value, { path, secret: manager });
    await writeStackConfig(into);
  };
  // The first secret brings a salt into the file, and so does the first operation, which would overwrite it.
  if (!isFirst) await write(config);
  else await session.backend.locked(session.project.name, stack, () => addFirstSecret(session, stack, write));
  warnOfUnknownKeys([path ? key.split(/[.[]/)[0]! : key], context);
}

async function addFirstSecret(
  { project }: ProjectBackend,
  stack: string,
  write: (config: StackConfig) => Promise<void>,
): Promise<void> {
  const config = await readStackConfig(project, stack);
  if (config.encryptionSalt !== undefined)
    throw new CommandError(`${config.file} was given an encryption salt just now. Run the command again.`);
  await write(config);
}

async function enteredValue(key: string, hidden: boolean, context: CliContext): Promise<string> {
  const text = context.isTTY
    ? await context.prompt(`Value of ${key}: `, { hidden })
    : await inputOnStdin(context, ceilings.settings);
  if (text === undefined) throw new CommandError("No value was given: nothing was set.");
  return text.replace(/\r?\n$/, "");
}

async function remove(
  key: string,
  { path = false, ...options }: FlagsOf<typeof removeFlags>,
  context: CliContext,
): Promise<void> {
  const { config } = await open(options, context);
  config.remove(key, { path });
  await writeStackConfig(config);
}
