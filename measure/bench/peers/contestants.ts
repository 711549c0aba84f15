import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { builtIn, type Engine, missingCli, pulumiCli } from "../../../tests/e2e/engines";
import type { Ground } from "./ground";
import type { PeerCommand } from "./processes";

export const steps = ["up", "no change", "refresh", "update all", "destroy"] as const;
export type BenchStep = (typeof steps)[number];

export interface Contestant {
  title: string;
  /** Folder of its program. */
  program: string;
  /** Why it cannot take part. */
  missing?: string;
  command(step: BenchStep, ground: Ground): PeerCommand;
}

/** Every resource differs between two edits. */
const editIn = (step: BenchStep): number => (step === "update all" || step === "destroy" ? 1 : 0);

const lines: Readonly<Record<BenchStep, string>> = {
  up: "up",
  "no change": "preview",
  refresh: "refresh",
  "update all": "up",
  destroy: "destroy",
};

/** Steps that the Pulumi CLI runs at once. Default: its own, four for each processor. */
const parallel = process.env["PARALLEL"];

function onPulumi(title: string, engine: Engine, program: string, entry = ""): Contestant {
  return {
    title,
    program,
    ...(!engine.isBuiltIn && missingCli !== "" && { missing: "there is no `pulumi` on PATH" }),
    command: (step, { scenario: { kind, count }, program: cwd, env }) => ({
      command: engine.command,
      args: [
        ...engine.args,
        lines[step],
        ...(step === "no change" ? [] : ["--yes", "--skip-preview"]),
        "--stack",
        "dev",
        "--non-interactive",
      ],
      cwd,
      env: {
        ...env,
        ...(!engine.isBuiltIn && parallel !== undefined && { PULUMI_PARALLEL: parallel }),
        PEERS: JSON.stringify({ kind, count, edit: editIn(step), entry }),
      },
    }),
  };
}

const folders = (process.env["PATH"] ?? "").split(delimiter);
const found = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

const terraform = found("terraform");
const restApi = found("terraform-provider-restapi");

const onTerraform: Contestant = {
  title: "Terraform, generic REST provider",
  program: "terraform",
  ...((terraform === undefined || restApi === undefined) && {
    missing: `there is no ${terraform === undefined ? "`terraform`" : "`terraform-provider-restapi`"} on PATH`,
  }),
  command: (step, { scenario: { kind, count }, program: cwd, env, url, folder }) => {
    const config = join(folder, "terraform.rc");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      config,
      `provider_installation {\n  dev_overrides { "Mastercard/restapi" = ${JSON.stringify(dirname(restApi!))} }\n}\n`,
    );
    const subcommand = {
      up: "apply",
      "no change": "plan",
      refresh: "apply",
      "update all": "apply",
      destroy: "destroy",
    };
    return {
      command: terraform!,
      args: [
        subcommand[step],
        "-input=false",
        ...(step === "no change" ? [] : ["-auto-approve"]),
        ...(step === "refresh" ? ["-refresh-only"] : []),
      ],
      cwd,
      env: {
        ...env,
        TF_CLI_CONFIG_FILE: config,
        TF_VAR_url: url,
        TF_VAR_key: env["MODELPLATFORM_API_KEY"]!,
        TF_VAR_kind: kind,
        TF_VAR_number: String(count),
        TF_VAR_edit: String(editIn(step)),
      },
    };
  },
};

const ours = "pulumi-modelplatform";

/** Each of ours, beside a provider that does nothing on the same engine. */
export const onFloors: readonly { engine: string; own: readonly Contestant[]; floor: Contestant }[] = [
  { engine: builtIn, title: "built-in engine" },
  { engine: pulumiCli, title: "Pulumi CLI" },
].map(({ engine, title }) => ({
  engine: title,
  own: [
    onPulumi(`ours, dynamic, ${title}`, engine, "ours", ours),
    onPulumi(`ours, plugin, ${title}`, engine, "ours", `${ours}/plugin`),
  ],
  floor: onPulumi(`floor of the ${title}`, engine, "floor"),
}));

/** Sends what ours do for each step, and does nothing else. */
export const requestsAlone: Contestant = {
  title: "the requests by themselves",
  program: "requests",
  command: (step, { scenario: { kind, count }, program: cwd, env }) => ({
    command: process.execPath,
    args: [cwd, lines[step], String(editIn(step))],
    cwd,
    env: { ...env, PEERS: JSON.stringify({ kind, count }) },
  }),
};

export const contestants: readonly Contestant[] = [
  ...onFloors.flatMap(({ own }) => own),
  onPulumi("naive dynamic provider, Pulumi CLI", pulumiCli, "naive"),
  onTerraform,
  ...onFloors.map(({ floor }) => floor),
];

/** Which of the contestants are not at hand, and why, a line each. */
export const absentOf = (all: readonly Contestant[]): string[] =>
  all.flatMap(({ title, missing }) => (missing === undefined ? [] : [`Not compared: ${title}: ${missing}.`]));
