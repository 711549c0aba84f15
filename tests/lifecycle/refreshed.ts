import { isDeepStrictEqual } from "node:util";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { Call, Values } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";
import type { Harness, Process } from "./harness";

/** One resource under an engine: each command is a process of its own. */
export class Refreshed {
  state: { id: string; inputs: Values; outputs: Values } | undefined;
  told: string[] = [];
  /** Inputs that the program ignores: an engine gives those of the state for them. */
  ignoreChanges: string[] = [];
  /** Settings of the stack. */
  config: Record<string, string> = {};

  constructor(
    readonly at: Harness,
    readonly kind: string,
    readonly name = "it",
  ) {}

  get outputs(): Values {
    return this.state!.outputs;
  }

  restore(outputs: Values, inputs: Values): void {
    this.state = { id: String(outputs["name"]), inputs, outputs };
  }

  private begin(): Process {
    const started = this.at.process(this.config);
    this.told = started.messages;
    started.ignoreChanges.set(this.name, this.ignoreChanges);
    return started;
  }

  /** Like `up`: whether it found anything to do. */
  async up(given: Values, { replace = false } = {}): Promise<boolean> {
    const run = this.begin();
    const { kind, name, state } = this;
    const ignored = this.ignoreChanges.map((input) => [input, state?.inputs[input] ?? given[input]] as const);
    const program = { ...given, ...Object.fromEntries(ignored) };
    const inputs = await run.check(kind, name, program, state?.inputs);
    const diff = state && (await run.diff(kind, name, state.outputs, program));
    const replaces = diff !== undefined && (replace || diff.replaces.length > 0);
    if (!diff || replaces) {
      this.state = { ...(await run.create(kind, name, program)), inputs };
      if (replaces) await run.delete(kind, name, state!.outputs);
      return true;
    }
    const differs = diff.changes ?? !isDeepStrictEqual(state!.inputs, inputs);
    const outputs = differs ? await run.update(kind, name, state!.outputs, program) : state!.outputs;
    this.state = { id: state!.id, inputs, outputs };
    return differs;
  }

  /** Like `refresh`: whether it shows a difference. A preview of it records nothing. */
  async refresh({ previewOnly = false } = {}): Promise<boolean> {
    const run = this.begin();
    const { id, inputs } = this.state!;
    const read = await run.read(this.kind, this.name, this.outputs);
    if (!read) {
      if (!previewOnly) this.state = undefined;
      return true;
    }
    const { changes } = await createLifecycle(specOf(this.kind)!, run.world).diff(
      callOf(this.kind, this.name, run.messages, this.ignoreChanges),
      id,
      read.outputs,
      inputs,
    );
    if (!previewOnly) this.state = { id, ...read };
    return changes ?? !isDeepStrictEqual(inputs, read.inputs);
  }

  /** The word that the last command has named. */
  get word(): string {
    return /acceptDrift: "(\w+)"/.exec(this.told.join("\n"))![1]!;
  }
}

export const callOf = (kind: string, name: string, messages: string[], ignoreChanges: string[]): Call => ({
  hidden: {
    kind,
    urn: `urn:pulumi:test::shop::pulumi-nodejs:dynamic/modelplatform:${kind}::${name}`,
    organization: "organization",
    stack: "test",
    ignoreChanges,
  },
  reporter: {
    status: (text) => void messages.push(text),
    info: (text) => void messages.push(text),
    warn: (text) => void messages.push(text),
  },
  signal: new AbortController().signal,
});
