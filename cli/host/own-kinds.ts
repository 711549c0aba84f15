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
import { createInterruption, type Interruption } from "../../provider/pulumi/interruption";
import type { HostEnvironment } from "../../provider/pulumi/operations";
import type { Runtime } from "../../provider/pulumi/runtime";

/** The hosts of the life cycles of one run. */
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
    const interruption = createInterruption({ exit: () => this.abandon(), sleep });
    this.interruption = {
      ...interruption,
      during: (work) => Promise.race([interruption.during(work), this.abandoned]),
    };
    this.hosts = hosts(run, this.interruption);
  }

  open(pkg: string, env: Environment): ProviderCalls {
    const environment = this.hosts.open(env);
    return pkg === packageName
      ? loadPlugin().createPluginService({ ...environment, version, env, folder: this.run.folder })
      : loadDynamic().createDynamicCalls(environment);
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

/** Each is loaded for resources that it serves alone. */
const loadPlugin = (): typeof import("../../provider/plugin/service") => require("../../provider/plugin/service");
const loadDynamic = (): typeof import("../../provider/pulumi/service") => require("../../provider/pulumi/service");
