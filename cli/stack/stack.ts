import type { Command } from "commander";
import { clean, formatDuration } from "../../engine/display/text";
import { openSecrets, passphraseFrom } from "../../engine/state/passphrase";
import { stackConfigPath } from "../../engine/state/project";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import type { UpdateRecord } from "../../engine/state/stack-files";
import { finishing } from "../../engine/state/undertaking";
import { nodeFiles } from "../../io/files/durable";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, positiveInteger, stackFlag, yesFlag } from "../command/flags";
import { jsonText, listing } from "../command/output";
import { chooseStack, openProjectBackend, ownName, type ProjectBackend } from "../command/stack-choice";
import { renameTo } from "./rename";
import { registerStackState } from "./state";

const historyFlags = [
  stackFlag,
  flag("--page-size <n>", "how many on a page", positiveInteger, 10),
  flag("--page <n>", "which page", positiveInteger, 1),
  jsonFlag,
];
const initFlags = [flag("--no-select", "keep the current selection")];
const selectFlags = [flag("-c, --create", "make it if it does not exist")];
const removeFlags = [
  flag("-f, --force", "also when the stack still has resources, which are then forgotten"),
  yesFlag,
  flag("--preserve-config", "keep the config file"),
];
const showFlags = [
  stackFlag,
  flag("-u, --show-urns", "list the resources by URN"),
  flag("-i, --show-ids", "list their ids, too"),
  flag("--show-name", "print the stack's name and nothing else"),
];

function registerStackHistory(group: Command, context: CliContext): void {
  addFlags(group.command("history"), historyFlags)
    .summary("list what was done to a stack")
    .description("Lists the finished operations of a stack, the newest first, of both engines. Config is left out.")
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack history", "npx pulumi-modelplatform stack history --page-size 1 --json"),
    )
    .action((flags: FlagsOf<typeof historyFlags>) => history(flags, context));
}

async function history(
  { stack: requestedStack, json, page, pageSize }: FlagsOf<typeof historyFlags>,
  context: CliContext,
): Promise<void> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  const all = await session.backend.stack(session.project.name, stack).history();
  const visiblePage = all.slice((page - 1) * pageSize, page * pageSize);
  if (json) return context.stdout.write(jsonText(visiblePage.map(toJson)));
  if (visiblePage.length === 0)
    return context.stdout.write(
      page > 1 ? `The history has no page ${page}.\n` : "Nothing was ever done to this stack.\n",
    );
  context.stdout.write(visiblePage.map(formatRecord).join("\n"));
}

/** As `pulumi stack history --json` has it. */
const toJson = ({ kind, startTime, endTime, message, environment, result, resourceChanges }: UpdateRecord) => ({
  kind,
  startTime: timeText(startTime),
  message,
  environment,
  result,
  endTime: timeText(endTime),
  resourceChanges,
});

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString();

function formatRecord({ kind, startTime, endTime, message, result, resourceChanges }: UpdateRecord): string {
  const counts = Object.entries(resourceChanges ?? {}).map(([step, count]) => `${count} ${step}`);
  const lines = [
    `${timeText(startTime)}  ${kind}  ${result}  ${formatDuration((endTime - startTime) * 1000)}`,
    ...(message ? [`  ${message}`] : []),
    ...(counts.length > 0 ? [`  ${counts.join(", ")}`] : []),
  ];
  return `${lines.map(clean).join("\n")}\n`;
}

function registerStackList(group: Command, context: CliContext): void {
  addFlags(group.command("init"), initFlags)
    .summary("make a stack and select it")
    .description(
      "Makes a stack without resources and selects it. Its secrets are encrypted with PULUMI_CONFIG_PASSPHRASE.",
    )
    .argument("<name>", "letters, digits, `-`, `_` and `.`")
    .addHelpText("after", example("npx pulumi-modelplatform stack init dev"))
    .action((name: string, { select }: FlagsOf<typeof initFlags>) => init(name, select !== false, context));
  addFlags(group.command("ls"), [jsonFlag])
    .summary("list the project's stacks")
    .description("Lists the project's stacks; the selected one has an asterisk.")
    .addHelpText("after", example("npx pulumi-modelplatform stack ls"))
    .action(({ json }: { json?: boolean }) => list(json === true, context));
  addFlags(group.command("select"), selectFlags)
    .summary("choose the stack that commands mean")
    .description(
      "Chooses the stack that commands mean when --stack does not name one. The Pulumi CLI sees the same choice.",
    )
    .argument("<name>")
    .addHelpText("after", example("npx pulumi-modelplatform stack select dev"))
    .action((name: string, { create }: FlagsOf<typeof selectFlags>) => select(name, create === true, context));
  addFlags(group.command("rm"), removeFlags)
    .summary("remove a stack that has no resources")
    .description("Removes a stack with its history and config file. Resources are not deleted: destroy them first.")
    .argument("[name]", "default: the selected stack")
    .addHelpText("after", example("npx pulumi-modelplatform stack rm dev --yes"))
    .action((name: string | undefined, options: FlagsOf<typeof removeFlags>) => remove(name, options, context));
}

async function init(name: string, selecting: boolean, context: CliContext): Promise<void> {
  const { project, backend } = await openProjectBackend(context);
  const own = ownName(name, project);
  const passphrase = await passphraseFrom(context.env);
  const config = await readStackConfig(project, own);
  const secrets = await openSecrets({ passphrase, salt: config.encryptionSalt });
  await backend.createStack(project.name, own, undefined, {
    prepare: async () => {
      config.encryptionSalt = secrets.state.salt;
      await writeStackConfig(config);
    },
    finish: async () => {
      if (selecting) await backend.selectStack(project, own).catch(throwUnselected(own));
    },
  });
  context.stdout.write(`Created the stack ${own}${selecting ? " and selected it" : ""}.\n`);
}

const throwUnselected =
  (stack: string) =>
  (cause: Error): never => {
    throw new CommandError(
      `The stack ${stack} is made, but not selected: ${cause.message} Then run ${quotedCommand([...ownCommand, "stack", "select"], { args: [stack] })}.`,
      undefined,
      { cause },
    );
  };

async function list(json: boolean, context: CliContext): Promise<void> {
  const { project, backend } = await openProjectBackend(context);
  for (const rename of await backend.unfinishedRenames(project.name))
    context.stderr.write(
      `warning: the rename of the stack ${rename.from} to ${rename.to} was cut off, and it has neither name: ${finishing(rename)} finishes it.\n`,
    );
  const current = await backend.selectedStack(project);
  const listed = await backend.listStacks(project.name);
  const stacks = await Promise.all(
    listed.map(async ({ name }) => {
      const snapshot = await backend.stack(project.name, name).load();
      return {
        name,
        current: name === current,
        lastUpdate: snapshot?.manifest.time,
        resourceCount: snapshot?.resources.length ?? 0,
      };
    }),
  );
  if (json) return context.stdout.write(jsonText(stacks));
  if (stacks.length === 0)
    return context.stdout.write(
      `Project ${project.name} has no stack yet. Make one with \`npx pulumi-modelplatform stack init <name>\`.\n`,
    );
  const rows = stacks.map(({ name, current: selected, lastUpdate, resourceCount }) => [
    selected ? `${name}*` : name,
    shortTime(lastUpdate),
    String(resourceCount),
  ]);
  context.stdout.write(listing(["NAME", "LAST UPDATE", "RESOURCES"], rows, context.stdout.columns));
}

const shortTime = (time: string | undefined): string =>
  time === undefined ? "" : `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Loads the kinds: only for commands that get so far. */
const loadOrphans = () => require("../platform/doctor/orphans") as typeof import("../platform/doctor/orphans");

async function select(name: string, creating: boolean, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  if (creating && !(await backend.stack(project.name, ownName(name, project)).exists()))
    return init(name, true, context);
  const stack = await chooseStack(session, name);
  await session.backend.selectStack(session.project, stack);
  context.stdout.write(`Selected the stack ${stack}.\n`);
}

async function remove(
  name: string | undefined,
  { force = false, yes = false, preserveConfig = false }: FlagsOf<typeof removeFlags>,
  context: CliContext,
): Promise<void> {
  if (!yes && !context.isTTY) throw usageError("Removing a stack needs --yes when there is no terminal.");
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  const stack = (await removalOf(name, session)) ?? (await chooseStack(session, name));
  if (!yes) await confirmByName(stack, context);
  const selected = await selectedOrNone(session);
  await loadOrphans().warnOfOrphans(context, stack, { namesLost: true });
  const finish = async (): Promise<void> => {
    if (!preserveConfig) await nodeFiles.remove(stackConfigPath(project, stack));
    if (selected === stack) await backend.selectStack(project, undefined);
  };
  await backend.removeStack(project.name, stack, { force, finish });
  context.stdout.write(`Removed the stack ${stack}.\n`);
}

/** A stack whose removal was cut off is meant, although it is not there any more. */
async function removalOf(name: string | undefined, { project, backend }: ProjectBackend): Promise<string | undefined> {
  const stack = name === undefined ? await backend.rememberedStack(project) : ownName(name, project);
  if (stack === undefined) return undefined;
  return (await backend.cutOff(project.name, stack))?.operation === "stack rm" ? stack : undefined;
}

async function confirmByName(stack: string, context: CliContext): Promise<void> {
  const answer = await context.prompt(`This removes the stack ${stack} with its history. Type its name to confirm: `);
  if (answer?.trim() !== stack) throw new CommandError("The name was not typed: nothing was removed.");
}

/** PULUMI_STACK may name a stack that is gone; that must not prevent removing another one. */
const selectedOrNone = ({ backend, project }: ProjectBackend): Promise<string | undefined> =>
  backend.selectedStack(project).catch(() => undefined);

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

function registerStackNames(group: Command, context: CliContext): void {
  addFlags(group.command("show", { isDefault: true }), showFlags)
    .summary("show what a stack has, as `stack` alone does")
    .description("Shows the current stack and what its state holds.")
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform stack show --show-urns", "npx pulumi-modelplatform stack --show-name"),
    )
    .action((flags: FlagsOf<typeof showFlags>) => show(flags, context));
  addFlags(group.command("rename"), [stackFlag])
    .summary("give a stack another name")
    .description(
      "Renames a stack, with its history and config file, and selects it. URNs hold the stack's name: a program that reads it may declare other resources. A full name with another project renames that, too: `name` in Pulumi.yaml has to be the same before the next operation.",
    )
    .argument("<name>", "its name from now on")
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform stack rename production",
        "npx pulumi-modelplatform stack rename organization/shop/dev --stack organization/store/dev",
      ),
    )
    .action((name: string, { stack }: { stack?: string }) => renameTo(name, stack, context));
}

async function show(
  { stack: requestedStack, showUrns, showIds, showName }: FlagsOf<typeof showFlags>,
  context: CliContext,
): Promise<void> {
  const session = await openProjectBackend(context);
  const stack = await chooseStack(session, requestedStack);
  if (showName) return context.stdout.write(`${stack}\n`);
  const snapshot = await session.backend.stack(session.project.name, stack).load("inspect");
  const resources = snapshot?.resources ?? [];
  context.stdout.write(
    `The stack ${stack} has ${resources.length} resources, as of ${snapshot?.manifest.time ?? "never"}.\n`,
  );
  if (resources.length === 0) return;
  const rows = resources.map(({ urn, type, id = "" }) => [
    showUrns ? urn : `${type} ${urn.split("::").slice(3).join("::")}`,
    ...(showIds ? [id] : []),
  ]);
  context.stdout.write(`\n${listing(["RESOURCE", ...(showIds ? ["ID"] : [])], rows, context.stdout.columns)}`);
}
