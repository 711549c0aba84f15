import type { Command } from "commander";
import { oneLine } from "../../../engine/display/text";
import { commandLine } from "../../../io/text/command-line";
import { ascending } from "../../../provider/core/values/grouping";
import { type CliContext, exitCodes } from "../../command/context";
import { addFlags, example, type FlagsOf, flag, jsonFlag, withHelpGroup } from "../../command/flags";
import { jsonText, listing, writeOutput } from "../../command/output";
import { namedStacks, recordedFor } from "../../command/recorded-stacks";
import { engineAtHand } from "../../command/stack-choice";
import { stackFlags } from "../../command/stack-flags";
import {
  openProbeClient,
  type ProbeClient,
  type ProbeFinding,
  type ProbeVerdict,
  settingsFrom,
  unprobedFindings,
} from "./asker";
import { probeCreation } from "./creation";
import { type Fit, fitOf, probeEndpoints, probeLists } from "./endpoints";
import { probeErrorBehavior } from "./error-behavior";

const probeFlags = [
  flag("--account <account>", "the account to ask about (default: the default account)"),
  jsonFlag,
  flag(
    "-o, --output <file>",
    "write settings that compensate for differences: a fragment of Pulumi.<stack>.yaml, or JSON for a file named .json",
  ),
  flag(
    "--report <file>",
    "write the findings and the verdict as JSON without accounts, hosts and addresses: a file to send to somebody",
  ),
  ...withHelpGroup("Settings of a stack:", stackFlags({ all: false })),
];

type ProbeFlags = FlagsOf<typeof probeFlags>;

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("probe"), probeFlags)
    .description(
      "Finds out which conventions a service follows where the API's description is silent, with reads and validate-only creates. Writes nothing: what only a change could show is listed as not probed. Settings come from the environment. Exits with 0 if everything asked holds, 2 if something differs.",
    )
    .addHelpText(
      "after",
      example("npx pulumi-modelplatform probe", "npx pulumi-modelplatform probe --account acme --output settings.yaml"),
    )
    .action((flags: ProbeFlags) => run(flags, context));
}

async function run(
  { account, json, output, report: shared, ...flags }: ProbeFlags,
  context: CliContext,
): Promise<void> {
  const { recorded } = recordedFor(await namedStacks(flags, context), context);
  const asker = openProbeClient(context, account, recorded);
  try {
    const findings = await findingsOf(asker);
    const settings = settingsFrom(findings);
    const fit = fitOf(asker, findings);
    if (output !== undefined) writeSettings(output, settings, context);
    const probeReport = document(asker, findings, settings, fit);
    if (shared !== undefined)
      writeOutput(shared, anonymize(jsonText(probeReport), asker), context, { worldReadable: true });
    const { columns } = context.stdout;
    const engine = await engineAtHand(context);
    context.stdout.write(json ? jsonText(probeReport) : report(asker, findings, { settings, fit, columns, engine }));
    if (findings.some(({ verdict }) => verdict === "differs")) context.exitCode = exitCodes.drift;
  } finally {
    await asker.close();
  }
}

async function findingsOf(asker: ProbeClient): Promise<ProbeFinding[]> {
  const { findings, samples } = await probeEndpoints(asker);
  const rest = [
    ...(await probeLists(asker, samples)),
    ...(await probeCreation(asker, samples)),
    ...(await probeErrorBehavior(asker, samples)),
    ...unprobedFindings(asker.catalogue),
  ];
  return [...findings, ...rest].sort((a, b) => ascending(a.convention, b.convention));
}

const verdicts: readonly ProbeVerdict[] = ["holds", "differs", "unknown", "not probed"];

const counts = (findings: readonly ProbeFinding[]): Record<ProbeVerdict, number> =>
  Object.fromEntries(
    verdicts.map((verdict) => [verdict, findings.filter((finding) => finding.verdict === verdict).length]),
  ) as Record<ProbeVerdict, number>;

const document = (
  asker: ProbeClient,
  findings: readonly ProbeFinding[],
  settings: Record<string, string>,
  { verdict, reasons }: Fit,
) => ({
  service: asker.origin,
  account: asker.account,
  requests: asker.sent(),
  verdict,
  reasons,
  summary: counts(findings),
  settings,
  findings: findings.map(({ convention, asked, answered, said = null, verdict, knob = null }) => ({
    convention,
    asked,
    answered,
    said,
    verdict,
    knob,
  })),
});

/** Without what says whose service and account it is: names stay recognizable as names. */
const anonymize = (text: string, { origin, account }: ProbeClient): string =>
  [origin, origin.replace(/^\w+:\/\//, "")]
    .filter((part) => part !== "")
    .reduce((rest, part) => rest.replaceAll(part, "{service}"), text)
    .replaceAll(new RegExp(`(?<![\\w-])${account}(?![\\w-])`, "g"), "{account}")
    .replaceAll(/(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+/g, "{address}");

function report(
  asker: ProbeClient,
  findings: readonly ProbeFinding[],
  {
    settings,
    fit: { verdict, reasons },
    columns,
    engine,
  }: { settings: Record<string, string>; fit: Fit; columns: number; engine: readonly string[] },
): string {
  const rows = findings.map(({ convention, asked, answered, verdict, knob = "" }) => [
    convention,
    asked,
    answered,
    verdict,
    knob,
  ]);
  const words = findings.flatMap(({ convention, asked, said, verdict }) =>
    said !== undefined && (verdict === "differs" || verdict === "unknown")
      ? [`${convention} ${asked}: ${oneLine(said)}\n`]
      : [],
  );
  const number = counts(findings);
  const summary = `${number.holds} hold, ${number.differs} differ, ${number.unknown} unknown, ${number["not probed"]} not probed. ${asker.sent()} requests, ${settingsSummary(findings)}.`;
  const commands = Object.entries(settings).map(
    ([key, text]) =>
      `  ${commandLine([...engine, "config", "set"], { args: [key, text] }) ?? oneLine(`${key}: ${text}`)}\n`,
  );
  const advice = commands.length === 0 ? "" : `\nSettings for this service:\n${commands.join("")}`;
  const why = reasons.map((reason) => `  ${oneLine(reason)}\n`).join("");
  const end = `\nVerdict: ${verdict}${why === "" ? "" : `\n${why.trimEnd()}`}\n`;
  return `${listing(["Convention", "Asked", "Answered", "Verdict", "Knob"], rows, columns)}\n${words.length === 0 ? "" : `${words.join("")}\n`}${summary}\n${advice}${end}`;
}

function settingsSummary(findings: readonly ProbeFinding[]): string {
  const created = findings.flatMap((finding) => finding.created ?? []);
  return created.length === 0 ? "none of which writes" : `which created ${created.join(", ")}: delete it`;
}

/** Text in single quotes is the same to YAML as it is here, but for the quotes themselves. */
function writeSettings(path: string, settings: Record<string, string>, context: CliContext): void {
  const lines = Object.entries(settings).map(([key, text]) => `  ${key}: '${text.replaceAll("'", "''")}'\n`);
  const yaml = lines.length === 0 ? "config: {}\n" : `config:\n${lines.join("")}`;
  writeOutput(path, path.endsWith(".json") ? jsonText({ config: settings }) : yaml, context, { worldReadable: true });
}
