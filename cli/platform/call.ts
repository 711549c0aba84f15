import type { Command } from "commander";
import type { ApiOperation, Json } from "../../provider/api/types";
import { redacted } from "../../provider/core/redact";
import { parametersOf } from "../../provider/core/values/names";
import { isObject } from "../../provider/core/values/values";
import { fullCatalogue, openClient } from "../command/client";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, withHelpGroup, yesFlag } from "../command/flags";
import { inputFrom } from "../command/input";
import { jsonText } from "../command/output";
import { namedStacks, recordedFor } from "../command/recorded-stacks";
import { stackFlags } from "../command/stack-flags";
import { listOperations } from "./operations";

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const listFlags = [flag("--list", "list the operations"), jsonFlag];

export function register(program: Command, context: CliContext): void {
  const call = addFlags(program.command("call"), listFlags)
    .description(
      "Calls one operation and prints its answer as JSON, with credentials masked. Settings come from the environment: MODELPLATFORM_BASE_URL, MODELPLATFORM_ACCOUNT_ID, MODELPLATFORM_API_KEY.",
    )
    .usage("<operation> [options]")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform call --list",
        "npx pulumi-modelplatform call getPolicySettings --account acme",
        "npx pulumi-modelplatform call createUser --account acme --query userId=ada --body user.json --yes",
      ),
    )
    .argument("[operation]")
    .action((unknown: string | undefined, { list, json }: FlagsOf<typeof listFlags>, command: Command) => {
      if (unknown !== undefined) command.error(`unknown command '${unknown}'`, { code: "commander.unknownCommand" });
      if (list !== true) command.help({ error: true });
      listOperations(json === true, context);
    });
  for (const operation of fullCatalogue().operations) registerOperation(call, operation, context);
}

const operationFlags = ({ path, query, method, effect }: ApiOperation) => [
  flag("--as <account>", "whose key to use (default: that of the account in the path)"),
  ...parametersOf(path).map((name) =>
    flag(
      `--${kebab(name)} <value>`,
      name === "account" ? "account in the path (default: MODELPLATFORM_ACCOUNT_ID)" : "in the path",
    ),
  ),
  flag(
    "--query <name=value>",
    `query parameter; may be repeated${query.length > 0 ? ` (${query.join(", ")})` : ""}`,
    queryIn,
    [],
  ),
  ...(method !== "GET" && method !== "DELETE" ? [flag("--body <file>", "JSON body; `-` reads standard input")] : []),
  ...(effect === "write" ? [yesFlag] : []),
  ...withHelpGroup("Settings of a stack:", stackFlags({ all: false })),
];

type CallFlags = FlagsOf<typeof operationFlags>;

function registerOperation(call: Command, operation: ApiOperation, context: CliContext): void {
  const parameters = parametersOf(operation.path);
  const command = addFlags(call.command(operation.name), operationFlags(operation)).description(
    `${operation.method} ${operation.path}\n${originOf(operation)} Effect: ${operation.effect}.`,
  );
  command.addHelpText(
    "after",
    example(
      `npx pulumi-modelplatform call ${operation.name}${parameters.map((name) => ` --${kebab(name)} ${name === "account" ? "acme" : "…"}`).join("")}`,
    ),
  );
  command.action((flags: CallFlags) => send(operation, parameters, flags, context));
}

function originOf({ provenance, assumedPath, convention = "" }: ApiOperation): string {
  if (provenance !== "listed") return `Not in the API's description; by convention ${convention}.`;
  return assumedPath
    ? `Listed in the API's description; path by convention ${convention}.`
    : "Listed in the API's description.";
}

async function send(
  operation: ApiOperation,
  parameters: readonly string[],
  flags: CallFlags,
  context: CliContext,
): Promise<void> {
  const providedParameters = parameters.filter((name) => flags[name] !== undefined);
  const missing = parameters.filter((name) => name !== "account" && flags[name] === undefined);
  if (missing.length > 0)
    throw usageError(`${operation.name} needs ${missing.map((name) => `--${kebab(name)}`).join(" and ")}.`);
  const body = flags.body === undefined ? undefined : await bodyIn(flags.body, context);
  if (operation.effect === "write" && !flags.yes) await confirm(operation, context);
  const stacks = await namedStacks(flags, context);
  const client = openClient(context, {}, recordedFor(stacks, context));
  try {
    const { value } = await client.call(operation.name, {
      parameters: Object.fromEntries(providedParameters.map((name) => [name, String(flags[name])])),
      query: Object.fromEntries(flags.query),
      body,
      as: flags.as,
    });
    context.stdout.write(jsonText(client.redactor.value(withoutSecrets(operation, value))));
  } finally {
    await client.close();
  }
}

/** A service may answer what the kind declares secret; it is not printed. */
function withoutSecrets({ spec }: ApiOperation, value: Json): Json {
  const secrets = spec.fields.message.filter(({ markers }) => markers.secret).map(({ name }) => name);
  const mask = (message: Json): Json =>
    Object.fromEntries(
      Object.entries(message).map(([name, member]) => [name, secrets.includes(name) ? redacted : member]),
    );
  const list = value[spec.collection];
  return Array.isArray(list)
    ? { ...value, [spec.collection]: list.map((each) => (isObject(each) ? mask(each) : each)) }
    : mask(value);
}

function queryIn(text: string, before: [string, string][]): [string, string][] {
  const [name, ...value] = text.split("=");
  if (name === "" || value.length === 0) throw usageError("--query takes a name and a value, such as pageSize=10.");
  return [...before, [name!, value.join("=")]];
}

/** The parser's message would quote the file, which may hold a credential. */
async function bodyIn(path: string, context: CliContext): Promise<unknown> {
  if (/^\s*[{[]/.test(path))
    throw usageError("--body is the name of a file. Write the JSON to standard input instead, and give `--body -`.");
  const text = await inputFrom(path, context, "--body");
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`--body: ${path === "-" ? "standard input" : path} is not valid JSON.`);
  }
}

async function confirm(operation: ApiOperation, context: CliContext): Promise<void> {
  if (!context.isTTY) throw usageError(`${operation.name} changes something; give --yes when there is no terminal.`);
  const answer = await context.prompt(`${operation.name} changes something. Send it? [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandError("Nothing was sent.");
}
