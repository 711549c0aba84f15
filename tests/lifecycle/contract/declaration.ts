import { isDeepStrictEqual } from "node:util";
import { hiddenInput } from "../../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { secretProperties } from "../../../provider/core/secrets";
import { plainValue } from "../../../provider/core/values/values";
import { createLifecycle } from "../../../provider/lifecycle/lifecycle";
import { createInterruption, type Interruption } from "../../../provider/pulumi/interruption";
import { specOf } from "../../../provider/resources/index";
import { secret } from "../../pulumi/support/declared";
import type { Values } from "../../values";
import type { Process } from "../harness";
import type { Compared, ContractHost, HostedEntry, Serving } from "./hosts";

/** Where a resource is declared: who serves it, and the provider processes of each command. */
export interface DeclarationSite {
  host: ContractHost;
  process(config: Record<string, string>): Pick<Process, "world">;
}

/** What an engine does about a resource. */
export type EngineStep = "same" | "create" | "update" | "replace";

/** What the host throws: with an `id` the object exists and is to be recorded. */
interface Thrown extends Error {
  id?: string;
  properties?: Values;
  reasons?: string[];
}

/** One command's provider process. */
interface Run {
  service: Serving;
  interruption: Interruption;
}

/**
 * One resource of a program under an engine that does no more than Pulumi's: check, diff, the step that
 * follows, and the state that is kept of it, as JSON. Each command is a process of its own on the same machine,
 * so that nothing survives but state and intents.
 */
export class DeclaredResource {
  private entry: string | undefined;
  /** Replaced objects that are still to be deleted. */
  private doomed: string[] = [];
  /** What people were told, errors included. */
  readonly told: string[] = [];
  private current: Run | undefined;

  constructor(
    readonly at: DeclarationSite,
    readonly kind: string,
    readonly name = "it",
    readonly config: Record<string, string> = {},
  ) {}

  /** What stands in the state, or undefined. */
  get state(): HostedEntry | undefined {
    return this.entry === undefined ? undefined : (JSON.parse(this.entry) as HostedEntry);
  }

  get id(): string {
    return this.state!.id;
  }

  /** The recorded outputs without Pulumi's marks. */
  get outputs(): Values {
    return unmarked(this.state!.outputs);
  }

  /** Everything that the engine keeps, as a text in which marked secrets are as good as encrypted. */
  get kept(): string {
    return JSON.stringify([this.state, this.doomed], (_, value: unknown) => (isMarked(value) ? "[ciphertext]" : value));
  }

  /** A state as another release has left it. */
  restore(state: HostedEntry): void {
    this.entry = JSON.stringify(state);
  }

  /** What `up` would do; throws with all that is wrong. */
  async preview(program: Values): Promise<EngineStep> {
    return (await this.plan(this.begin(), program)).step;
  }

  async up(program: Values): Promise<EngineStep> {
    const run = this.begin();
    const { step, inputs, deleteFirst } = await this.plan(run, program);
    if (step === "same") this.record({ ...this.state!, inputs });
    if (step === "create") await this.create(run, inputs);
    if (step === "update") await this.update(run, inputs);
    if (step === "replace") await this.replace(run, program, deleteFirst);
    await this.bury(run);
    return step;
  }

  /** Forced, as `up --replace` does it. */
  async remake(program: Values): Promise<void> {
    const run = this.begin();
    const { deleteFirst } = await this.plan(run, program);
    await this.replace(run, program, deleteFirst);
    await this.bury(run);
  }

  /** `gone` leaves the declaration without a state. */
  async refresh(): Promise<"gone" | "there"> {
    const run = this.begin();
    const read = await this.tell(run.service.read(this.state!));
    this.entry = read && JSON.stringify({ id: this.id, ...read });
    return read ? "there" : "gone";
  }

  /** Takes an object into the state by its name alone. */
  async import(id: string): Promise<void> {
    const read = await this.tell(this.begin().service.import(id));
    if (!read) throw new Error(`there is no ${id}`);
    this.entry = JSON.stringify({ id, ...read });
  }

  async destroy(): Promise<void> {
    const run = this.begin();
    await this.tell(run.service.delete(this.state!));
    this.entry = undefined;
    await this.bury(run);
  }

  /**
   * Runs a command whose process ends without an answer reaching the engine, once `until` is true. False: it never was.
   */
  async crash(command: () => Promise<unknown>, until: () => boolean | Promise<boolean>): Promise<boolean> {
    const before = { entry: this.entry, doomed: [...this.doomed] };
    let over = false;
    const running = command().then(
      () => (over = true),
      () => (over = true),
    );
    let reached = await until();
    for (; !reached && !over; reached = await until()) await new Promise(setImmediate);
    this.current!.interruption.interrupt(0);
    await running;
    this.entry = before.entry;
    this.doomed = before.doomed;
    return reached;
  }

  /** What the running command does about a signal. */
  interrupt(): void {
    this.current!.interruption.interrupt(0);
  }

  private begin(): Run {
    const { world } = this.at.process(this.config);
    const interruption = createInterruption({ exit: () => undefined, sleep: async () => undefined });
    const report = (text: string) => void this.told.push(text);
    const opened = {
      lifecycleOf: (spec: ResourceSpec) => createLifecycle(spec, world),
      redact: (text: string) => text,
    };
    const host = {
      open: async () => opened,
      reporterFor: () => ({
        status: report,
        info: report,
        warn: report,
        during: <T>(work: () => Promise<T>) => work(),
      }),
      interruption,
      debug: false,
    };
    const service = this.at.host.serve(host, this.kind, this.name);
    this.current = { service, interruption };
    return this.current;
  }

  private async plan(
    { service }: Run,
    program: Values,
  ): Promise<{ step: EngineStep; inputs: Values; deleteFirst: boolean }> {
    const { state } = this;
    const inputs = await this.checked({ service }, state?.inputs ?? {}, program);
    if (!state) return { step: "create", inputs, deleteFirst: false };
    const answer: Compared = await this.tell(service.diff(state, inputs));
    const differs = answer.changes ?? !isDeepStrictEqual(plainValue(state.inputs), plainValue(inputs));
    const step = answer.replaces.length > 0 ? "replace" : differs || state.initErrors ? "update" : "same";
    return { step, inputs, deleteFirst: answer.deleteBeforeReplace };
  }

  private async checked({ service }: Pick<Run, "service">, olds: Values, program: Values): Promise<Values> {
    const secrets = secretProperties(specOf(this.kind)!);
    const marked = Object.entries(program).map(([name, value]) => [
      name,
      secrets.has(name) && value !== null ? secret(value) : value,
    ]);
    const { inputs, failures } = await service.check(
      olds,
      JSON.parse(JSON.stringify(Object.fromEntries(marked))) as Values,
    );
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
    return JSON.parse(JSON.stringify(inputs)) as Values;
  }

  private async create({ service }: Run, inputs: Values): Promise<void> {
    const { id, outputs } = await this.tell(service.create(inputs), inputs);
    this.record({ id, inputs, outputs });
  }

  private async update({ service }: Run, inputs: Values): Promise<void> {
    const outputs = await this.tell(service.update(this.state!, inputs), inputs);
    this.record({ id: this.id, inputs, outputs });
  }

  /** A replacement is checked as something new. */
  private async replace(run: Run, program: Values, deleteFirst: boolean): Promise<void> {
    const inputs = await this.checked(run, {}, program);
    this.doomed.push(this.entry!);
    if (deleteFirst) await this.bury(run);
    this.entry = deleteFirst ? undefined : this.entry;
    const before = this.entry;
    try {
      await this.create(run, inputs);
    } catch (error) {
      // Without a successor the old object stays what the state holds.
      if (this.entry === before && before !== undefined) this.doomed.pop();
      throw error;
    }
  }

  private async bury({ service }: Run): Promise<void> {
    for (const text of [...this.doomed]) {
      await this.tell(service.delete(JSON.parse(text) as HostedEntry));
      this.doomed.splice(this.doomed.indexOf(text), 1);
    }
  }

  /** An error with an id is recorded as an object that is not ready, and goes on being an error. */
  private async tell<T>(work: Promise<T>, inputs: Values = {}): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { id, properties, reasons, message } = error as Thrown;
      this.told.push(message, String(error));
      if (id !== undefined) this.record({ id, inputs, outputs: properties!, initErrors: reasons ?? [] });
      throw error;
    }
  }

  private record(entry: HostedEntry): void {
    this.entry = JSON.stringify(entry);
  }
}

const marks = Object.keys(secret(0)).join();

const isMarked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).join() === marks;

function unmarked(outputs: Values): Values {
  const { [hiddenInput]: _, __provider: __, ...rest } = plainValue(outputs) as Values;
  return rest;
}
