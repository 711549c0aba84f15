import { answered, asksToRefresh, asksToWait, isGivenUp, withoutRivals } from "./answers";
import type { CommandOutcome, ModelEngine, ModelFlags, RecordedEntry, Watcher } from "./engine";
import {
  expectDeclared,
  expectHeldOnce,
  expectLive,
  expectNoSecret,
  expectTheirs,
  type HeldResource,
  isBehind,
  isReleasedWith,
  Violation,
} from "./invariants";
import { isOfStack, Ledger } from "./ledger";
import { Person } from "./person";
import { type ServedProcess, spinning } from "./process";
import { inStack, type Program, urnOf } from "./program";
import { codesOf, unreadable } from "./refusals";
import { Rival } from "./rivals";
import {
  type CommandName,
  type ModelCommand,
  type Round,
  roundsOf,
  type Scenario,
  type StateEdit,
  type Trouble,
} from "./scenario";
import { Scene } from "./scene";
import { handled, Stack } from "./stacks";
import { isWrite, type RequestOnTheWay, type Watch } from "./transport";
import { UnfinishedWrites, unnamed } from "./unfinished";
import { OpenWaits } from "./waits";

/** Runs a scenario to its end, a recovery and a removal; rejects with a `Violation` where a promise is broken. */
export async function play(scenario: Scenario, log: (line: string) => void = () => undefined): Promise<void> {
  const player = new Player(log, scenario);
  for (const round of roundsOf(scenario)) await player.round(round);
  await player.recover(scenario.recovery);
  await player.remove();
}

class Player {
  private readonly scene = new Scene();
  private readonly isAsked: boolean;
  private readonly stacks: readonly [Stack, Stack];
  /** The one at work. */
  private stack: Stack;
  private readonly ledger: Ledger;
  private readonly person: Person;
  private readonly unfinished = new UnfinishedWrites();
  private readonly waits = new OpenWaits(() => this.scene.live());
  /** Everything that commands have said. */
  private readonly said: string[] = [];
  /** What requests have done wrong, reported once their command is over. */
  private readonly wrongs: string[] = [];

  constructor(
    private readonly log: (line: string) => void,
    { isAsked, deviations }: Pick<Scenario, "isAsked" | "deviations">,
  ) {
    this.isAsked = isAsked;
    this.scene.deviating.deviations = deviations;
    const { now } = this.scene.clock;
    this.stacks = [
      new Stack({ stack: "dev", project: "demo" }, now, isAsked),
      new Stack({ stack: "neighbor", project: "demo" }, now, isAsked),
    ];
    this.stack = this.stacks[0];
    this.ledger = new Ledger(this.scene, this.stacks);
    this.person = new Person(this.scene, this.ledger, this.stacks);
  }

  private get engine(): ModelEngine {
    return this.stack.engine;
  }

  private get program(): Program {
    return this.stack.program;
  }

  private set program(program: Program) {
    this.stack.program = program;
  }

  async round({ edits, outside, states, stack, command, troubles, moves, reverts, recover }: Round): Promise<void> {
    this.stack = this.stacks[stack];
    this.stack.editAll(edits, reverts, this.ledger.owners);
    for (const edit of states) this.handle(edit);
    for (const each of outside) await this.interfere(each.outside, each.at);
    this.stack.backUp();
    // Nobody answers a question about objects of the other team in advance.
    const answer = this.scene.theirs.size > 0 ? "ask" : recover;
    await this.command(command, troubles, answer === "ask" ? {} : { recover: answer });
    await this.scene.clearFaults();
    this.scene.setPace();
    if (moves) this.move();
  }

  private move(): void {
    this.scene.move();
    this.unfinished.loseNotes();
    this.scene.service.forgetAll();
    this.ledger.move();
  }

  /** What a person does to the state at hand; nobody deletes from a state what is not live any longer. */
  private handle(edit: StateEdit): void {
    const before = this.engine.state;
    handled(edit, this.stack, this.stacks[this.stack === this.stacks[0] ? 1 : 0], this.ledger.owners);
    if (edit.state === "restore") this.ledger.restored(this.stack, before);
    if (edit.state === "restore" || edit.state === "lose") this.waits.forget();
    if (edit.state === "rename stack") this.unfinished.loseNotes((stack) => stack === this.stack);
    this.ledger.lose(before);
    this.log(`${JSON.stringify(edit)}; lost by now: ${[...this.ledger.lost.keys()].join()}`);
  }

  /** One command without faults puts everything right in each stack, whatever has happened before. */
  async recover(wanted: CommandName): Promise<void> {
    for (const stack of this.stacks) {
      this.stack = stack;
      await this.recoverStack(wanted);
    }
  }

  private async recoverStack(wanted: CommandName): Promise<void> {
    if ([...this.scene.live().values()].some(({ state }) => state === "JOB_STATE_CANCELLING")) await this.scene.rest();
    this.program = await answered(
      this.program,
      this.engine.state,
      this.person.serviceAt(this.stack),
      this.ledger.released,
    );
    const { state, live } = await this.ledger.account(this.stack);
    const isLookedAt = (entry: HeldResource): boolean => this.unfinished.isLookedAt(entry, this.stack);
    const overlooked = state.filter((entry) => !isLookedAt(entry));
    const command = isBehind({ state: overlooked, live }) && wanted === "up" ? "up --refresh" : wanted;
    const run: ModelCommand = { command, at: 0, serial: false };
    // What is younger than replicas may be behind stays in the state, though no read shows it.
    if (command !== "up" || state.some(isLookedAt)) await this.scene.rest();
    let outcome = await this.command(run, []);
    for (const program of withoutRivals(outcome.errors, this.program)) {
      this.program = program;
      outcome = await this.command(run, []);
    }
    if (asksToRefresh(outcome.errors, this.engine.state))
      outcome = await this.command({ command: "up --refresh", at: 0, serial: false }, []);
    if (asksToWait(outcome.errors)) {
      await this.scene.rest();
      await this.command({ command: "refresh", at: 0, serial: false }, []);
      outcome = await this.command(run, []);
    }
    outcome = await this.person.settle(this.stack, outcome, (config) => this.command(run, [], config));
    // A key that one declaration gives up and another one takes in the same
    // command: once it is given up, it can be taken.
    if (isGivenUp(outcome.errors)) outcome = await this.command(run, []);
    if (outcome.errors.length > 0)
      throw new Violation("recovery-fails", `the recovery failed: ${textsOf(outcome).join("\n")}`, {
        codes: codesOf(outcome.errors),
      });
    expectDeclared(await this.ledger.account(this.stack));
    for (const [name, { urn }] of this.ledger.lostOf(this.stack))
      if (!this.ledger.hasMoved && !this.said.some((text) => text.includes(name)))
        throw new Violation("doubt-unnamed", `${name} was ${urn}, is live, and no command has named it`);
    const { process, watcher } = this.begin([]);
    const again = await this.engine.preview(this.program, process, watcher);
    if (again.errors.length + again.steps.length > 0)
      throw new Violation(
        "preview-not-clean",
        `the next preview is not clean: ${[...textsOf(again), ...again.steps].join("\n")}`,
      );
  }

  async remove(): Promise<void> {
    for (const stack of this.stacks) {
      this.stack = stack;
      await this.removeStack();
    }
  }

  private async removeStack(): Promise<void> {
    const outcome = await this.command({ command: "destroy", at: 0, serial: false }, []);
    if (outcome.errors.length > 0)
      throw new Violation("removal-fails", `the removal failed: ${textsOf(outcome).join("\n")}`, {
        codes: codesOf(outcome.errors),
      });
    if (this.engine.state.length > 0) throw new Violation("state-not-empty", "the state is not empty after a destroy");
    expectLive(await this.ledger.account(this.stack), new Set());
    // A journal that is lost tells nothing of what a state has held before.
    if (this.ledger.hasMoved) return;
    const names = this.ledger.lostUnder(this.engine.stack).map(([name]) => name);
    for (const name of unnamed(names, this.said, this.scene.heldBy(this.engine.stack)))
      throw new Violation(
        "doubt-unnamed",
        `${name} was ${this.ledger.lost.get(name)!.urn}, outlives the stack, and no command has named it`,
      );
  }

  private async command(
    { command, at, serial }: ModelCommand,
    troubles: readonly Trouble[],
    config: Record<string, string> = {},
  ): Promise<CommandOutcome> {
    for (const trouble of troubles) {
      if (trouble.trouble === "slow") this.scene.setPace(trouble.minutes);
      if (trouble.trouble !== "fault") continue;
      const times = trouble.times === "every" ? Number.POSITIVE_INFINITY : trouble.times;
      const kind = this.kindOf(trouble.of);
      if (kind !== undefined) await this.scene.strike(kind, trouble.verb, trouble.title, trouble.skip, times);
    }
    this.scene.service.maker = this.stack;
    const { process, watcher } = this.begin(troubles, await this.scene.begun(), config);
    const before = this.engine.state.map(({ id }) => id);
    const due = this.unfinished.due(this.stack);
    const outcome = await this.perform(command, at, serial, process, watcher);
    process.kill();
    const said = [...process.messages.map((text) => `. ${text}`), ...textsOf(outcome).map((text) => `! ${text}`)];
    this.log(`${command}: ${[...outcome.steps, ...said].join("\n    ")}`);
    this.ledger.follow(this.stack);
    if (process.messages.includes(spinning)) throw new Violation("wait-in-vain", spinning);
    if (this.wrongs.length > 0) throw new Violation("deleted-wrongly", this.wrongs.join("\n"));
    const texts = [...process.messages, ...textsOf(outcome)];
    expectNoSecret(this.engine.state, texts);
    for (const { code, text } of unreadable(outcome.errors))
      throw new Violation("unreadable-error", `processes read no ${code} in: ${text}`);
    this.said.push(...texts);
    const isRead = /^up --refresh( --continue-on-error)?$/.test(command) && before.length > 0;
    if (
      !this.ledger.hasMoved &&
      (isRead || (this.isAsked && /\bup\b/.test(command))) &&
      config["recover"] === undefined
    )
      this.ledger.expectAsked(this.stack, before, texts);
    if (outcome.errors.length === 0 && /\bup\b/.test(command) && !command.includes("--target"))
      this.unfinished.expectFinished(due, this.stack, this.scene.look);
    this.ledger.remember(this.stack);
    expectTheirs(await this.ledger.account(this.stack));
    expectHeldOnce(this.program, this.engine.state);
    this.ledger.expectKnown(this.stack, config["recover"] === "new" ? texts : []);
    await this.expectWaiting(/\bup\b/.test(command) && !command.includes("--target"), outcome);
    return outcome;
  }

  /** Whoever has been waited for in vain is a change for the next preview; and an `up` that ends well has waited. */
  private async expectWaiting(isUp: boolean, { errors }: CommandOutcome): Promise<void> {
    const { engine, program, waits } = this;
    waits.follow(engine.state);
    const open = waits.of(program, engine.state);
    if (open.length === 0) return;
    const { process, watcher } = this.begin([]);
    const { errors: refused, steps } = await engine.preview(program, process, watcher);
    process.kill();
    const unseen = refused.length > 0 ? [] : waits.unseen(program, engine.state, steps);
    const unended = isUp && errors.length === 0 ? open.map(({ id }) => id) : unseen;
    for (const name of unended)
      throw new Violation(
        "wait-forgotten",
        `${name} is on its way, this stack has begun to wait, and nothing is to do`,
      );
  }

  private perform(
    command: CommandName,
    at: number,
    serial: boolean,
    process: ServedProcess,
    watcher: Watcher,
  ): Promise<CommandOutcome> {
    const { engine, program } = this;
    const has = (flag: string): boolean => command.includes(flag);
    const declared = program[at % Math.max(1, program.length)];
    const chosen = declared ? [urnOf(declared.kind, declared.name)] : [];
    const flags: ModelFlags = {
      serial,
      refresh: has("--refresh"),
      runProgram: has("--run-program"),
      continueOnError: has("--continue-on-error"),
      ...(has("--target") && { targets: this.targets(at) }),
      ...(has("--replace") && { replace: chosen }),
    };
    if (has("taint")) for (const entry of engine.state) if (chosen.includes(entry.urn)) entry.taint = true;
    if (command === "refresh") return engine.refresh(process, watcher, flags);
    if (has("destroy")) return engine.destroy(process, watcher, flags);
    return engine.up(program, process, watcher, flags);
  }

  /** The kind of something that is declared, or that the state holds. */
  private kindOf(at: number): string | undefined {
    const kinds = [...this.program, ...this.engine.state].map(({ kind }) => kind);
    return kinds[at % Math.max(1, kinds.length)];
  }

  /** Something that is declared, or that the state holds. */
  private targets(at: number): string[] {
    const urns = [
      ...this.program.map(({ kind, name }) => urnOf(kind, name)),
      ...this.engine.state.map(({ urn }) => urn),
    ];
    const target = urns[at % Math.max(1, urns.length)];
    return target === undefined ? [] : [target];
  }

  /** A process under watch, which meets its troubles. */
  private begin(
    troubles: readonly Trouble[],
    begun: ReadonlySet<string> = new Set(),
    config: Record<string, string> = {},
  ): { process: ServedProcess; watcher: Watcher } {
    let requests = 0;
    let calls = 0;
    const deleting = new Set<RecordedEntry>();
    const background = { begun, state: () => this.engine.state, isAlone: troubles.length === 1 };
    const rivals = troubles.flatMap((trouble) =>
      trouble.trouble === "rival" ? [new Rival(trouble, this.scene, background)] : [],
    );
    const written = { POST: 0, PATCH: 0, DELETE: 0 } as Record<string, number>;
    const watch: Watch = async (request) => {
      requests += 1;
      if (isWrite(request)) written[request.method] = (written[request.method] ?? 0) + 1;
      const writes = written[request.method];
      this.wrongs.push(...this.ledger.wrongsOf(request, deleting));
      for (const trouble of troubles) {
        if (trouble.trouble === "interrupt" && trouble.request === requests) process.interrupt();
        if (trouble.trouble === "kill" && trouble.request === requests) {
          process.kill();
          if (trouble.when === "after") await this.cutOff(request, deleting);
          return new Promise(() => undefined);
        }
        if (
          trouble.trouble === "cut" &&
          isWrite(request) &&
          trouble.method === request.method &&
          trouble.write === writes
        ) {
          process.kill();
          await this.cutOff(request, deleting);
          return new Promise(() => undefined);
        }
      }
      const isDoubled = troubles.some((each) => each.trouble === "double" && each.create === writes);
      if (isDoubled && isWrite(request) && request.method === "POST") await request.arrive();
      if (request.method === "POST") for (const rival of rivals) await rival.meet(request);
    };
    const process = this.scene.process(watch, { config, state: this.engine.view() });
    const watcher: Watcher = {
      calling: (call, entry) => {
        if (call === "delete" && entry) deleting.add(entry);
      },
      returned: (call, entry) => {
        calls += 1;
        const isLost = troubles.some((trouble) => trouble.trouble === "lose" && trouble.call === calls);
        const method = { update: "PATCH", delete: "DELETE" }[call];
        if (isLost && entry && method) this.unfinished.add(entry.id, { method, stack: this.stack, isNoted: false });
        return !isLost;
      },
      registered: (entry) => this.scene.settle({ ...entry, urn: inStack(entry.urn, this.engine.stack) }),
      forgotten: (entry) => {
        if (isReleasedWith(entry) && this.scene.live().has(entry.id)) this.ledger.released.add(entry.id);
      },
    };
    return { process, watcher };
  }

  /** Takes a request to the service, whose answer nobody gets. */
  private async cutOff({ method, path, arrive }: RequestOnTheWay, deleting: ReadonlySet<RecordedEntry>): Promise<void> {
    await arrive();
    const name = path.slice("/v1/".length);
    // A destroy notes what it does under the name that the stack had when the record was written.
    const isNoted = ![...deleting].some((entry) => entry.id === name && !isOfStack(entry, this.engine.stack));
    if (method !== "POST") this.unfinished.add(name, { method, stack: this.stack, isNoted });
  }

  private async interfere(what: string, at: number): Promise<void> {
    const entries = this.engine.state.filter(({ id }) => this.scene.live().has(id) && !this.scene.theirs.has(id));
    const entry = entries[at % Math.max(1, entries.length)];
    if (!entry) return;
    this.unfinished.forget(entry.id);
    // Nothing of a secret tells another one of its name from it.
    if (what === "seize") return entry.kind === "Secret" ? undefined : this.seize(entry.id);
    (what === "delete" ? this.ledger.discarded : this.ledger.changed).add(entry.id);
    if (what === "delete") {
      // A name that the program released may be that of an entry again, which a replacement has yet to finish.
      this.ledger.released.delete(entry.id);
      await this.scene.discard(entry.id);
    } else if (entry.kind === "User")
      await this.scene.send(
        "PATCH",
        `/v1/${entry.id}`,
        { ...this.scene.object(entry.id), role: "inference-user" },
        { updateMask: "role" },
      );
    else if (entry.kind === "Deployment")
      await this.scene.send(
        "PATCH",
        `/v1/${entry.id}`,
        { ...this.scene.object(entry.id), maxReplicaCount: 7 },
        { updateMask: "max_replica_count" },
      );
    await this.scene.rest();
  }

  private async seize(name: string): Promise<void> {
    this.ledger.seize(name);
    await this.scene.seize(name);
    this.log(`the other team makes ${name} again: ${this.scene.theirs.has(name)}`);
  }
}

const textsOf = ({ errors }: CommandOutcome): string[] => errors.map(({ text }) => text);
