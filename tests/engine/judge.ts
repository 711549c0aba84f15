import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { ResourceState } from "../../engine/state/resource-state";
import { passphrase, type Workshop } from "./workshop";

const folders = (process.env["PATH"] ?? "").split(delimiter);

/** The real engine, when there is one; its absence is a reason to skip. */
export const cliPath = folders.map((folder) => join(folder, "pulumi")).find((path) => existsSync(path));
export const skipReason = cliPath === undefined ? " (skipped: no Pulumi CLI on PATH)" : "";

/** The launcher of the dynamic provider ships with the SDK. */
const launcher = resolve(__dirname, "../../node_modules/@pulumi/pulumi");

export interface Judgement {
  code: number;
  output: string;
  /** `create a`, …, in the order in which they ended. */
  steps: string[];
}

export async function pulumi(workshop: Workshop, ...args: string[]): Promise<Judgement> {
  const child = spawn(cliPath ?? "pulumi", [...args, "--non-interactive"], {
    cwd: workshop.program,
    env: {
      ...process.env,
      PATH: [launcher, ...folders].join(delimiter),
      PULUMI_HOME: join(workshop.folder, "home"),
      PULUMI_BACKEND_URL: `file://${workshop.backend}`,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number>((done) => child.once("close", (code) => done(code ?? 1)));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, output: output + errors, steps: stepsIn(output) };
}

interface CliEvent {
  resourcePreEvent?: { metadata: CliStep };
  resOutputsEvent?: { metadata: CliStep };
  resOpFailedEvent?: { metadata: CliStep };
}

interface CliStep {
  op: string;
  urn: string;
}

/**
 * The CLI reports the end of a component's step only when it has outputs: so what began and did not
 * fail. What a refresh found is said at its end.
 */
function stepsIn(output: string): string[] {
  const events: CliEvent[] = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const steps = (kind: keyof CliEvent) => events.flatMap((event) => event[kind]?.metadata ?? []);
  const failed = steps("resOpFailedEvent").map(({ op, urn }) => `${op} ${urn}`);
  const begun = steps("resourcePreEvent").filter(({ op, urn }) => !failed.includes(`${op} ${urn}`));
  const refreshed = new Set(begun.filter(({ op }) => op === "refresh").map(({ urn }) => urn));
  const ended = [
    ...begun.filter(({ op }) => op !== "refresh"),
    ...steps("resOutputsEvent").filter(({ urn }) => refreshed.has(urn)),
  ];
  return ended.map(({ op, urn }) => `${synonyms[op] ?? op} ${urn.split("::").at(-1)}`);
}

/** Steps that only the CLI tells apart. */
const synonyms: { [op: string]: string } = {
  "discard-replaced": "discard",
  "read-discard": "discard",
  "read-replacement": "read",
};

function someDependencies(value: { [property: string]: string[] }): { [property: string]: string[] } | undefined {
  const entries = Object.entries(value).filter(([, urns]) => urns.length > 0);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Names of things that differ from run to run. */
const volatile = new Set(["created", "modified", "sourcePosition", "stackTrace"]);

/**
 * States as two engines may be expected to agree on them: without times and places, ids of providers and ciphertexts
 * replaced. A refresh by the CLI drops properties that depend on nothing from `propertyDependencies`.
 */
export function comparable(resources: readonly ResourceState[]): unknown[] {
  const providers = new Map(
    resources.filter(({ type }) => type.startsWith("pulumi:providers:")).map(({ id, urn }) => [id, `id of ${urn}`]),
  );
  const plain = JSON.stringify(resources, (key, value) => {
    if (volatile.has(key)) return undefined;
    if (key === "ciphertext") return "(ciphertext)";
    if (key === "propertyDependencies") return someDependencies(value);
    if (key === "__provider") return "(code)";
    if (typeof value !== "string") return Array.isArray(value) && key === "dependencies" ? [...value].sort() : value;
    return [...providers].reduce((text, [id, name]) => text.replaceAll(String(id), name), value);
  });
  const states: ResourceState[] = JSON.parse(plain);
  return states.sort((one, other) =>
    `${one.urn}${one.delete ?? ""}`.localeCompare(`${other.urn}${other.delete ?? ""}`),
  );
}
