import { access, constants, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FileBackend, openBackend } from "../../../engine/state/backend";
import { correctKeys } from "../../../engine/state/file-keys";
import { openSecrets, passphraseFrom, type SecretsManager } from "../../../engine/state/passphrase";
import { backendLocation, type Project, readProject, stackConfigPath } from "../../../engine/state/project";
import type { PendingOperation } from "../../../engine/state/resource-state";
import { readStackConfig } from "../../../engine/state/stack-config";
import { describeUndertaking, finishing, moveIn, type Undertaking } from "../../../engine/state/undertaking";
import { ownCommand, quotedCommand } from "../../../io/text/command-line";
import { messageOf } from "../../../provider/core/errors";
import { unknownSettingKeys } from "../../../provider/core/settings";
import type { CliContext } from "../../command/context";
import { openFoldersProblem, projectSearch } from "../../command/stack-choice";
import { type DoctorFinding, error, ok, warning } from "./finding";
import { namesPlugin, pluginFindings } from "./machine";

export interface ProjectReport {
  findings: DoctorFinding[];
  /** Its name, where the folder has one. */
  project?: string;
  /** Where its stacks are, unless only the Pulumi CLI reads that. */
  backend?: FileBackend;
  /** The stack's config, where it can be read. */
  config?: { get(key: string): string | undefined } | undefined;
  /** URNs and ids that the stack's state holds, where it can be read. */
  recorded?: ReadonlyMap<string, string>;
  /** The stack whose state that is, as its URNs begin. */
  stack?: string;
  /** Another process works on that stack, or may. */
  isBusy?: boolean;
  /** Operations that the state says have begun, and not that they have ended. */
  pending?: readonly PendingOperation[];
}

/** The project, its stack, the passphrase and the state of the folder of work. Reads only. */
export async function projectFindings(context: CliContext, requestedStack: string | undefined): Promise<ProjectReport> {
  let project: Project;
  try {
    project = await readProject(context.cwd, projectSearch(context));
  } catch (cause) {
    return {
      findings: [
        warning(
          "project",
          messageOf(cause),
          "Commands that run stacks need a project; `codify`, `drift` and `call` do not.",
        ),
      ],
    };
  }
  const runtime = runtimeFinding(project);
  const { url, cwd } = backendLocation(project, context);
  if (!url.startsWith("file://"))
    return {
      project: project.name,
      findings: [
        runtime,
        ...(await pluginFindings(project, context.env)),
        ok("state", `${withoutCredentials(url)}; the Pulumi CLI reads it, the built-in engine does not`),
      ],
    };
  const backend = openBackend(url, { cwd, env: context.env });
  const state = await stateFindings(backend);
  const stack = state.readable ? await stackReport(context, project, backend, requestedStack) : { findings: [] };
  const plugin = await pluginFindings(project, context.env, stack.recorded);
  return {
    ...stack,
    project: project.name,
    backend,
    findings: [runtime, ...plugin, ...state.findings, ...stack.findings],
  };
}

/** Programs in other languages use the plugin. */
function runtimeFinding(project: Project): DoctorFinding {
  const { name, runtime, file, unsupported } = project;
  if (runtime.name === "nodejs")
    return unsupported === undefined
      ? ok("project", `${name} in ${file}`)
      : warning("project", unsupported, correctKeys);
  if (namesPlugin(project))
    return ok("project", `${name} in ${file}; the Pulumi CLI runs ${runtime.name}, the built-in engine does not`);
  return error("project", `${name} has the runtime ${runtime.name}`, "Set `runtime: nodejs` in Pulumi.yaml.");
}

/** A URL may carry a password. */
const withoutCredentials = (url: string): string => url.replace(/\/\/[^/@]*@/, "//[redacted]@");

/** The first that exists of the state's folder, the folder that it is to be in, and the one around that. */
async function nearestExisting(folder: string): Promise<string> {
  const state = join(folder, ".pulumi");
  if (await isThere(state)) return state;
  return (await isThere(folder)) ? folder : dirname(folder);
}

/** A folder that was never used is not marked as Pulumi's by looking at it. */
async function stateFindings(backend: FileBackend): Promise<{ findings: DoctorFinding[]; readable: boolean }> {
  const { folder } = backend;
  const used = await isThere(join(folder, ".pulumi", "meta.yaml"));
  const place = await nearestExisting(folder);
  try {
    await access(place, constants.R_OK | constants.W_OK);
  } catch (cause) {
    return {
      findings: [
        error(
          "state",
          `${place} cannot be read and written (${(cause as NodeJS.ErrnoException).code ?? "no reason given"})`,
          "Check the folder's owner and rights, or set `PULUMI_BACKEND_URL`.",
        ),
      ],
      readable: false,
    };
  }
  if (!used)
    return {
      findings: [ok("state", `${folder} holds no stack yet; \`npx pulumi-modelplatform stack init <name>\` makes one`)],
      readable: false,
    };
  const open = await openFoldersProblem(backend);
  const finding =
    open === undefined ? ok("state", folder) : warning("state", open.found, `To end that, ${open.advice}.`);
  return { findings: [finding], readable: true };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function stackReport(
  { env }: CliContext,
  project: Project,
  backend: FileBackend,
  requestedStack: string | undefined,
): Promise<ProjectReport> {
  try {
    const names = (await backend.listStacks(project.name)).map(({ name }) => name);
    const chosen =
      requestedStack?.split("/").at(-1) ??
      (await backend.selectedStack(project)) ??
      (names.length === 1 ? names[0] : undefined);
    const [rename] = await backend.unfinishedRenames(project.name);
    const cutOff = chosen === undefined ? rename : await backend.cutOff(project.name, chosen);
    if (chosen === undefined || !names.includes(chosen)) {
      if (cutOff) return { findings: [cutOffFinding(cutOff)] };
      return {
        findings: [
          warning(
            "stack",
            chosen === undefined ? `none of ${names.length} is selected` : `there is no ${chosen}`,
            names.length === 0
              ? "Make one with `npx pulumi-modelplatform stack init <name>`."
              : `Choose one of ${names.join(", ")} with \`npx pulumi-modelplatform stack select <name>\`.`,
          ),
        ],
      };
    }
    const snapshot = await backend.stack(project.name, chosen).load();
    const pending = snapshot?.pendingOperations ?? [];
    const stackText = `${chosen}, ${snapshot?.resources.length ?? 0} resources`;
    const stack =
      pending.length === 0
        ? ok("stack", stackText)
        : warning(
            "stack",
            `${stackText}, ${pending.length} operations that were interrupted`,
            "Run `npx pulumi-modelplatform refresh`, then `npx pulumi-modelplatform up`.",
          );
    const { findings, config } = await secretsReport(project, chosen, env);
    const recorded = new Map((snapshot?.resources ?? []).map(({ urn, id = "" }) => [urn, id]));
    const holders = await backend.lock(project.name, chosen).holders();
    const unfinished = cutOff ?? moveIn(chosen, snapshot?.resources ?? []);
    return {
      findings: [stack, unfinished ? cutOffFinding(unfinished) : lockFinding(holders), ...findings],
      isBusy: holders.some(({ fate }) => fate !== "ended"),
      recorded,
      pending,
      stack: `urn:pulumi:${chosen}::${project.name}`,
      config,
    };
  } catch (cause) {
    return { findings: [error("stack", messageOf(cause), "Correct that, and run `doctor` again.")] };
  }
}

const cutOffFinding = (undertaking: Undertaking): DoctorFinding =>
  warning(
    "lock",
    `${describeUndertaking(undertaking)} was cut off`,
    `Run ${finishing(undertaking)}: it finishes that.`,
  );

type Holders = Awaited<ReturnType<ReturnType<FileBackend["lock"]>["holders"]>>;

function lockFinding(holders: Holders): DoctorFinding {
  if (holders.length === 0) return ok("lock", "free");
  const held = holders
    .map(({ pid, username, hostname, timestamp }) => `process ${pid} of ${username}@${hostname} since ${timestamp}`)
    .join("; ");
  if (holders.every(({ fate }) => fate === "ended"))
    return ok("lock", `left by ${held}, which has ended: the next operation removes it`);
  return warning(
    "lock",
    `held by ${held}`,
    "Wait until that has ended; if it died, run `npx pulumi-modelplatform cancel`.",
  );
}

async function secretsReport(project: Project, stack: string, env: CliContext["env"]): Promise<ProjectReport> {
  const config = await readStackConfig(project, stack);
  const file = stackConfigPath(project, stack);
  const settings = Object.keys(config.values()).filter((key) => key.startsWith("modelplatform:"));
  const sealed = settings.filter((key) => config.isSecret(key));
  const open = settings.filter((key) => /:(apiKey|accounts)$/.test(key) && !config.isSecret(key));
  const readable = open.map((key) =>
    error(
      "stack config",
      `\`${key}\` is in ${file} in plain text`,
      `Run ${quotedCommand([...ownCommand, "config", "set", "--secret"], { args: [key], flags: [["--stack", stack]] })}, and change the key: it may have been committed.`,
    ),
  );
  const unknown = unknownSettingKeys(Object.keys(config.merged())).map((text) =>
    warning("stack config", text, `Correct the key in ${file}, or remove it.`),
  );
  const { finding, manager } = await passphraseReport(config.encryptionSalt, env);
  const decryptedIfPossible = (key: string): string | undefined =>
    config.isSecret(key) && !manager ? undefined : config.get(key, manager);
  const lost =
    manager || sealed.length === 0
      ? []
      : [
          warning(
            "stack config",
            `${sealed.map((key) => `\`${key}\``).join(", ")} cannot be read without the passphrase`,
            "Set the passphrase, or give these settings by the environment.",
          ),
        ];
  return { findings: [finding, ...unknown, ...readable, ...lost], config: { get: decryptedIfPossible } };
}

async function passphraseReport(
  salt: string | undefined,
  env: CliContext["env"],
): Promise<{ finding: DoctorFinding; manager?: SecretsManager }> {
  try {
    const passphrase = await passphraseFrom(env);
    if (salt === undefined) return { finding: ok("passphrase", "set") };
    return { finding: ok("passphrase", "set, and fits the stack"), manager: await openSecrets({ passphrase, salt }) };
  } catch (cause) {
    const finding =
      salt === undefined
        ? warning("passphrase", messageOf(cause), "Set `PULUMI_CONFIG_PASSPHRASE` before a stack is run.")
        : error("passphrase", messageOf(cause), "Secrets of the stack cannot be read without it.");
    return { finding };
  }
}
