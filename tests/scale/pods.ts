import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import type { Fleet } from "../../measure/bench/many-accounts/fleet";
import { modelplatform } from "../cli/terminal";
import { type Play, putPlayedNpx } from "../docs/played/npx";
import { type Ended, start } from "../e2e/commands";
import { builtIn, repository } from "../e2e/engines";
import { containerOf, type ScaleJob } from "./manifests";

/** What a pod differs in from the others of its Job. */
export interface Pod {
  run: string;
  index?: number;
  /** In place of values in the manifest. */
  env?: Readonly<Record<string, string>>;
  /** What the container gets with which list of objects: of a node that fails, or is drained. */
  gets?: `${"SIGKILL" | "SIGTERM"} ${number}`;
}

/** Runs the commands of containers as the manifests have them, with folders of this machine mounted. */
export class Node {
  private npx: { close(): void } | undefined;
  /** What becomes of the time that a container sleeps. */
  onSleep: (seconds: number) => void = () => {};
  /** Runs whose scanning Job is over. */
  readonly over = new Set<string>();

  constructor(
    private readonly fleet: Fleet,
    readonly volume = join(fleet.folder, "volume"),
  ) {}

  async open(): Promise<void> {
    for (const folder of [this.volume, this.bin, this.at("dying"), this.at("processes")]) mkdirSync(folder);
    this.npx = await putPlayedNpx(this.bin, this.play);
    this.put(this.bin, "pulumi-modelplatform", `exec npx pulumi-modelplatform "$@"`);
    writeFileSync(this.at("token"), "token-of-the-merge");
    writeFileSync(this.at("ca.crt"), rootCertificates[0]!);
    await new Promise<void>((listening) => this.cluster.listen(0, "127.0.0.1", listening));
    this.put(this.bin, "sleep", `exec npx pulumi-modelplatform sleep "$1"`);
    const [command, ...args] = [builtIn.command, "--require", join(__dirname, "dies.cjs"), ...builtIn.args];
    this.put(this.at("dying"), "pulumi-modelplatform", `exec "${[command, ...args].join('" "')}" "$@"`);
  }

  close(): void {
    this.npx?.close();
    this.cluster.close();
  }

  /** Answers what the cluster does to whoever shows the token of the merging pod. */
  private readonly cluster = createServer(({ url, headers }, response) => {
    const run = /^\/apis\/batch\/v1\/namespaces\/night\/jobs\/drift-scan-(\w+)$/.exec(url!)?.[1];
    const isKnown = run !== undefined && headers.authorization === "Bearer token-of-the-merge";
    const conditions = this.over.has(run ?? "") ? [{ type: "Failed", status: "True" }] : undefined;
    response.writeHead(isKnown ? 200 : 403).end(JSON.stringify({ status: { conditions } }));
  });

  /** The command of the Job's one container. */
  async start(job: ScaleJob, { run, index, env = {}, gets }: Pod): Promise<Ended> {
    const { command, env: declared } = containerOf(job);
    const values = Object.fromEntries(
      declared!.map(({ name, value, valueFrom }): [string, string] => [
        name,
        value === undefined ? this.referred(valueFrom!, job, run) : this.mounted(value),
      ]),
    );
    const bins = [...(gets ? [this.at("dying")] : []), this.bin, dirname(process.execPath), "/usr/bin", "/bin"];
    // What the cluster signals is the process that it has started.
    const container = {
      title: "a container",
      isBuiltIn: false,
      command: "sh",
      args: ["-c", 'export CONTAINER=$$; exec "$@"', ""],
    };
    return start(container, command!, {
      cwd: repository,
      rollCall: this.at("processes"),
      env: {
        ...values,
        ...(index !== undefined && { JOB_COMPLETION_INDEX: String(index) }),
        ...(gets && { GETS: gets }),
        ...env,
        PATH: bins.join(delimiter),
      },
    }).ended;
  }

  private readonly play: Play = async (args, { cwd, env }) => {
    if (args[0] === "sleep") {
      this.onSleep(Number(args[1]));
      return { code: 0, stdout: "", stderr: "", output: "" };
    }
    const ended = await modelplatform(args, { cwd, env });
    return { ...ended, output: ended.stdout + ended.stderr };
  };

  /** A value that the cluster knows. */
  private referred(
    from: { fieldRef?: { fieldPath: string }; configMapKeyRef?: object },
    job: ScaleJob,
    run: string,
  ): string {
    if (from.configMapKeyRef) return this.fleet.env["MODELPLATFORM_BASE_URL"]!;
    const fields: Readonly<Record<string, string>> = {
      "metadata.labels['batch.kubernetes.io/job-name']": `${job.metadata.name}-${run}`,
      "metadata.namespace": "night",
    };
    return fields[from.fieldRef!.fieldPath]!;
  }

  /** Where a path of a container is on this machine. */
  private mounted(value: string): string {
    const { folder } = this.fleet;
    return value
      .replace(/^\/drift\b/, this.volume)
      .replace(/^file:\/\/\/states\b/, `file://${folder}/state`)
      .replace(/^\/keys\/accounts\.json$/, join(folder, "keys.json"))
      .replace(/^\/cluster\b/, folder)
      .replace(
        /^https:\/\/kubernetes\.default\.svc$/,
        `http://127.0.0.1:${(this.cluster.address() as AddressInfo).port}`,
      )
      .replace(/^\/tmp$/, join(folder, "home"));
  }

  private get bin(): string {
    return this.at("bin");
  }

  private at(name: string): string {
    return join(this.fleet.folder, name);
  }

  private put(folder: string, name: string, text: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}
