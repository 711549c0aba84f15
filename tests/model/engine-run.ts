import { isDeepStrictEqual } from "node:util";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { secretProperties } from "../../provider/core/secrets";
import { plainValue } from "../../provider/core/values/values";
import { providerText } from "../../provider/pulumi/provider-text";
import { specOf } from "../../provider/resources/index";
import { secret } from "../pulumi/support/declared";
import type { Values } from "../values";
import type { ModelEngine, ModelFlags, RecordedEntry, Watcher } from "./engine";
import type { PendingOperation } from "./pending";
import { ProviderDeath, type ServedProcess } from "./process";
import { type Declaration, type Program, type StackName, urnOf } from "./program";
import { type Refusal, refusalBy } from "./refusals";

/** What the service throws: with an `id` the object exists and is recorded. */
interface Thrown extends Error {
  id?: string;
  properties?: Values;
  reasons?: string[];
}

/** The engine is gone; nothing is recorded any longer. */
class Gone extends Error {}

const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** One command. */
export class EngineRun {
  readonly errors: Refusal[] = [];
  readonly steps: string[] = [];
  readonly chains: Promise<void>[] = [];
  /** URNs that steps have been made for. */
  private readonly seen = new Set<string>();
  private isGone = false;

  constructor(
    private readonly engine: ModelEngine,
    private readonly program: Program,
    private readonly process: ServedProcess,
    private readonly watcher: Watcher,
    private readonly flags: ModelFlags,
  ) {
    process.death.catch(() => undefined);
  }

  failed(error: unknown): void {
    if (error instanceof Gone) this.isGone = true;
    this.errors.push(refusalBy(error));
  }

  /** Whether no further step is started. */
  private get isOver(): boolean {
    return this.isGone || (this.errors.length > 0 && this.flags.continueOnError !== true);
  }

  async up(isPreview: boolean): Promise<void> {
    for (const declaration of this.program) {
      if (this.isOver) break;
      const chain = await this.register(declaration, isPreview);
      const steps = isPreview || !chain ? Promise.resolve() : chain().catch((error: unknown) => this.failed(error));
      this.chains.push(steps);
      if (this.flags.serial) await steps;
    }
    await Promise.all(this.chains);
    if (isPreview) this.steps.push(...this.doomed().map(({ urn }) => `delete ${urn}`));
    else if (!this.isOver) await this.deleteRest((urn) => this.seen.has(urn));
  }

  /** Reads everything that the state holds, judges what was read against the inputs as they were, and takes it in. */
  async refresh(): Promise<void> {
    const read = this.engine.state.filter((entry) => this.isTarget(entry.urn) && !entry.pendingReplacement);
    const results = await Promise.allSettled(read.map((entry) => this.refreshOne(entry)));
    for (const result of results) if (result.status === "rejected") this.failed(result.reason);
    if (this.errors.length > 0) throw new Error("the refresh failed");
  }

  private async refreshOne(entry: RecordedEntry): Promise<void> {
    const found = await this.call("read", entry, (service) => service.read(entry.id, entry.outputs));
    this.engine.pending.answer(entry.urn);
    if (found.id === "") return this.drop(entry);
    const inputs = "inputs" in found ? copied(found.inputs) : entry.inputs;
    const outputs = copied(found.props);
    const before = entry.inputs;
    await this.call("diff", entry, (service) => service.diff(found.id, outputs, before));
    Object.assign(entry, { inputs, outputs, initErrors: [] });
  }

  /** Deletes what no step was made for, and what waits for its deletion; dependents first, which is last made first. */
  async deleteRest(isKept: (urn: string) => boolean): Promise<void> {
    const doomed = this.doomed(isKept).filter(({ urn }) => this.isTarget(urn));
    const one = (entry: RecordedEntry): Promise<void> =>
      this.delete(entry).catch((error: unknown) => this.failed(error));
    if (!this.flags.serial) return void (await Promise.all(doomed.map(one)));
    for (const entry of doomed) if (!this.isOver) await one(entry);
  }

  private doomed(isKept: (urn: string) => boolean = (urn) => this.seen.has(urn)): RecordedEntry[] {
    return this.engine.state.filter((entry) => entry.delete || !isKept(entry.urn)).reverse();
  }

  private async delete(entry: RecordedEntry): Promise<void> {
    this.steps.push(`delete ${entry.urn}`);
    if (entry.pendingReplacement && !entry.delete) return this.drop(entry);
    if (entry.protect && !entry.delete) throw new Error(`${entry.urn} is protected`);
    await this.remove(entry);
    this.drop(entry);
  }

  private async remove(entry: RecordedEntry): Promise<void> {
    const work = (): Promise<unknown> =>
      this.call("delete", entry, (service) => service.delete(entry.id, entry.outputs));
    if (!entry.retain) await this.underWay({ urn: entry.urn, type: "deleting" }, work);
    this.watcher.forgotten(entry);
  }

  /** Notes in the state that work on a resource begins, and that it has ended, if its provider lived to answer. */
  private async underWay<T>(
    { urn, type, replaces = false }: Omit<PendingOperation, "at">,
    work: () => Promise<T>,
  ): Promise<T> {
    const { pending } = this.engine;
    const operation: PendingOperation = { urn, type, replaces, at: this.engine.now() };
    pending.begin(operation);
    try {
      const result = await work();
      pending.end(operation, true);
      return result;
    } catch (error) {
      const isAnswered = !(error instanceof Gone || error instanceof ProviderDeath);
      if (isAnswered) pending.end(operation, (error as Thrown).id !== undefined);
      throw error;
    }
  }

  /** Judges a declaration; resolves to what is to be done about it, if anything is. */
  private async register(declaration: Declaration, isPreview: boolean): Promise<(() => Promise<void>) | undefined> {
    const { kind, name, inputs: given, options } = declaration;
    const urn = urnOf(kind, name);
    let old = this.find(kind, [name, ...(options.aliases ?? [])]);
    this.seen.add(urn);
    if (old) this.seen.add(old.urn);
    if (!this.isTarget(urn)) return undefined;
    const mustRead = this.flags.refresh && this.flags.runProgram;
    if (old && (mustRead || this.engine.isUncertain(old.urn))) {
      if (!old.pendingReplacement) await this.refreshOne(old);
      if (!this.engine.state.includes(old)) old = undefined;
    }
    const news = withHidden(declaration, given, this.engine.stack);
    if (!old) {
      const inputs = await this.check(urn, {}, news);
      this.steps.push(`create ${urn}`);
      return () => this.create(declaration, inputs);
    }
    const entry = old;
    const isForced = entry.taint || (this.flags.replace ?? []).includes(urn);
    const inputs = await this.check(urn, isForced ? {} : entry.inputs, news);
    const judged = isForced ? forced : await this.judge(declaration, entry, inputs);
    if (judged.replaces || entry.pendingReplacement)
      return this.replacement(declaration, entry, judged, inputs, news, isForced);
    if (judged.changed || entry.initErrors.length > 0) {
      this.steps.push(`update ${urn}`);
      return () => this.update(declaration, entry, inputs);
    }
    if (!isPreview) this.same(declaration, entry, inputs);
    return undefined;
  }

  private async replacement(
    declaration: Declaration,
    old: RecordedEntry,
    { deleteBeforeReplace }: Judged,
    checked: Values,
    news: Values,
    isForced: boolean,
  ): Promise<() => Promise<void>> {
    const urn = urnOf(declaration.kind, declaration.name);
    if (declaration.options.protect && old.protect) throw new Error(`${urn} is protected and cannot be replaced`);
    const inputs = isForced ? checked : await this.check(urn, {}, news);
    this.steps.push(`replace ${urn}`);
    return async () => {
      const first = declaration.options.deleteBeforeReplace ?? deleteBeforeReplace;
      if (first && !old.pendingReplacement) {
        await this.remove(old);
        old.pendingReplacement = true;
      }
      await this.create(declaration, inputs, { old, pending: !first });
    };
  }

  private async judge({ options }: Declaration, old: RecordedEntry, inputs: Values): Promise<Judged> {
    const answer = await this.call("diff", old, (service) => service.diff(old.id, old.outputs, inputs));
    const changedKeys = keysThatDiffer(old.inputs, inputs);
    const changed = answer.changes ?? changedKeys.length > 0;
    // Where the provider leaves it to the engine to compare, the engine names the
    // keys, and `replaceOnChanges` applies to them.
    const keys = answer.changes === undefined ? changedKeys : [];
    const wanted = options.replaceOnChanges ?? [];
    const replaces = changed && (answer.replaces.length > 0 || keys.some((key) => wanted.includes(key)));
    return { changed, replaces, deleteBeforeReplace: answer.deleteBeforeReplace };
  }

  private async check(urn: string, olds: Values, news: Values): Promise<Values> {
    const { inputs, failures } = await this.call(`check ${urn}`, undefined, (service) => service.check(olds, news));
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
    return copied(inputs);
  }

  private async create(
    declaration: Declaration,
    inputs: Values,
    replaced?: { old: RecordedEntry; pending: boolean },
  ): Promise<void> {
    const made = (id: string, outputs: Values, initErrors: readonly string[]): RecordedEntry => {
      if (replaced?.pending) replaced.old.delete = true;
      else if (replaced) this.drop(replaced.old);
      const entry = entryOf(declaration, { id, inputs, outputs: copied(outputs), initErrors });
      this.engine.state.push(entry);
      return entry;
    };
    if (this.isOver) return;
    const urn = urnOf(declaration.kind, declaration.name);
    try {
      const { id, outs } = await this.underWay({ urn, type: "creating", replaces: replaced !== undefined }, () =>
        this.call("create", undefined, (service) => service.create(inputs)),
      );
      await this.watcher.registered(made(id, outs, []));
    } catch (error) {
      const { id, properties, reasons } = error as Thrown;
      if (id !== undefined) made(id, properties!, reasons ?? []);
      throw error;
    }
  }

  private async update(declaration: Declaration, old: RecordedEntry, inputs: Values): Promise<void> {
    const done = (outputs: Values, initErrors: readonly string[]): void =>
      this.put(old, entryOf(declaration, { id: old.id, inputs, outputs: copied(outputs), initErrors }));
    if (this.isOver) return;
    try {
      const { outs } = await this.underWay({ urn: old.urn, type: "updating" }, () =>
        this.call("update", old, (service) => service.update(old.id, old.outputs, inputs)),
      );
      done(outs, []);
    } catch (error) {
      const { id, properties, reasons } = error as Thrown;
      if (id !== undefined) done(properties!, reasons ?? []);
      throw error;
    }
  }

  private same(declaration: Declaration, old: RecordedEntry, inputs: Values): void {
    this.put(old, entryOf(declaration, { id: old.id, inputs, outputs: old.outputs, initErrors: [] }));
  }

  private find(kind: string, names: readonly string[]): RecordedEntry | undefined {
    const urns = names.map((name) => urnOf(kind, name));
    const found = urns.map((urn) => this.engine.state.find((entry) => entry.urn === urn && !entry.delete));
    return found.find((entry) => entry !== undefined);
  }

  private isTarget = (urn: string): boolean => this.flags.targets === undefined || this.flags.targets.includes(urn);

  private put(old: RecordedEntry, entry: RecordedEntry): void {
    this.engine.state = this.engine.state.map((each) => (each === old ? entry : each));
  }

  private drop(entry: RecordedEntry): void {
    this.engine.state = this.engine.state.filter((each) => each !== entry);
  }

  private async call<T>(
    what: string,
    entry: RecordedEntry | undefined,
    work: (service: ServedProcess["service"]) => Promise<T>,
  ): Promise<T> {
    if (this.isGone) throw new Gone("the engine is gone");
    this.watcher.calling(what, entry);
    try {
      return await Promise.race([work(this.process.service), this.process.death]);
    } finally {
      if (!this.watcher.returned(what, entry)) this.isGone = true;
      // biome-ignore lint/correctness/noUnsafeFinally: what came back is lost with the engine.
      if (this.isGone) throw new Gone("the engine is gone");
    }
  }
}

interface Judged {
  changed: boolean;
  replaces: boolean;
  deleteBeforeReplace: boolean;
}

/** Asked for by `--replace` or a taint: no provider is asked. */
const forced: Judged = { changed: true, replaces: true, deleteBeforeReplace: false };

const entryOf = (
  { kind, name, options }: Declaration,
  made: Pick<RecordedEntry, "id" | "inputs" | "outputs" | "initErrors">,
): RecordedEntry => ({
  urn: urnOf(kind, name),
  kind,
  ...made,
  delete: false,
  pendingReplacement: false,
  protect: options.protect === true,
  retain: options.retainOnDelete === true,
  taint: false,
});

function keysThatDiffer(olds: Values, news: Values): string[] {
  const [before, after] = [plainValue(olds), plainValue(news)] as [Values, Values];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]));
}

/** What the resource's class sends beside the program's inputs. */
function withHidden({ kind, name, options }: Declaration, inputs: Values, stack: StackName): Values {
  const secrets = secretProperties(specOf(kind)!);
  const marked = Object.entries(inputs).map(([property, value]) => [
    property,
    secrets.has(property) && value !== null ? secret(value) : value,
  ]);
  return {
    ...Object.fromEntries(marked),
    [hiddenInput]: {
      ...{ kind, urn: urnOf(kind, name, stack), organization: "organization", stack: stack.stack },
      ...(options.aliases && { aliases: options.aliases.map((each) => urnOf(kind, each, stack)) }),
    },
    __provider: providerText,
  };
}
