import { versions } from "node:process";
import type { Command } from "commander";
import { wrap } from "../../../engine/display/text";
import { packageRoot } from "../../../io/files/package";
import { runProgram } from "../../../io/programs";
import { within } from "../../../provider/api/time";
import { settingKey, settingVariable } from "../../../provider/core/settings";
import { managedSpecs } from "../../../provider/resources/index";
import { configFor } from "../../checkout/settings";
import { openClient } from "../../command/client";
import { type CliContext, exitCodes } from "../../command/context";
import { usageError } from "../../command/failure";
import { addFlags, example, type FlagsOf, flag, jsonFlag, stackFlag } from "../../command/flags";
import { jsonText, paletteOf } from "../../command/output";
import type { DoctorFinding } from "./finding";
import { type Machine, machineFindings } from "./machine";
import type { NextStep } from "./next";
import { journalFindings, journalFolderIn } from "./orphans";
import { type ProjectReport, projectFindings } from "./project";
import { claimOf, serviceFindings } from "./service";
import { settingsFindings, trustFindings } from "./settings";

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("doctor"), doctorFlags)
    .summary("check what a stack or a scan needs, and say what to do")
    .description(
      "Checks settings, versions, the project and its state, and the service as each key reaches it. Writes nothing and sends only reads. Exit code 1 if something needs fixing.",
    )
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform doctor", "npx pulumi-modelplatform doctor --json --stack dev"),
    )
    .action(async ({ stack, json, leftovers: only, next }: FlagsOf<typeof doctorFlags>) => {
      if (only && next) throw usageError("Give --leftovers or --next, not both.");
      if (only) return listOrphans(await loadOrphans().leftoversOf(context, stack), json === true, context);
      const project = await projectFindings(context, stack);
      const findings = await examine(context, project);
      if (next) return listNext(await loadNext().nextSteps(context, stack, project, findings), json === true, context);
      context.stdout.write(json ? jsonText({ findings, summary: summaryOf(findings) }) : table(findings, context));
      if (findings.some(({ level }) => level === "error")) context.exitCode = exitCodes.error;
    });
}

const doctorFlags = [
  stackFlag,
  flag("--leftovers", "list only what interrupted creates of the stack have left"),
  flag("--next", "list only what is unknown, in order, with the command that ends each"),
  jsonFlag,
];

const loadOrphans = () => require("./orphans") as typeof import("./orphans");

const listOrphans = (lines: readonly string[], json: boolean, { stdout }: CliContext): void =>
  stdout.write(json ? jsonText({ leftovers: lines }) : lines.map((line) => `${line}\n`).join("") || "None.\n");

const loadNext = () => require("./next") as typeof import("./next");

function listNext(steps: readonly NextStep[], json: boolean, context: CliContext): void {
  if (steps.length > 0) context.exitCode = exitCodes.error;
  context.stdout.write(json ? jsonText({ next: steps }) : steps.map(numbered).join("\n") || "Nothing is unknown.\n");
}

/** A command stays on one line, so that it can be copied. */
const numbered = ({ command, note, unknown }: NextStep, index: number): string =>
  [
    `${index + 1}. ${command ?? note}`,
    ...(command === undefined ? [] : [`   ${note}`]),
    ...unknown.map((each) => `   - ${each}`),
    "",
  ].join("\n");

/** Milliseconds that a program may take to print its version. */
const versionTimeoutMs = 10_000;

const thisMachine = ({ env, cwd, checkout, time }: CliContext): Machine => ({
  node: versions.node,
  env,
  cwd,
  package: packageRoot,
  run: (file, args) => {
    const { cwd: folder, env: outside, find } = checkout.programs;
    return within(versionTimeoutMs, time, (signal) =>
      runProgram(find(file), args, { cwd: folder, env: outside, signal }),
    );
  },
});

/** Every finding, in the order of setting things up. */
async function examine(
  context: CliContext,
  project: ProjectReport,
  machine: Machine = thisMachine(context),
): Promise<DoctorFinding[]> {
  const { findings, settings } = settingsFindings({
    env: context.env,
    config: project.config,
  });
  const taken = project.config && configFor(context.checkout, project.config);
  const { now } = context.time;
  const client = settings && openClient(context, { effects: ["read"] }, taken && { config: taken.config });
  try {
    const before = [
      ...(await machineFindings(machine)),
      ...project.findings,
      ...findings,
      ...(await journalFindings(
        journalFolderIn(settings?.intents, machine.cwd, context.env),
        context.clock.now(),
        project,
        client && ((begun) => claimOf(client, managedSpecs, begun, now)),
      )),
    ];
    if (!client) return before;
    const service = await serviceFindings(client, managedSpecs, now);
    const isInEnvironment = (name: string): boolean =>
      project.config?.get(settingKey(name)) === context.env[settingVariable(name)];
    const trust = trustFindings(taken?.refused ?? [], isInEnvironment);
    return client.redactor.value([...before, ...trust, ...service]);
  } finally {
    await client?.close();
  }
}

const levels = ["ok", "warning", "error"] as const;

const summaryOf = (findings: readonly DoctorFinding[]): Record<DoctorFinding["level"], number> =>
  Object.fromEntries(
    levels.map((level) => [level, findings.filter((finding) => finding.level === level).length]),
  ) as Record<DoctorFinding["level"], number>;

/** One line each, and a second one if there is something to do. */
function table(findings: readonly DoctorFinding[], context: CliContext): string {
  const palette = paletteOf(context);
  const paint = { ok: palette.good, warning: palette.warning, error: palette.error };
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const margin = " ".repeat(width + 11);
  const column = (text: string): string[] => wrap(text, Math.max(30, context.stdout.columns - margin.length));
  const lines = findings.flatMap(({ level, subject, found, advice }) => {
    const [first = "", ...more] = column(found);
    const rest = [...more, ...(advice === undefined ? [] : column(`→ ${advice}`).map(palette.faint))];
    return [
      `${paint[level](level.padEnd(7))}  ${subject.padEnd(width)}  ${first}`,
      ...rest.map((line) => `${margin}${line}`),
    ];
  });
  const { ok: good, warning: warned, error: wrong } = summaryOf(findings);
  return `${lines.join("\n")}\n\n${good} ok, ${warned} ${warned === 1 ? "warning" : "warnings"}, ${wrong} ${wrong === 1 ? "error" : "errors"}\n`;
}
