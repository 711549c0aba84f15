import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineEvent } from "../../engine/events";
import type { OperationReport, UpdateSettings } from "../../engine/settings";
import { EmbeddedStack } from "../../engine/stack";
import type { ResourceState } from "../../engine/state/resource-state";
import { errorsIn, stepsIn } from "./events-in";

export interface DeclaredBox {
  name: string;
  /** The name under which others refer to it as `@name`; default: `name`. */
  as?: string;
  kind?: "box" | "read" | "group" | "provider" | "reference" | "foreign";
  props?: { [key: string]: unknown };
  opts?: { [option: string]: unknown };
  outputs?: { [key: string]: unknown };
}

/** What the fixture program reads. */
export interface BoxProgram {
  resources: DeclaredBox[];
  outputs?: { [name: string]: unknown };
  features?: ("transform" | "hook")[];
  warn?: string;
  print?: string;
  throw?: string;
}

export interface Call {
  method: string;
  label?: string;
  id?: string;
  olds?: boolean;
  region?: string;
}

export const passphrase = "open sesame";

/** A copy of the fixture program with a backend of its own, and the engine at work on it. */
export class Workshop {
  readonly folder: string;
  readonly program: string;
  readonly backend: string;
  events: EngineEvent[] = [];
  private stack: Promise<EmbeddedStack> | undefined;

  constructor(fixture = "boxes") {
    this.folder = mkdtempSync(join(tmpdir(), "engine-"));
    this.program = join(this.folder, "program");
    this.backend = join(this.folder, "backend");
    mkdirSync(this.backend);
    cpSync(join(__dirname, "fixtures", fixture), this.program, { recursive: true });
    symlinkSync(resolve(__dirname, "../../node_modules"), join(this.program, "node_modules"));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  declare(scenario: BoxProgram): void {
    writeFileSync(join(this.program, "scenario.json"), JSON.stringify(scenario));
  }

  open(): Promise<EmbeddedStack> {
    this.stack ??= EmbeddedStack.createOrSelect({
      stackName: "dev",
      workDir: this.program,
      backendUrl: `file://${this.backend}`,
      passphrase,
    });
    return this.stack;
  }

  /** Gives another workshop a copy of everything: program, cloud, config and state. */
  lend(other: Workshop): void {
    for (const folder of ["program", "backend"] as const) {
      const from = folder === "program" ? this.program : this.backend;
      cpSync(from, folder === "program" ? other.program : other.backend, {
        recursive: true,
        filter: (path) => !path.endsWith("node_modules"),
      });
    }
  }

  /** Runs an operation and collects its events; provider calls are counted from here. */
  async run(
    operation: "preview" | "up" | "refresh" | "destroy",
    settings: UpdateSettings & { previewOnly?: boolean } = {},
  ): Promise<OperationReport> {
    const stack = await this.open();
    this.events = [];
    this.forgetCalls();
    return stack[operation]({
      ...settings,
      onEvent: (event) => {
        this.events.push(event);
        settings.onEvent?.(event);
      },
    });
  }

  async up(scenario: BoxProgram, settings: UpdateSettings = {}): Promise<OperationReport> {
    this.declare(scenario);
    return this.run("up", settings);
  }

  calls(): Call[] {
    return this.lines("calls.jsonl").map((line) => JSON.parse(line));
  }

  /** `create a`, `delete b`, …: what the provider did, in order; checks, diffs and configuration left out. */
  deeds(): string[] {
    return this.calls()
      .filter(({ method }) => !["configure", "check", "diff"].includes(method))
      .map(({ method, label }) => `${method} ${label}`);
  }

  forgetCalls(): void {
    rmSync(join(this.program, "calls.jsonl"), { force: true });
  }

  private lines(file: string): string[] {
    const path = join(this.program, file);
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").filter(Boolean) : [];
  }

  cloud(): { made: { [label: string]: number }; boxes: { [id: string]: { [key: string]: unknown } } } {
    return JSON.parse(this.lines("cloud.json").join("") || '{"made":{},"boxes":{}}');
  }

  changeCloud(change: (boxes: { [id: string]: { [key: string]: unknown } }) => void): void {
    const world = this.cloud();
    change(world.boxes);
    writeFileSync(join(this.program, "cloud.json"), JSON.stringify(world));
  }

  stateFile(): string {
    return readFileSync(join(this.backend, ".pulumi/stacks/boxes/dev.json"), "utf8");
  }

  state(): { resources: ResourceState[]; pending: { resource: ResourceState; type: string }[] } {
    const { resources = [], pending_operations: pending = [] } = JSON.parse(this.stateFile()).checkpoint.latest;
    return { resources, pending };
  }

  /** The recorded resource of a name, the live one if an old one waits for its deletion. */
  resource(name: string): ResourceState {
    const found = this.state().resources.filter(({ urn }) => urn.endsWith(`::${name}`));
    const [state] = [...found.filter((each) => each.delete !== true), ...found];
    if (state === undefined) throw new Error(`the state has no ${name}`);
    return state;
  }

  steps = (): string[] => stepsIn(this.events);

  errors = (): string[] => errorsIn(this.events);

  messages(): string[] {
    return this.events.flatMap((event) =>
      event.kind === "diagnostic" && event.severity !== "debug" ? [event.message] : [],
    );
  }
}
