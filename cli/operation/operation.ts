import { resolve } from "node:path";
import { Board } from "../../engine/display/board";
import { differences } from "../../engine/display/differences";
import { createJsonDisplay, createPlainDisplay, type Display, resultLine } from "../../engine/display/display";
import { createLiveDisplay } from "../../engine/display/live";
import type { EngineEvent, Outcomes } from "../../engine/events";
import type { ImportRequest } from "../../engine/program/import-resources";
import type { Project } from "../../engine/state/project";
import type { PropertyMap } from "../../engine/state/resource-state";
import { readStackConfig } from "../../engine/state/stack-config";
import { stripSecrets } from "../../engine/values/values";
import type { CostReport } from "../../governance/cost/report";
import type { Environment } from "../../io/files/user-folders";
import type { TimeSpent } from "../../provider/api/time";
import { settingKey, settingVariable } from "../../provider/core/settings";
import {
  type CliContext,
  type CommandResult,
  type Engine,
  exitCodes,
  type OperationChoices,
  type OperationRequest,
} from "../command/context";
import { CommandError, interruptedError, usageError } from "../command/failure";
import { paletteOf, timeSpentLine } from "../command/output";
import { isDrawable } from "../command/safe-output";
import { chooseStack, openProjectBackend } from "../command/stack-choice";
import { setConfig, warnOfUnknownKeys } from "../stack/config";
import type { OperationCosts } from "./costs";
import type { OperationFlags } from "./flags";

/** The costs of an operation, loaded only where there are prices. */
async function openCosts(context: CliContext, project: Project, stack: string): Promise<OperationCosts | undefined> {
  const config = await readStackConfig(project, stack);
  const isSet =
    config.merged()[settingKey("prices")] !== undefined || (context.env[settingVariable("prices")] ?? "") !== "";
  if (!isSet) return undefined;
  const loaded = require("./costs") as typeof import("./costs");
  return loaded.OperationCosts.open(context, config);
}

const isTrue = (text: string | undefined): boolean => text === "1" || text?.toLowerCase() === "true";

/** What the flags choose, and Pulumi's variables in their place. */
function choicesOf(flags: OperationFlags, env: Environment): OperationChoices {
  const { target = [], exclude = [], replace = [], targetReplace = [], excludeProtected } = flags;
  const targets = [...target, ...targetReplace];
  if (targets.length > 0 && exclude.length > 0) throw usageError("--target and --exclude cannot be combined.");
  if (targets.length > 0 && excludeProtected) throw usageError("--target and --exclude-protected cannot be combined.");
  const { targetDependents, excludeDependents, refresh, plan, clearPendingCreates, message, parallel } = flags;
  return {
    ...{ target: targets, exclude, replace: [...replace, ...targetReplace] },
    ...{ targetDependents, excludeDependents, excludeProtected, refresh, plan, clearPendingCreates },
    runProgram: flags.runProgram ?? isTrue(env["PULUMI_RUN_PROGRAM"]),
    continueOnError: flags.continueOnError ?? isTrue(env["PULUMI_CONTINUE_ON_ERROR"]),
    message,
    parallel,
  };
}

/** Loads the kinds: only for commands that get so far. */
const loadOrphans = () => require("../platform/doctor/orphans") as typeof import("../platform/doctor/orphans");

const questions = {
  up: "Update the stack like this?",
  refresh: "Record this?",
  destroy: "Delete all this?",
  import: "Import this?",
} as const;

/** Previews, asks and runs, as the flags say; the exit code gives the outcome. */
export async function operate(
  kind: OperationRequest["kind"],
  flags: OperationFlags,
  context: CliContext,
  imports?: ImportRequest,
): Promise<void> {
  const asking = !flags.previewOnly && !flags.skipPreview && !flags.yes;
  const choices = choicesOf(flags, context.env);
  if (asking) assertInteractive(kind, flags, context);
  let last: Outcome | undefined;
  try {
    const session = await openProjectBackend(context);
    const stack = await chooseStack(session, flags.stack);
    warnOfUnknownKeys(await setConfig(session, stack, flags.config ?? []), context);
    const costs = kind === "up" ? await openCosts(context, session.project, stack) : undefined;
    last = await perform(new Operation({ kind, choices, imports }, flags, context, { stack, costs }), flags, asking);
    if (last.result === "succeeded" && !flags.previewOnly)
      await loadOrphans().warnOfOrphans(context, stack, { namesLost: kind === "destroy" });
    if (kind === "up" && flags.previewOnly) await loadOrphans().warnOfBegun(context, stack);
  } finally {
    if (flags.json)
      context.stdout.write(
        resultLine(last && { ...last, result: last.result === "succeeded" ? "succeeded" : "failed" }),
      );
  }
  conclude(last, flags, context);
}

/** A result, with the outputs of the stack as the flags display them. */
interface Outcome extends CommandResult {
  outputs: PropertyMap;
  outcomes?: Outcomes | undefined;
  cost?: CostReport | undefined;
}

/** The result of the last run: of the preview where it was to be the only one, or did not succeed. */
async function perform(
  operation: Operation,
  { previewOnly = false, skipPreview = false, diff = false }: OperationFlags,
  asking: boolean,
): Promise<Outcome> {
  if (previewOnly || !skipPreview) {
    const planned = await operation.run({ preview: true, diff });
    if (previewOnly || planned.result !== "succeeded") return planned;
    if (asking && changesOf(planned) > 0) await operation.confirm();
  }
  // The differences of a preview are not printed twice.
  return operation.run({ preview: false, diff: diff && skipPreview });
}

function assertInteractive(kind: string, { json }: OperationFlags, { isTTY }: CliContext): void {
  const look = kind === "up" ? "run `npx pulumi-modelplatform preview`" : "add --preview-only";
  const advice = `Add --yes to go on after the preview, or --skip-preview to go on without one; to look only, ${look}.`;
  if (json) throw usageError(`${kind} --json cannot ask. ${advice}`);
  if (!isTTY) throw usageError(`${kind} asks before it changes anything, and there is no terminal. ${advice}`);
}

const changesOf = ({ changes: { same: _, ...changes }, left }: CommandResult): number =>
  Object.values(changes).reduce((sum, count) => sum + count, left.length);

function conclude(result: CommandResult, { expectNoChanges }: OperationFlags, context: CliContext): void {
  if (result.result === "interrupted") context.exitCode = exitCodes.interrupted;
  else if (result.result === "failed") context.exitCode = exitCodes.error;
  else if (expectNoChanges && changesOf(result) > 0) {
    context.exitCode = exitCodes.unexpectedChanges;
    context.stderr.write(`error: expected no changes, but there are ${changesOf(result)}.\n`);
  }
}

/** The first ^C ends what has not begun, the second what has, the third this process. */
function listenForInterrupts(context: CliContext, display: Display) {
  const [first, second] = [new AbortController(), new AbortController()];
  const end = context.signals.listen(() => {
    if (second.signal.aborted) context.exit(exitCodes.interrupted);
    if (first.signal.aborted) return second.abort();
    first.abort();
    display.notice("ending and recording what has begun; press ^C again to stop immediately");
  });
  return { signals: { signal: first.signal, killSignal: second.signal }, end };
}

/** One command's preview and the run after it. */
class Operation {
  private board = new Board();
  private engine: Promise<Engine> | undefined;

  constructor(
    private readonly operation: {
      kind: OperationRequest["kind"];
      choices: OperationChoices;
      imports?: ImportRequest | undefined;
    },
    private readonly flags: OperationFlags,
    private readonly context: CliContext,
    private readonly on: { stack: string; costs: OperationCosts | undefined },
  ) {}

  async run({ preview, diff }: { preview: boolean; diff: boolean }): Promise<Outcome> {
    const { context, flags } = this;
    const engine = await (this.engine ??= context.loadEngine());
    const display = await openDisplay(context, {
      json: flags.json === true,
      diff,
      expectsNoChanges: flags.expectNoChanges === true,
    });
    const interrupts = listenForInterrupts(context, display);
    let timeSpent: TimeSpent | undefined;
    let cost: CostReport | undefined;
    this.board = new Board();
    this.on.costs?.begin();
    const onEvent = (raw: EngineEvent) => {
      const event = raw.kind === "summary" ? { ...raw, outputs: this.displayedOutputs(raw.outputs) } : raw;
      this.board.apply(event);
      this.on.costs?.onEvent(raw);
      display.onEvent(event);
    };
    try {
      const place = { stack: this.on.stack, cwd: context.cwd, env: context.env, isTrusted: context.checkout.isTrusted };
      const { timeSpent: spent, ...result } = await engine(place, {
        ...this.request(preview),
        ...{ preview, onEvent, onWaiting: flags.json ? undefined : this.waitingIn(display, preview) },
        ...interrupts.signals,
      });
      timeSpent = spent;
      cost = await this.on.costs?.report({ applied: !preview, signal: interrupts.signals.signal });
      const { outputs = {}, outcomes } = this.board.summary ?? {};
      return { ...result, outputs, outcomes, cost };
    } catch (error) {
      const { signal, killSignal } = interrupts.signals;
      throw killSignal.aborted || (signal.aborted && error === signal.reason) ? interruptedError() : error;
    } finally {
      interrupts.end();
      display.close();
      if (cost && !flags.json) context.stdout.write(this.on.costs!.render(cost));
      const line = preview ? undefined : timeSpent && timeSpentLine(timeSpent);
      if (line !== undefined && !flags.json) context.stdout.write(`${line}\n`);
    }
  }

  /**
   * Beside what others may read from the standard output; in the picture where there is one and the wait is the last of
   * it, as a preview's is.
   */
  private waitingIn(display: Display, preview: boolean): ((what: string) => void) | undefined {
    const { context } = this;
    if (isLive(context)) return preview ? (what) => display.notice(what) : undefined;
    return (what) => context.stderr.write(`${what} …\n`);
  }

  /** A preview saves the plan that it is asked for, and keeps to the one that the update is held to. */
  private request(preview: boolean) {
    const { kind, choices, imports } = this.operation;
    const [saved, held] = [this.flags.savePlan, choices.plan].map((path) => path && resolve(this.context.cwd, path));
    const planned = preview ? { plan: saved, heldTo: held } : { plan: held };
    return { kind, choices: { ...choices, ...planned }, imports };
  }

  /** The stack's outputs as the flags display them. */
  private displayedOutputs(outputs: PropertyMap): PropertyMap {
    if (this.flags.suppressOutputs) return {};
    if (!this.flags.showSecrets) return outputs;
    return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, stripSecrets(value)]));
  }

  /** Resolves when the answer is yes. */
  async confirm(): Promise<void> {
    const { context } = this;
    for (;;) {
      const answer =
        (await context.prompt(`\n${questions[this.operation.kind]} (yes/no/details) `))?.trim().toLowerCase() ?? "no";
      if (answer === "yes" || answer === "y") return context.stdout.write("\n");
      if (answer === "no" || answer === "n") throw new CommandError("not confirmed: nothing was changed.");
      if (answer === "details" || answer === "d") {
        context.stdout.write(
          `\n${differences(this.board, paletteOf(context), context.stdout.columns).join("\n").trimEnd()}\n`,
        );
      }
    }
  }
}

/** Whether the display redraws in place. */
const isLive = (context: CliContext): boolean => isDrawable(context.stdout, context);

/** JSON lines on request, a live table on a capable terminal, plain lines elsewhere. */
async function openDisplay(
  context: CliContext,
  { json, ...displayOptions }: { json: boolean; diff: boolean; expectsNoChanges: boolean },
): Promise<Display> {
  const { stdout, clock } = context;
  const write = (text: string) => stdout.write(text);
  if (json) return createJsonDisplay(write, clock);
  const size = () => ({ width: stdout.columns, height: stdout.rows });
  const options = { write, palette: paletteOf(context), size, clock, ...displayOptions };
  return isLive(context) ? createLiveDisplay(options, await context.openCanvas()) : createPlainDisplay(options);
}
