// First, so that the engine is read with its processes replaced.
import "./processes";
import { accessSync, constants, existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Agent, type Dispatcher } from "undici";
import { type CreateHosts, providerHost } from "../../cli/host/own-kinds";
import { embeddedEngine } from "../../cli/operation/embedded-engine";
import { createEmulator, type Emulator } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import type { Environment as Given } from "../../io/files/user-folders";
import { sanitizeOutput } from "../../io/text/printable";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import type { ClientSettings } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import * as platform from "../../provider/index";
import { createPorts, type PortsOptions } from "../../provider/lifecycle/assemble";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import { RunClaims, shareClaims } from "../../provider/lifecycle/memory/claims";
import { longestLagMs } from "../../provider/lifecycle/read";
import type { Values } from "../../provider/lifecycle/types";
import * as plugged from "../../provider/plugin-classes";
import type { EngineLogEntry } from "../../provider/pulumi/engine-link";
import { createInterruption } from "../../provider/pulumi/interruption";
import type { HostEnvironment } from "../../provider/pulumi/operations";
import { createReporter } from "../../provider/pulumi/reporter";
import type { Runtime } from "../../provider/pulumi/runtime";
import { allSpecs } from "../../provider/resources/index";
import { modelplatform } from "../cli/terminal";
import type { Play } from "../docs/played/npx";
import type { Ended } from "../e2e/commands";
import { builtIn } from "../e2e/engines";
import { account, apiKey, type RunOptions, Site, type SiteOptions } from "../e2e/site";
import { counting } from "../lifecycle/harness";
import { arriving } from "../lifecycle/in-process";
import { type VirtualClock, virtualClock } from "../lifecycle/virtual-clock";
import { type Environment, type Played, played } from "./processes";
import { runProgram } from "./program-file";

const declared = require("../e2e/programs/declared/declare") as {
  declare(sdk: typeof pulumi, own: unknown, document: unknown): unknown;
};

/** Programs by project, as functions of what is declared. Those of other projects are read from their files. */
const programs: Readonly<Record<string, (document: unknown) => unknown>> = {
  declared: (document) => declared.declare(pulumi, entryOf(document), document),
};

/** What programs that are read from files import. */
const packages = {
  "@pulumi/pulumi": pulumi,
  "pulumi-modelplatform": platform,
  "pulumi-modelplatform/plugin": plugged,
};

/** The entry of the package that a document asks for. */
const entryOf = (document: unknown): unknown =>
  (document as { from?: string }).from === "pulumi-modelplatform/plugin" ? plugged : platform;

const start = Date.parse("2026-01-01T00:00:00Z");

/** One salt for all stacks: a worker derives its key once. */
const salt = "v1:xpUQIfQXu8o=:v1:nZlvd6VEOwpr20Wq:Lvc2mbjX6fvqHNaBKYMMzNleUQdGCw==";

/** Does something where, and with the environment with which, a process of its own would. */
async function within<T>({ cwd, env }: { cwd: string; env: Environment }, work: () => Promise<T>): Promise<T> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  process.chdir(cwd);
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
  try {
    return await work();
  } finally {
    process.chdir(before.cwd);
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before.env);
  }
}

/**
 * A file system in memory, where there is one with room: no test is about a disk that has lost power, and a disk that
 * writes through takes a third of a site's time. Undefined: the folder of temporary files.
 */
function memory(): string | undefined {
  const folder = "/dev/shm";
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 ** 30 ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A site whose commands, programs and provider processes all run in this process,
 * on a clock that moves while everyone waits.
 */
export class InlineSite extends Site {
  private readonly dispatcher: Dispatcher;
  /** Provider processes so far. */
  private started = 0;

  private constructor(
    emulator: Emulator,
    url: string,
    project: string,
    private readonly clock: VirtualClock,
  ) {
    super(builtIn, emulator, url, project, memory());
    this.dispatcher = new Agent().compose(arriving(emulator, url), counting(clock));
    played.set(this.program, this.playing());
  }

  static async start(
    { program = "declared", settings = {}, accounts = {} }: SiteOptions = {},
    now = start,
  ): Promise<InlineSite> {
    const clock = virtualClock(now);
    const emulator = createEmulator({
      clock: "manual",
      startTime: new Date(now),
      accounts: { [account]: apiKey, other: "other-key", ...accounts },
      settings,
    });
    clock.onAdvance((ms) => emulator.world.clock.advance(ms));
    const { url } = await emulator.listen({ port: 0 });
    const site = new InlineSite(emulator, url, program, clock);
    await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack(site.project, site.stack);
    writeFileSync(
      join(site.program, `Pulumi.${site.stack}.yaml`),
      // Inline programs have the environment of this process, and the stack's config for their own.
      `encryptionsalt: ${salt}\nconfig:\n  modelplatform:intents: ${site.intents}\n`,
    );
    return site;
  }

  override async close(): Promise<void> {
    played.delete(this.program);
    await this.dispatcher.close();
    await super.close();
  }

  override async run(line: string, { env = {} }: RunOptions = {}): Promise<Ended> {
    await this.clock.sleep(1000);
    return this.play(this.argsOf(line), { cwd: this.program, env: { ...this.env, ...env } as Record<string, string> });
  }

  /** So much time passes that no replica can be behind. */
  rest = (): Promise<void> => this.clock.sleep(longestLagMs + 1000);

  /** What is gone is believed once no replica can be so far behind. */
  override async tamper(name: unknown, change?: Values): Promise<void> {
    await super.tamper(name, change);
    if (!change) await this.rest();
  }

  /** Runs a command line as it is. */
  play: Play = async (args, place) => {
    const { code, stdout, stderr } = await within(place, () =>
      modelplatform(args, { ...place, engine: async () => embeddedEngine(() => providerHost(this.worlds)) }),
    );
    return { code, stdout, stderr, output: stdout + stderr };
  };

  /** Commands may run in `folder` as well, which has a program of its own. */
  playIn(folder: string): void {
    played.set(folder, { ...this.playing(), program: () => runProgram(folder, packages) });
  }

  private playing(): Played {
    return {
      program: () => {
        const program = programs[this.project];
        if (!program) return runProgram(this.program, packages);
        const file = join(this.program, "declared.json");
        return program(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
      },
    };
  }

  /** This package's life cycles as the engine's process serves them, on this site's clock. */
  private worlds: CreateHosts = ({ name, log, state }) => {
    const link = {
      log: async ({ text, ...entry }: EngineLogEntry) => log({ message: sanitizeOutput(text), ...entry }),
    };
    const time = { now: () => this.clock.now(), every: () => () => undefined };
    const opened: RunClaims[] = [];
    const open = (env: Given): HostEnvironment<Runtime> => ({
      open: async (given) => {
        const settings = resolveSettings({ ...given, env });
        // Instances know of each other by the file, as processes do.
        this.started += 1;
        const shared = shareClaims({
          folder: join(this.folder, "runs"),
          run: JSON.stringify([name, settings.endpoint?.origin]),
          pid: this.started,
          isRunning: () => true,
          now: () => this.clock.now(),
        });
        const claims = new RunClaims(shared);
        opened.push(claims);
        const ofRun = { claims, state };
        return this.openProvider(settings, env as Readonly<Record<string, string>>, ofRun);
      },
      reporterFor: (urn) => createReporter(link, urn, time),
      interruption: createInterruption({ exit: () => undefined, sleep: async () => undefined }),
      debug: false,
    });
    return { open, close: async () => opened.forEach((claims) => void claims.end()) };
  };

  private openProvider(settings: ClientSettings, env: Environment, ofRun: Pick<PortsOptions, "claims" | "state">) {
    const { clock: time } = this;
    const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
    const client = createClient({ settings, catalogue, env, time, dispatcher: this.dispatcher });
    const world = createPorts({ settings, client, specs: allSpecs, env, time, ...ofRun });
    return {
      client,
      lifecycleOf: (spec: ResourceSpec) => createLifecycle(spec, world),
      redact: (text: string) => client.redactor.text(text),
    };
  }
}
