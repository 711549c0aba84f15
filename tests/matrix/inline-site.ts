// First, so that the engine is read with its processes replaced.
import "./in-process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Agent, type Dispatcher } from "undici";
import { createClient } from "../../provider/api/client";
import { resolveSettings } from "../../provider/api/config";
import { createCatalogue } from "../../provider/api/operations";
import type { Settings } from "../../provider/api/types";
import { embeddedEngine } from "../../provider/cli/embedded-engine";
import type { ResourceSpec } from "../../provider/core/resource";
import { createEmulator, type Emulator } from "../../provider/emulator/index";
import * as platform from "../../provider/index";
import { createWorld } from "../../provider/lifecycle/assemble";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import { type SharedClaims, shareClaims } from "../../provider/lifecycle/ownership/claims-file";
import { createRunClaims, type RunClaims } from "../../provider/lifecycle/ownership/run-claims";
import { linkEngine } from "../../provider/pulumi/engine-link";
import { createReporter } from "../../provider/pulumi/reporter";
import { createService } from "../../provider/pulumi/service";
import { allSpecs } from "../../provider/resources/index";
import { openBackend } from "../../provider/state/backend";
import { openSecrets } from "../../provider/state/secrets";
import { modelplatform } from "../cli/terminal";
import type { Ended } from "../e2e/commands";
import { builtIn } from "../e2e/engines";
import { account, apiKey, passphrase, type RunOptions, Site, type SiteOptions } from "../e2e/site";
import { counting } from "../lifecycle/harness";
import { arriving } from "../lifecycle/in-process";
import { type VirtualClock, virtualClock } from "../lifecycle/virtual-clock";
import { type Environment, type Played, played } from "./in-process";

const matrix = require("../e2e/programs/matrix/declare") as {
  declare(sdk: typeof pulumi, packages: { [copy: string]: () => unknown }, document: unknown): void;
};
const declared = require("../e2e/programs/declared/declare") as {
  declare(sdk: typeof pulumi, own: unknown, document: unknown): unknown;
};

/** Programs by project, as functions of what is declared. */
const programs: Readonly<Record<string, (document: unknown) => unknown>> = {
  matrix: (document) => matrix.declare(pulumi, { own: () => platform, nested: () => platform }, document),
  declared: (document) => declared.declare(pulumi, platform, document),
};

const start = Date.parse("2026-01-01T00:00:00Z");

/** One salt for all stacks: deriving a key takes most of a second. */
let salt: Promise<string> | undefined;

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
    super(builtIn, emulator, url, project);
    this.dispatcher = new Agent().compose(arriving(emulator, url), counting(clock));
    played.set(this.program, this.playing());
  }

  static async start({ program = "declared", settings = {} }: SiteOptions = {}): Promise<InlineSite> {
    const clock = virtualClock(start);
    const emulator = createEmulator({
      clock: "manual",
      startTime: new Date(start),
      accounts: { [account]: apiKey, other: "other-key" },
      settings,
    });
    clock.onAdvance((ms) => emulator.world.clock.advance(ms));
    const { url } = await emulator.listen({ port: 0 });
    const site = new InlineSite(emulator, url, program, clock);
    await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack(site.project, site.stack);
    salt ??= openSecrets({ passphrase }).then(({ state }) => state.salt);
    writeFileSync(
      join(site.program, `Pulumi.${site.stack}.yaml`),
      // Inline programs have the environment of this process, and the stack's config for their own.
      `encryptionsalt: ${await salt}\nconfig:\n  modelplatform:intents: ${site.intents}\n`,
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
    const { code, stdout, stderr } = await modelplatform(this.argsOf(line), {
      cwd: this.program,
      env: { ...this.env, ...env } as Record<string, string>,
      engine: async () => embeddedEngine,
    });
    return { code, stdout, stderr, output: stdout + stderr };
  }

  private playing(): Played {
    return {
      program: () => {
        const file = join(this.program, "declared.json");
        const document = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
        return programs[this.project]!(document);
      },
      provider: (engineAddress, env) => this.startProvider(engineAddress, env),
    };
  }

  private startProvider(engineAddress: string, env: Environment): ReturnType<Played["provider"]> {
    const link = linkEngine(engineAddress);
    const time = { now: () => this.clock.now(), every: () => () => undefined };
    this.started += 1;
    const pid = this.started;
    let claims: SharedClaims | undefined;
    const service = createService({
      open: async (given) => {
        const settings = resolveSettings({ ...given, env });
        claims = shareClaims({
          folder: join(this.folder, "runs"),
          run: JSON.stringify([engineAddress, settings.endpoint?.origin]),
          pid,
          isRunning: () => true,
          now: () => this.clock.now(),
        });
        return this.openProvider(settings, env, createRunClaims(claims));
      },
      reporterFor: (urn) => createReporter(link, urn, time),
      interruption: {
        signal: new AbortController().signal,
        during: (work) => work(),
        abort: () => undefined,
        interrupt: () => undefined,
      },
      debug: false,
    });
    return {
      service,
      end: () => {
        claims?.remove();
        link.close();
      },
    };
  }

  private openProvider(settings: Settings, env: Environment, claims: RunClaims) {
    const { clock: time } = this;
    const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
    const client = createClient({ settings, catalogue, env, time, dispatcher: this.dispatcher });
    const world = createWorld({ settings, client, specs: allSpecs, env, time, claims });
    return {
      lifecycleOf: (spec: ResourceSpec) => createLifecycle(spec, world),
      redact: (text: string) => client.redactor.text(text),
    };
  }
}
