import { resolve } from "node:path";
import type { Command } from "commander";
import { createEmulator, type EmulatorOptions, type Role, type WorldDocument } from "../../emulator/index";
import { ceilings, readTextSync, UnreadableFileError } from "../../io/files/read";
import { messageOf } from "../../provider/core/errors";
import { omitUndefined } from "../../provider/core/values/values";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag } from "../command/flags";

const roles: readonly Role[] = ["admin", "user", "contributor", "inference-user", "custom"];

const emulatorFlags = [
  flag("--port <n>", "port to listen on; 0 takes a free one", portIn, 8787),
  flag("--host <address>", "address to listen on", undefined, "127.0.0.1"),
  flag("--account <account=key>", "an account with its admin key; may be repeated (default: demo=demo-key)", accountIn),
  flag("--key <account:role=key>", "a further key of an account; may be repeated", keyIn),
  flag("--superuser-key <key>", "key of the platform's superuser (default: superuser-key, and none with --account)"),
  flag("--seed <file>", "initial objects and accounts, as GET /_emulator/objects gives them (JSON)"),
  flag("--data <folder>", "keep objects in this folder across restarts and crashes"),
  flag("--patch <way>", "how updates treat mask and body (default: mask)", ["mask", "derive", "populated", "replace"]),
  flag(
    "--speed <factor>",
    "emulated seconds per second: 60 lets an hour of transitions pass in a minute (default: 1)",
    speedIn,
  ),
  flag("--clock <kind>", "manual stands still until it is advanced", ["real", "manual"], "real"),
  flag("--strict", "also enforce conventions"),
  flag(
    "--control-token <token>",
    "open the control plane to holders of this token only, from any machine; prefer MODELPLATFORM_CONTROL_TOKEN, which process lists do not show",
  ),
];

type EmulatorFlags = FlagsOf<typeof emulatorFlags>;

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("emulator"), emulatorFlags)
    .description(
      "Serves the platform's API on this machine: accounts, objects that change state over time, and faults on demand. Tests inspect and control it under /_emulator/.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform emulator --port 8787 --speed 60",
        "npx pulumi-modelplatform emulator --account eu=eu-key --account us=us-key --data .emulator",
      ),
    )
    .action((flags: EmulatorFlags) => run(flags, context));
}

async function run(flags: EmulatorFlags, context: CliContext): Promise<void> {
  const emulator = createEmulator(optionsOf(flags, context));
  const stopped = new Promise<void>((stop) => {
    let signals = 0;
    context.signals.listen(() => (signals++ === 0 ? stop() : context.exit(130)));
  });
  try {
    const { url } = await emulator.listen({ port: flags.port, host: flags.host });
    context.stdout.write(`emulator listening on ${url}\n`);
    // Loads the server while the reader of that line makes the first request.
    require("../../emulator/answering");
    await stopped;
  } finally {
    await emulator.close();
  }
}

function optionsOf(flags: EmulatorFlags, context: CliContext): EmulatorOptions {
  const controlToken = flags.controlToken ?? context.env["MODELPLATFORM_CONTROL_TOKEN"];
  return {
    accounts: flags.account && Object.fromEntries(flags.account),
    keys: flags.key ?? [],
    superuserKey: flags.superuserKey,
    seed: flags.seed === undefined ? undefined : seedIn(resolve(context.cwd, flags.seed)),
    data: flags.data === undefined ? undefined : resolve(context.cwd, flags.data),
    clock: flags.clock,
    // Explicit flags alone: a restored world keeps the settings it had.
    settings: omitUndefined({
      models: flags.data === undefined ? ("ready" as const) : undefined,
      patch: flags.patch,
      speed: flags.speed,
      strict: flags.strict,
    }),
    controlToken: controlToken || undefined,
    onError: (error) =>
      context.stderr.write(
        `the emulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      ),
  };
}

function seedIn(path: string): WorldDocument {
  try {
    return JSON.parse(readTextSync(path, ceilings.document, { fromUser: true })) as WorldDocument;
  } catch (error) {
    if (error instanceof UnreadableFileError) throw new CommandError(`--seed: ${error.message}`);
    throw new CommandError(`--seed ${path}: ${unreadable(error)}`);
  }
}

/** The parser's own words quote the file, which may hold keys. */
function unreadable(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not JSON";
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : messageOf(error);
}

function portIn(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw usageError(`--port takes a number from 0 to 65535, not \`${text}\`.`);
  return port;
}

function speedIn(text: string): number {
  const speed = Number(text);
  if (!(speed > 0 && speed <= 1_000_000))
    throw usageError(`--speed takes a number above 0 and up to 1000000, not \`${text}\`.`);
  return speed;
}

/** The message does not repeat the text: it may hold a key. */
function accountIn(text: string, before: [account: string, key: string][] = []): [string, string][] {
  const match = /^([^/:=\s]+)=(.+)$/.exec(text);
  if (!match) throw usageError("--account takes an account and its key, such as demo=demo-key.");
  return [...before, [match[1]!, match[2]!]];
}

interface AccountKey {
  account: string;
  role: Role;
  key: string;
}

function keyIn(text: string, before: AccountKey[] = []): AccountKey[] {
  const match = /^([^/:=\s]+):([a-z-]+)=(.+)$/.exec(text);
  const role = roles.find((known) => known === match?.[2]);
  if (!match || !role)
    throw usageError(
      `--key takes an account, a role and a key, such as demo:inference-user=ro-key; roles are ${roles.join(", ")}.`,
    );
  return [...before, { account: match[1]!, role, key: match[3]! }];
}
