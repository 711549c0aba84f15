import { setTimeout as pause } from "node:timers/promises";
import { manifest } from "../../io/files/package";
import type { Environment } from "../../io/files/user-folders";
import { ownCommand } from "../../io/text/command-line";
import {
  type HostedRun,
  type InProcessHost,
  OutcomeUnknownError,
  type ProviderCalls,
  type RunningHost,
} from "../../protocol/provider-calls";
import { memberOf, packageName } from "../../provider/core/pulumi-names";
import type { PluginEnvironment } from "../../provider/plugin/service";
import { createInterruption, type Interruption } from "../../provider/pulumi/interruption";
import type { HostEnvironment } from "../../provider/pulumi/operations";
import type { Runtime } from "../../provider/pulumi/runtime";

/** What the life cycles of one run are given. */
interface LifecycleHosts {
  /** Of an instance with this environment. */
  open(env: Environment): HostEnvironment<Runtime>;
  /** The run is over. */
  close(): Promise<void>;
}

export type CreateHosts = (run: HostedRun, interruption: Interruption) => LifecycleHosts;

const { version } = manifest();

/**
 * This package's resources and functions, dynamic ones and the plugin's, served in the engine's own process. No text of
 * a state is run for them, and nothing of the project's packages.
 */
export const providerHost = (hosts: CreateHosts): InProcessHost => ({
  serves: (token) => token.startsWith(`${packageName}:`) || memberOf(token) !== undefined,
  declaring: (id) => [...ownCommand, "codify", id],
  begin: (run) => new OwnKinds(run, hosts),
});

class OwnKinds implements RunningHost {
  private readonly interruption: Interruption;
  private readonly hosts: LifecycleHosts;
  /** Rejects once nobody waits for what is under way. */
  private readonly abandoned: Promise<never>;
  private abandon!: () => void;

  constructor(
    private readonly run: HostedRun,
    hosts: CreateHosts,
  ) {
    const waits = new AbortController();
    this.abandoned = new Promise((_, reject) => {
      this.abandon = () => {
        reject(new OutcomeUnknownError(unended));
        waits.abort();
      };
    });
    this.abandoned.catch(() => undefined);
    const sleep = (ms: number): Promise<void> => pause(ms, undefined, { signal: waits.signal }).catch(() => undefined);
    this.interruption = createInterruption({ exit: () => this.abandon(), sleep });
    this.hosts = hosts(run, this.interruption);
  }

  open(pkg: string, env: Environment): ProviderCalls {
    const environment = this.hosts.open(env);
    const calls =
      pkg === packageName
        ? pluginOf({ ...environment, version, env, folder: this.run.folder })
        : dynamicOf(environment);
    return withInterruption(this.abandoned, calls);
  }

  interrupt(): void {
    this.interruption.interrupt(0);
  }

  kill(): void {
    this.interruption.abort();
    this.abandon();
    void this.hosts.close();
  }

  close(): Promise<void> {
    return this.hosts.close();
  }
}

const unended =
  "the operation was interrupted and did not come to an end: the state of the object is unknown. Run `up` again: it looks for the object";

/** Loaded for resources of their kind alone. */
const pluginOf = (environment: PluginEnvironment): ProviderCalls => {
  const { createPluginService } =
    require("../../provider/plugin/service") as typeof import("../../provider/plugin/service");
  const { pluginCalls } = require("./provider-calls") as typeof import("./provider-calls");
  return pluginCalls(createPluginService(environment));
};

const dynamicOf = (environment: HostEnvironment<Runtime>): ProviderCalls => {
  const { createService } = require("../../provider/pulumi/service") as typeof import("../../provider/pulumi/service");
  const { dynamicCalls } = require("./provider-calls") as typeof import("./provider-calls");
  return dynamicCalls(createService(environment));
};

/** The same calls, each of which ends with `end` at the latest. */
function withInterruption(end: Promise<never>, calls: ProviderCalls): ProviderCalls {
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
