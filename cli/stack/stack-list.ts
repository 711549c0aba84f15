import type { Command } from "commander";
import { openSecrets, passphraseFrom } from "../../engine/state/passphrase";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { removeFile } from "../../io/files/write";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { example, jsonFlag, yesFlag } from "../command/flags";
import { jsonText, listing } from "../command/output";
import { chooseStack, openProjectBackend, ownName, type ProjectBackend } from "./stack-choice";

export function registerStackList(group: Command, context: CliContext): void {
  group
    .command("init")
    .summary("make a stack and select it")
    .description(
      "Makes a stack without resources and selects it. Its secrets are encrypted with PULUMI_CONFIG_PASSPHRASE.",
    )
    .argument("<name>", "letters, digits, `-`, `_` and `.`")
    .option("--no-select", "keep the current selection")
    .addHelpText("after", example("npx pulumi-modelplatform stack init dev"))
    .action((name: string, { select }: { select: boolean }) => init(name, select, context));
  group
    .command("ls")
    .summary("list the project's stacks")
    .description("Lists the project's stacks; the selected one has an asterisk.")
    .option(...jsonFlag)
    .addHelpText("after", example("npx pulumi-modelplatform stack ls"))
    .action(({ json }: { json?: boolean }) => list(json === true, context));
  group
    .command("select")
    .summary("choose the stack that commands mean")
    .description(
      "Chooses the stack that commands mean when --stack does not name one. The Pulumi CLI sees the same choice.",
    )
    .argument("<name>")
    .option("-c, --create", "make it if it does not exist")
    .addHelpText("after", example("npx pulumi-modelplatform stack select dev"))
    .action((name: string, { create }: { create?: boolean }) => select(name, create === true, context));
  group
    .command("rm")
    .summary("remove a stack that has no resources")
    .description("Removes a stack with its history and config file. Resources are not deleted: destroy them first.")
    .argument("[name]", "default: the selected stack")
    .option("-f, --force", "also when the stack still has resources, which are then forgotten")
    .option(...yesFlag)
    .option("--preserve-config", "keep the config file")
    .addHelpText("after", example("npx pulumi-modelplatform stack rm dev --yes"))
    .action((name: string | undefined, options: RemoveOptions) => remove(name, options, context));
}

async function init(name: string, selecting: boolean, context: CliContext): Promise<void> {
  const { project, backend } = await openProjectBackend(context);
  const own = ownName(name, project);
  const passphrase = await passphraseFrom(context.env);
  const config = await readStackConfig(project, own);
  const secrets = await openSecrets({ passphrase, salt: config.encryptionSalt });
  await backend.createStack(project.name, own);
  config.encryptionSalt = secrets.state.salt;
  await writeStackConfig(config);
  if (selecting) await backend.selectStack(project, own);
  context.stdout.write(`Created the stack ${own}${selecting ? " and selected it" : ""}.\n`);
}

async function list(json: boolean, context: CliContext): Promise<void> {
  const { project, backend } = await openProjectBackend(context);
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
const loadOrphans = () => require("../platform/orphans") as typeof import("../platform/orphans");

async function select(name: string, creating: boolean, context: CliContext): Promise<void> {
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  if (creating && !(await backend.stack(project.name, ownName(name, project)).exists()))
    return init(name, true, context);
  const stack = await chooseStack(session, name);
  await session.backend.selectStack(session.project, stack);
  context.stdout.write(`Selected the stack ${stack}.\n`);
}

interface RemoveOptions {
  force?: boolean;
  yes?: boolean;
  preserveConfig?: boolean;
}

async function remove(
  name: string | undefined,
  { force = false, yes = false, preserveConfig = false }: RemoveOptions,
  context: CliContext,
): Promise<void> {
  if (!yes && !context.isTTY) throw usageError("Removing a stack needs --yes when there is no terminal.");
  const session = await openProjectBackend(context);
  const { project, backend } = session;
  const stack = await chooseStack(session, name);
  if (!yes) await confirmByName(stack, context);
  const selected = await selectedOrNone(session);
  await loadOrphans().warnOfOrphans(context, stack, { namesLost: true });
  await backend.removeStack(project.name, stack, { force });
  if (!preserveConfig) removeFile((await readStackConfig(project, stack)).file);
  if (selected === stack) await backend.selectStack(project, undefined);
  context.stdout.write(`Removed the stack ${stack}.\n`);
}

async function confirmByName(stack: string, context: CliContext): Promise<void> {
  const answer = await context.prompt(`This removes the stack ${stack} with its history. Type its name to confirm: `);
  if (answer?.trim() !== stack) throw new CommandError("The name was not typed: nothing was removed.");
}

/** PULUMI_STACK may name a stack that is gone; that must not prevent removing another one. */
const selectedOrNone = ({ backend, project }: ProjectBackend): Promise<string | undefined> =>
  backend.selectedStack(project).catch(() => undefined);
