import { isDeepStrictEqual } from "node:util";
import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { secretProperties } from "../../provider/core/secrets";
import { specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import {
  acceptingOther,
  adopting,
  adoptingUnknown,
  answered,
  askedAbout,
  askedToDelete,
  asksAboutFormer,
  asksForAnother,
  asksOfNeighbor,
  asksToRefresh,
  asksToTake,
  asksToWait,
  asksWhose,
  besideKept,
  cannotTake,
  consentedTo,
  isGivenUp,
  leftAtItsId,
  type ReachableService,
  withoutRivals,
} from "./answers";
import { canary } from "./edits";
import type { CommandOutcome, ModelEngine, ModelFlags, RecordedEntry, Watcher } from "./engine";
import {
  type Account,
  expectDeclared,
  expectHeldOnce,
  expectLive,
  expectTheirs,
  type HeldResource,
  heldFor,
  isAdopted,
  isBehind,
  isOf,
  isReleasedWith,
  Violation,
} from "./invariants";
import { type ServedProcess, spinning } from "./process";
import { inStack, type Program, urnOf, urnsOf } from "./program";
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
import { handled, lostBetween, Stack } from "./stacks";
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
  private readonly owners = new Map<string, Stack>();
  /** What the program has released without deleting it. */
  private readonly released = new Set<string>();
  /** What was taken over with the program's consent. */
  private readonly adopted = new Set<string>();
  /** What was changed outside, and what was deleted. */
  private readonly changed = new Set<string>();
  private readonly discarded = new Set<string>();
  /** What a state has held and does not show any longer, by name. */
  private readonly lost = new Map<string, RecordedEntry>();
  /** What a state from before a rename of the stack is behind: its own object counts as the last one. */
  private readonly behindRename = new Set<string>();
  /** Names of what the state at hand has held last, by URN, by stack. */
  private readonly heldLast = new Map<Stack, Map<string, string>>();
  /** What was live without a record when the machine's journal was lost. */
  private readonly forgotten = new Set<string>();
  private hasMoved = false;
  private readonly unfinished = new UnfinishedWrites();
  private readonly waits = new OpenWaits(() => this.scene.live());
  /** Everything that commands have said. */
  private readonly said: string[] = [];
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
  }

  /** Whether objects may show another time than that of the run which has made them. */
  private get isOfTwoClocks(): boolean {
    return this.scene.deviating.deviations.some((each) => each.deviation === "clocks");
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
    this.stack.editAll(edits, reverts, this.owners);
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
    this.hasMoved = true;
    this.scene.move();
    this.unfinished.loseNotes();
    this.scene.service.forgetAll();
    const recorded = new Set(this.held().map(({ id }) => id));
    for (const name of this.scene.live().keys()) if (!recorded.has(name)) this.forgotten.add(name);
    this.lost.clear();
    this.heldLast.clear();
  }

  /** What a person does to the state at hand; nobody deletes from a state what is not live any longer. */
  private handle(edit: StateEdit): void {
    const before = this.engine.state;
    handled(edit, this.stack, this.stacks[this.stack === this.stacks[0] ? 1 : 0], this.owners);
    const isOfFormerName = (entry: RecordedEntry): boolean => !entry.delete && !this.isOfStack(entry);
    if (edit.state === "restore")
      for (const { urn, id } of before)
        if (this.engine.state.some((entry) => entry.urn === urn && isOfFormerName(entry))) this.behindRename.add(id);
    if (edit.state === "restore" || edit.state === "lose") this.waits.forget();
    if (edit.state === "rename stack") this.unfinished.loseNotes((stack) => stack === this.stack);
    for (const entry of lostBetween(before, this.held(), this.scene.live())) this.lost.set(entry.id, entry);
    this.followLost();
    this.log(`${JSON.stringify(edit)}; lost by now: ${[...this.lost.keys()].join()}`);
  }

  private held = (): RecordedEntry[] => this.stacks.flatMap(({ engine }) => engine.state);

  /** One command without faults puts everything right in each stack, whatever has happened before. */
  async recover(wanted: CommandName): Promise<void> {
    for (const stack of this.stacks) {
      this.stack = stack;
      await this.recoverStack(wanted);
    }
  }

  private async recoverStack(wanted: CommandName): Promise<void> {
    if ([...this.scene.live().values()].some(({ state }) => state === "JOB_STATE_CANCELLING")) await this.scene.rest();
    this.program = await answered(this.program, this.engine.state, this.service(), this.released);
    const { state, live } = await this.account();
    const isLookedAt = (entry: HeldResource): boolean => this.unfinished.isLookedAt(entry, this.stack);
    const overlooked = state.filter((entry) => !isLookedAt(entry));
    const command = isBehind({ state: overlooked, live }) && wanted === "up" ? "up --refresh" : wanted;
    // What is younger than replicas may be behind stays in the state, though no read shows it.
    if (command !== "up" || state.some(isLookedAt)) await this.scene.rest();
    let outcome = await this.command({ command, at: 0, serial: false }, []);
    for (const program of withoutRivals(outcome.errors, this.program)) {
      this.program = program;
      outcome = await this.command({ command, at: 0, serial: false }, []);
    }
    if (asksToRefresh(outcome.errors, this.engine.state))
      outcome = await this.command({ command: "up --refresh", at: 0, serial: false }, []);
    if (asksToWait(outcome.errors)) {
      await this.scene.rest();
      await this.command({ command: "refresh", at: 0, serial: false }, []);
      outcome = await this.command({ command, at: 0, serial: false }, []);
    }
    outcome = await this.correct({ command, at: 0, serial: false }, outcome);
    // With the first of a series of ids out of the way, or one resource, the question is about the next.
    for (let turn = 0; turn < 3 && outcome.errors.length > 0; turn += 1) {
      outcome = await this.answer({ command, at: 0, serial: false }, outcome);
      outcome = await this.correct({ command, at: 0, serial: false }, outcome);
    }
    // A key that one declaration gives up and another one takes in the same
    // command: once it is given up, it can be taken.
    if (isGivenUp(outcome.errors)) outcome = await this.command({ command, at: 0, serial: false }, []);
    if (outcome.errors.length > 0)
      throw new Violation("recovery-fails", `the recovery failed: ${textsOf(outcome).join("\n")}`, {
        codes: codesOf(outcome.errors),
      });
    expectDeclared(await this.account());
    for (const [name, { urn }] of this.lostHere())
      if (!this.hasMoved && !this.said.some((text) => text.includes(name)))
        throw new Violation("doubt-unnamed", `${name} was ${urn}, is live, and no command has named it`);
    const { process, watcher } = this.begin([]);
    const again = await this.engine.preview(this.program, process, watcher);
    if (again.errors.length + again.steps.length > 0)
      throw new Violation(
        "preview-not-clean",
        `the next preview is not clean: ${[...textsOf(again), ...again.steps].join("\n")}`,
      );
  }

  /** Changes the program as errors advise. */
  private async correct(run: ModelCommand, asking: CommandOutcome): Promise<CommandOutcome> {
    let outcome = asking;
    for (const answer of [
      () => adopting(asking.errors, this.program, this.service(), this.engine.state),
      () => besideKept(outcome.errors, this.program, this.service(), this.released),
      () =>
        this.hasMoved || this.isOfTwoClocks
          ? adoptingUnknown(outcome.errors, this.program, this.service())
          : this.program,
      () => (this.hasMoved ? acceptingOther(outcome.errors, this.program, this.service()) : this.program),
    ]) {
      const program = answer();
      if (isDeepStrictEqual(program, this.program)) continue;
      this.program = program;
      outcome = await this.command(run, []);
    }
    return outcome;
  }

  /** Answers what errors ask, question by question, as a person does who knows what is whose. */
  private async answer(run: ModelCommand, asking: CommandOutcome): Promise<CommandOutcome> {
    let outcome = asking;
    for (const name of new Set(askedToDelete(outcome.errors, await this.account()))) {
      await this.scene.discard(name);
      outcome = await this.command(run, []);
    }
    if (asksToTake(outcome.errors, this.changed)) outcome = await this.command(run, [], { recover: "take" });
    // Of what the journal does not tell, a person takes what is not released; the rest is left where it is.
    for (const recover of ["take", "new"]) {
      const asked = askedAbout(outcome.errors, this.hasMoved || this.isOfTwoClocks);
      const isMeant =
        recover === "new" || !asked.some((name) => this.released.has(name) || this.scene.theirs.has(name));
      if (asked.length > 0 && isMeant) outcome = await this.command(run, [], { recover });
    }
    if (asksWhose(outcome.errors, await this.account())) outcome = await this.command(run, [], { recover: "new" });
    const whose = asksOfNeighbor(outcome.errors, this.stack.formerNames);
    if (whose) outcome = await this.command(run, [], { recover: whose });
    for (const recover of ["take", "new"] as const)
      if (asksAboutFormer(outcome.errors, recover)) outcome = await this.command(run, [], { recover });
    for (const name of new Set(askedToDelete(outcome.errors, await this.account()))) {
      await this.scene.discard(name);
      outcome = await this.command(run, []);
    }
    if (asksForAnother(outcome.errors)) outcome = await this.command(run, [], { recover: "new" });
    if (cannotTake(outcome.errors)) outcome = await this.command(run, [], { recover: "new" });
    for (const name of leftAtItsId(outcome.errors)) {
      await this.scene.discard(name);
      outcome = await this.command(run, [], { recover: "new" });
    }
    return outcome;
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
    expectLive(await this.account(), new Set());
    // A journal that is lost tells nothing of what a state has held before.
    if (this.hasMoved) return;
    const own = [...this.lost].filter(([name, entry]) => !this.behindRename.has(name) && this.isOfStack(entry));
    const names = own.map(([name]) => name);
    for (const name of unnamed(names, this.said, this.scene.heldBy(this.engine.stack)))
      throw new Violation(
        "doubt-unnamed",
        `${name} was ${this.lost.get(name)!.urn}, outlives the stack, and no command has named it`,
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
    for (const entry of this.engine.state) {
      if (entry.pendingReplacement) continue;
      if (isAdopted(entry)) this.adopted.add(entry.id);
      else this.released.delete(entry.id);
    }
    for (const name of consentedTo(this.program, this.scene)) this.adopted.add(name);
    if (process.messages.includes(spinning)) throw new Violation("wait-in-vain", spinning);
    if (this.wrongs.length > 0) throw new Violation("deleted-wrongly", this.wrongs.join("\n"));
    const texts = [...process.messages, ...textsOf(outcome)];
    this.expectNoSecret(texts);
    for (const { code, text } of unreadable(outcome.errors))
      throw new Violation("unreadable-error", `processes read no ${code} in: ${text}`);
    this.said.push(...texts);
    this.followLost();
    const isRead = /^up --refresh( --continue-on-error)?$/.test(command) && before.length > 0;
    if (!this.hasMoved && (isRead || (this.isAsked && /\bup\b/.test(command))) && config["recover"] === undefined)
      this.expectAsked(before, texts);
    if (outcome.errors.length === 0 && /\bup\b/.test(command) && !command.includes("--target"))
      this.unfinished.expectFinished(due, this.stack, this.scene.look);
    const held = this.heldLast.get(this.stack) ?? new Map<string, string>();
    for (const { urn, id, delete: isOld } of this.engine.state) if (!isOld) held.set(urn, id);
    this.heldLast.set(this.stack, held);

    expectTheirs(await this.account());
    expectHeldOnce(this.program, this.engine.state);
    this.expectKnown(config["recover"] === "new" ? texts : []);
    await this.expectWaiting(/\bup\b/.test(command) && !command.includes("--target"), outcome);
    return outcome;
  }

  /** What creates have made and no state has is a doubt of the journal until somebody decides, as `decided` says. */
  private expectKnown(decided: readonly string[]): void {
    const { service, theirs } = this.scene;
    for (const name of service.unnamed(this.stack, this.held(), this.scene.doubts())) {
      if (theirs.has(name) || this.released.has(name) || this.lost.has(name)) continue;
      if (!decided.some((text) => text.includes(name)))
        throw new Violation("doubt-unnamed", `${name} was made by a create, no state has it, and nobody knows of it`);
      // What a person leaves by answering a question is released.
      this.released.add(name);
      service.forget(name);
    }
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

  /**
   * What the state at hand has lost under its present names, and the program still declares. Of what a cut-off
   * replacement had still to delete nobody is told: only what was held last is looked for.
   */
  private lostHere = (): [name: string, lost: RecordedEntry][] =>
    [...this.lost].filter(
      ([name, { outputs, urn, delete: isReplaced }]) =>
        !isReplaced &&
        !this.behindRename.has(name) &&
        this.isOfStack({ outputs, urn }) &&
        this.program.some((each) => urnOf(each.kind, each.name) === urn),
    );

  /** Whether the stack held it under the name that it has now. */
  private isOfStack = ({ outputs, urn }: Pick<RecordedEntry, "outputs" | "urn">): boolean =>
    (outputs[hiddenInput] as Values)["urn"] === inStack(urn, this.engine.stack);

  /**
   * Nothing was made beside what the state has lost last, and no text names, once a refresh has read the state or the
   * engine has answered for it.
   */
  private expectAsked(before: readonly string[], texts: readonly string[]): void {
    const lost = this.lostHere().filter(([name]) => !texts.some((text) => text.includes(name)));
    const last = new Map(lost.map(([name, { urn }]) => [urn, name]));
    for (const { urn, id } of this.engine.state)
      if (last.has(urn) && last.get(urn) === this.heldLast.get(this.stack)?.get(urn) && !before.includes(id))
        throw new Violation(
          "doubt-unnamed",
          `${id} was made beside ${last.get(urn)}, which the state has lost, and nobody was asked`,
        );
  }

  /** What a state holds again, or what is gone, is not lost any longer. */
  private followLost(): void {
    const live = this.scene.live();
    for (const [name, entry] of this.lost)
      if (!live.has(name) || !isOf(entry, live.get(name)) || lostBetween([entry], this.held(), live).length === 0)
        this.lost.delete(name);
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
      this.expectRightful(request, deleting);
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
        if (isReleasedWith(entry) && this.scene.live().has(entry.id)) this.released.add(entry.id);
      },
    };
    return { process, watcher };
  }

  /** Takes a request to the service, whose answer nobody gets. */
  private async cutOff({ method, path, arrive }: RequestOnTheWay, deleting: ReadonlySet<RecordedEntry>): Promise<void> {
    await arrive();
    const name = path.slice("/v1/".length);
    // A destroy notes what it does under the name that the stack had when the record was written.
    const isNoted = ![...deleting].some((entry) => entry.id === name && !this.isOfStack(entry));
    if (method !== "POST") this.unfinished.add(name, { method, stack: this.stack, isNoted });
  }

  private async interfere(what: string, at: number): Promise<void> {
    const entries = this.engine.state.filter(({ id }) => this.scene.live().has(id) && !this.scene.theirs.has(id));
    const entry = entries[at % Math.max(1, entries.length)];
    if (!entry) return;
    this.unfinished.forget(entry.id);
    // Nothing of a secret tells another one of its name from it.
    if (what === "seize") return entry.kind === "Secret" ? undefined : this.seize(entry.id);
    (what === "delete" ? this.discarded : this.changed).add(entry.id);
    if (what === "delete") {
      // A name that the program released may be that of an entry again, which a replacement has yet to finish.
      this.released.delete(entry.id);
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
    this.discarded.add(name);
    for (const each of [this.released, this.adopted, this.lost]) each.delete(name);
    await this.scene.seize(name);
    this.log(`the other team makes ${name} again: ${this.scene.theirs.has(name)}`);
  }

  /** The service, as a person at this stack reaches it. */
  private service(): ReachableService {
    const { scene, engine } = this;
    return {
      live: () => scene.live(),
      theirs: scene.theirs,
      isOwn: async (declaration, name) =>
        engine.isCreating(urnsOf(declaration)) ||
        scene.isOwn(
          urnsOf(declaration).map((urn) => inStack(urn, engine.stack)),
          name,
        ),
      discard: scene.discard.bind(scene),
      firstId: this.stack === this.stacks[0] ? 0 : 100,
    };
  }

  /** What the stack at work is judged by; what another one has is left out. */
  private async account(): Promise<Account> {
    const { program, adopted, engine } = this;
    const { theirs } = this.scene;
    const others = this.held().filter((entry) => !engine.state.includes(entry));
    const isElsewhere = (name: string, object: Values): boolean =>
      !theirs.has(name) && others.some((entry) => entry.id === name && isOf(entry, object));
    const live = new Map([...this.scene.live()].filter(([name, object]) => !isElsewhere(name, object)));
    const isThere = (name: string): boolean => live.has(name) || !this.scene.live().has(name);
    return {
      begun: await this.scene.begun(),
      program,
      state: engine.state,
      live,
      theirs,
      released: new Set([
        ...[...this.released, ...this.lost.keys()].filter(isThere),
        ...[...this.forgotten].filter((name) => live.has(name)),
      ]),
      adopted,
    };
  }

  /** Nobody deletes what another entry of the state keeps, or what the other team has made. */
  private expectRightful({ method, path }: RequestOnTheWay, deleting: ReadonlySet<RecordedEntry>): void {
    if (method !== "DELETE") return;
    const name = path.replace("/v1/", "");
    const live = this.scene.object(name);
    // A secret that was deleted outside cannot be told from a later one of its name.
    const isBlind = name.includes("/secrets/") && this.discarded.has(name);
    // What nobody declares is deleted in the same command.
    const kept = new Set(
      this.stacks.flatMap(({ program, engine }) => program.map((each) => heldFor(each, engine.state))),
    );
    const keeper = this.held().find(
      (entry) =>
        entry.id === name &&
        !entry.delete &&
        !entry.pendingReplacement &&
        !deleting.has(entry) &&
        isOf(entry, live) &&
        (entry.retain || kept.has(entry)),
    );
    if (keeper && !isBlind) this.fail(`${name} is deleted while ${keeper.urn} keeps it`);
    const lost = this.lost.get(name);
    // A refresh accepts what the stack has made again at the name of a recorded object.
    const isShown = this.held().some((entry) => entry.id === name && isOf(entry, live));
    if (lost && !isBlind && !isShown && isOf(lost, live)) this.fail(`${name}, which no state shows, is deleted`);
    if (this.scene.theirs.has(name)) this.fail(`${name} of the other team is deleted`);
  }

  /** What a request does wrong is reported once its command is over. */
  private fail(text: string): void {
    this.wrongs.push(text);
  }

  private expectNoSecret(texts: readonly string[]): void {
    const kept = this.engine.state.map(({ kind, inputs, outputs }) => [
      unmarked(kind, inputs),
      unmarked(kind, outputs),
    ]);
    for (const text of [...texts, JSON.stringify(kept)])
      for (const form of [canary, encodeURIComponent(canary)])
        if (text.includes(form)) throw new Violation("secret-in-clear", `a secret stands in clear: ${text}`);
  }
}

const textsOf = ({ errors }: CommandOutcome): string[] => errors.map(({ text }) => text);

/** Without what the engine keeps as ciphertext. */
function unmarked(kind: string, values: Values): Values {
  const secrets = secretProperties(specOf(kind)!);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name) && name !== hiddenInput));
}
