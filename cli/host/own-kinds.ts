import { setTimeout as pause } from "node:timers/promises";
import { manifest } from "../../io/files/package";
import type { Environment } from "../../io/files/user-folders";
import type { HostedRun, InProcessHost, RunningHost } from "../../protocol/in-process-host";
import { OutcomeUnknown, type ProviderCalls } from "../../protocol/provider-calls";
import { memberOf, packageName } from "../../provider/core/fields/tokens";
import type { PluginEnvironment } from "../../provider/plugin/service";
import { createInterruption, type Interruption } from "../../provider/pulumi/interruption";
import type { HostEnvironment } from "../../provider/pulumi/operations";
import type { Runtime } from "../../provider/pulumi/runtime";

/** What the life cycles of one run are given. */
interface Worlds {
  /** Of an instance with this environment. */
  open(env: Environment): HostEnvironment<Runtime>;
  /** The run is over. */
  close(): Promise<void>;
}

export type OpenWorlds = (run: HostedRun, interruption: Interruption) => Worlds;

const { version } = manifest();

/**
 * This package's resources and functions, dynamic ones and the plugin's, served in the engine's own process. No text of
 * a state is run for them, and nothing of the project's packages.
 */
export const ownKinds = (worlds: OpenWorlds): InProcessHost => ({
  serves: (token) => token.startsWith(`${packageName}:`) || memberOf(token) !== undefined,
  begin: (run) => new OwnKinds(run, worlds),
});

class OwnKinds implements RunningHost {
  private readonly interruption: Interruption;
  private readonly worlds: Worlds;
  /** Rejects once nobody waits for what is under way. */
  private readonly abandoned: Promise<never>;
  private abandon!: () => void;

  constructor(
    private readonly run: HostedRun,
    worlds: OpenWorlds,
  ) {
    const waits = new AbortController();
    this.abandoned = new Promise((_, reject) => {
      this.abandon = () => {
        reject(new OutcomeUnknown(unended));
        waits.abort();
      };
    });
    this.abandoned.catch(() => undefined);
    const sleep = (ms: number): Promise<void> => pause(ms, undefined, { signal: waits.signal }).catch(() => undefined);
    this.interruption = createInterruption({ exit: () => this.abandon(), sleep });
    this.worlds = worlds(run, this.interruption);
  }

  open(pkg: string, env: Environment): ProviderCalls {
    const world = this.worlds.open(env);
    const calls =
      pkg === packageName ? pluginOf({ ...world, version, env, folder: this.run.folder }) : dynamicOf(world);
    return answeredOr(this.abandoned, calls);
  }

  interrupt(): void {
    this.interruption.interrupt(0);
  }

  kill(): void {
    this.interruption.abort();
    this.abandon();
    void this.worlds.close();
  }

  close(): Promise<void> {
    return this.worlds.close();
  }
}

const unended =
  "the operation was interrupted and did not come to an end: the state of the object is unknown. Run `up` again: it looks for the object";

/** Loaded for resources of their kind alone. */
const pluginOf = (world: PluginEnvironment): ProviderCalls => {
  const { createPluginService } =
    require("../../provider/plugin/service") as typeof import("../../provider/plugin/service");
  const { pluginCalls } = require("./plugin-calls") as typeof import("./plugin-calls");
  return pluginCalls(createPluginService(world));
};

const dynamicOf = (world: HostEnvironment<Runtime>): ProviderCalls => {
  const { createService } = require("../../provider/pulumi/service") as typeof import("../../provider/pulumi/service");
  const { dynamicCalls } = require("./dynamic-calls") as typeof import("./dynamic-calls");
  return dynamicCalls(createService(world));
};

/** The same calls, each of which ends with `end` at the latest. */
function answeredOr(end: Promise<never>, calls: ProviderCalls): ProviderCalls {
  const until =
    <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      Promise.race([method(...args), end]);
  return {
    configure: until(calls.configure),
    checkConfig: until(calls.checkConfig),
    diffConfig: until(calls.diffConfig),
    check: until(calls.check),
    diff: until(calls.diff),
    create: until(calls.create),
    update: until(calls.update),
    delete: until(calls.delete),
    refusal: calls.refusal === undefined ? undefined : until(calls.refusal),
    read: until(calls.read),
    invoke: until(calls.invoke),
  };
}
