import { isDeepStrictEqual } from "node:util";
import { secretProperties } from "../../provider/core/checks/check";
import { hiddenInput } from "../../provider/core/declaration/own-records";
import { specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import {
  adopting,
  answered,
  askedToDelete,
  asksAboutFormer,
  asksOfNeighbor,
  asksToRefresh,
  asksToTake,
  asksWhose,
  besideKept,
  consentedTo,
  nameIn,
  type ReachableService,
  withoutRivals,
} from "./answers";
import { canary } from "./edits";
import type { CommandOutcome, ModelEngine, ModelFlags, RecordedEntry, Watcher } from "./engine";
import {
  type Account,
  expectDeclared,
  expectLive,
  expectTheirs,
  heldFor,
  isAdopted,
  isBehind,
  isOf,
  isReleasedWith,
  Violation,
} from "./invariants";
import { type ServedProcess, spinning } from "./process";
import { type Program, urnOf, urnsOf } from "./program";
import { Rival } from "./rivals";
import type { CommandName, ModelCommand, Round, Scenario, StateEdit, Trouble } from "./scenario";
import { Scene } from "./scene";
import { handled, lostBetween, Stack } from "./stacks";
import type { RequestOnTheWay, Watch } from "./transport";

/** Runs a scenario to its end, a recovery and a removal; rejects with a `Violation` where a promise is broken. */
export async function play(scenario: Scenario, log: (line: string) => void = () => undefined): Promise<void> {
  const player = new Player(log);
  for (const round of scenario.rounds) await player.round(round);
  await player.recover(scenario.recovery);
  await player.remove();
}

class Player {
  private readonly scene = new Scene();
  private readonly stacks = [
    new Stack({ stack: "dev", project: "demo" }),
    new Stack({ stack: "neighbor", project: "demo" }),
  ] as const;
  /** The one at work. */
  private stack = this.stacks[0];
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
  /** Names of what the state at hand has held last, by URN, by stack. */
  private readonly heldLast = new Map<Stack, Map<string, string>>();
  /** Everything that commands have said. */
  private readonly said: string[] = [];
  private readonly wrongs: string[] = [];

  constructor(private readonly log: (line: string) => void) {}

  private get engine(): ModelEngine {
    return this.stack.engine;
  }

  private get program(): Program {
    return this.stack.program;
  }

  private set program(program: Program) {
    this.stack.program = program;
  }

  async round({ edits, outside, states, stack, command, troubles, moves }: Round): Promise<void> {
    this.stack = this.stacks[stack];
    for (const edit of edits) this.stack.edit(edit, this.owners);
    for (const edit of states) this.handle(edit);
    for (const each of outside) await this.interfere(each.outside, each.at);
    this.stack.backUp();
    await this.command(command, troubles);
    await this.scene.clearFaults();
    if (moves) this.scene.move();
  }

  /** What a person does to the state at hand; nobody deletes from a state what is not live any longer. */
  private handle(edit: StateEdit): void {
    const before = this.engine.state;
    handled(edit, this.stack, this.stacks[this.stack === this.stacks[0] ? 1 : 0], this.owners);
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
    const command = isBehind(await this.account()) && wanted === "up" ? "up --refresh" : wanted;
    // What is younger than replicas may be behind stays in the state, though no read shows it.
    if (command !== "up") await this.scene.rest();
    let outcome = await this.command({ command, at: 0, serial: false }, []);
    for (const program of withoutRivals(outcome.errors, this.program)) {
      this.program = program;
      outcome = await this.command({ command, at: 0, serial: false }, []);
    }
    if (asksToRefresh(outcome.errors, this.engine.state))
      outcome = await this.command({ command: "up --refresh", at: 0, serial: false }, []);
    for (const answer of [adopting, besideKept]) {
      const program = answer(outcome.errors, this.program, this.scene, this.released);
      if (isDeepStrictEqual(program, this.program)) continue;
      this.program = program;
      outcome = await this.command({ command, at: 0, serial: false }, []);
    }
    for (const name of new Set(askedToDelete(outcome.errors, await this.account()))) {
      await this.scene.discard(name);
      outcome = await this.command({ command, at: 0, serial: false }, []);
    }
    if (asksToTake(outcome.errors, this.changed))
      outcome = await this.command({ command, at: 0, serial: false }, [], { recover: "take" });
    if (asksWhose(outcome.errors, await this.account()))
      outcome = await this.command({ command, at: 0, serial: false }, [], { recover: "new" });
    const whose = asksOfNeighbor(outcome.errors, this.stack.formerNames);
    if (whose) outcome = await this.command({ command, at: 0, serial: false }, [], { recover: whose });
    for (const recover of ["take", "new"])
      if (asksAboutFormer(outcome.errors))
        outcome = await this.command({ command, at: 0, serial: false }, [], { recover });
    // A key that one declaration gives up and another one takes in the same
    // command: once it is given up, it can be taken.
    if (outcome.errors.every((error) => /belongs to \S+ of the same program/.test(error)) && outcome.errors.length > 0)
      outcome = await this.command({ command, at: 0, serial: false }, []);
    if (outcome.errors.length > 0) throw new Violation(`the recovery failed: ${outcome.errors.join("\n")}`);
    expectDeclared(await this.account());
    for (const [name, { urn }] of this.lostHere())
      if (!this.said.some((text) => text.includes(name)))
        throw new Violation(`${name} was ${urn}, is live, and no command has named it`);
    const { process, watcher } = this.begin([]);
    const again = await this.engine.preview(this.program, process, watcher);
    if (again.errors.length + again.steps.length > 0)
      throw new Violation(`the next preview is not clean: ${[...again.errors, ...again.steps].join("\n")}`);
  }

  async remove(): Promise<void> {
    for (const stack of this.stacks) {
      this.stack = stack;
      await this.removeStack();
    }
  }

  private async removeStack(): Promise<void> {
    const outcome = await this.command({ command: "destroy", at: 0, serial: false }, []);
    if (outcome.errors.length > 0) throw new Violation(`the removal failed: ${outcome.errors.join("\n")}`);
    if (this.engine.state.length > 0) throw new Violation("the state is not empty after a destroy");
    expectLive(await this.account(), new Set());
  }

  private async command(
    { command, at, serial }: ModelCommand,
    troubles: readonly Trouble[],
    config: Record<string, string> = {},
  ): Promise<CommandOutcome> {
    for (const trouble of troubles) {
      if (trouble.trouble !== "fault") continue;
      const times = trouble.times === "every" ? Number.POSITIVE_INFINITY : trouble.times;
      const kind = this.kindOf(trouble.of);
      if (kind !== undefined) await this.scene.strike(kind, trouble.verb, trouble.title, trouble.skip, times);
    }
    const { process, watcher } = this.begin(troubles, await this.scene.begun(), config);
    const before = this.engine.state.map(({ id }) => id);
    const outcome = await this.perform(command, at, serial, process, watcher);
    process.kill();
    this.log(`${command}: ${[...outcome.steps, ...outcome.errors.map((error) => `! ${error}`)].join("\n    ")}`);
    for (const entry of this.engine.state) {
      if (entry.pendingReplacement) continue;
      if (isAdopted(entry)) this.adopted.add(entry.id);
      else this.released.delete(entry.id);
    }
    for (const name of consentedTo(this.program, this.scene)) this.adopted.add(name);
    if (process.messages.includes(spinning)) throw new Violation(spinning);
    if (this.wrongs.length > 0) throw new Violation(this.wrongs.join("\n"));
    this.expectNoSecret([...process.messages, ...outcome.errors]);
    this.said.push(...process.messages, ...outcome.errors);
    this.followLost();
    if (/^up --refresh( --continue-on-error)?$/.test(command) && config["recover"] === undefined)
      this.expectAsked(before);
    const held = this.heldLast.get(this.stack) ?? new Map<string, string>();
    for (const { urn, id, delete: isOld } of this.engine.state) if (!isOld) held.set(urn, id);
    this.heldLast.set(this.stack, held);

    expectTheirs(await this.account());
    return outcome;
  }

  /**
   * What the state at hand has lost under its present names, and the program still declares. Of what a cut-off
   * replacement had still to delete nobody is told: only what was held last is looked for.
   */
  private lostHere = (): [name: string, lost: RecordedEntry][] =>
    [...this.lost].filter(
      ([, { outputs, kind, urn, delete: isReplaced }]) =>
        !isReplaced &&
        (outputs[hiddenInput] as Values)["urn"] === urnOf(kind, nameIn(urn), this.engine.stack) &&
        this.program.some((each) => urnOf(each.kind, each.name) === urn),
    );

  /** Nothing was made beside what the state has lost last, once a refresh has read the state. */
  private expectAsked(before: readonly string[]): void {
    if (before.length === 0) return;
    const last = new Map(this.lostHere().map(([name, { urn }]) => [urn, name]));
    for (const { urn, id } of this.engine.state)
      if (last.has(urn) && last.get(urn) === this.heldLast.get(this.stack)?.get(urn) && !before.includes(id))
        throw new Violation(`${id} was made beside ${last.get(urn)}, which the state has lost, and nobody was asked`);
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
    const watch: Watch = async (request) => {
      requests += 1;
      this.expectRightful(request, deleting);
      for (const trouble of troubles) {
        if (trouble.trouble === "interrupt" && trouble.request === requests) process.interrupt();
        if (trouble.trouble === "kill" && trouble.request === requests) {
          process.kill();
          if (trouble.when === "after") await request.arrive();
          return new Promise(() => undefined);
        }
      }
      if (request.method === "POST") for (const rival of rivals) await rival.meet(request);
    };
    const process = this.scene.process(watch, config);
    const watcher: Watcher = {
      calling: (call, entry) => {
        if (call === "delete" && entry) deleting.add(entry);
      },
      returned: () => {
        calls += 1;
        return !troubles.some((trouble) => trouble.trouble === "lose" && trouble.call === calls);
      },
      registered: (entry) =>
        this.scene.settle({ ...entry, urn: urnOf(entry.kind, nameIn(entry.urn), this.engine.stack) }),
      forgotten: (entry) => {
        if (isReleasedWith(entry) && this.scene.live().has(entry.id)) this.released.add(entry.id);
      },
    };
    return { process, watcher };
  }

  private async interfere(what: string, at: number): Promise<void> {
    const entries = this.engine.state.filter(({ id }) => this.scene.live().has(id) && !this.scene.theirs.has(id));
    const entry = entries[at % Math.max(1, entries.length)];
    if (!entry) return;
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
      isOwn: (declaration, name) =>
        scene.isOwn(
          urnsOf(declaration).map((urn) => urnOf(declaration.kind, nameIn(urn), engine.stack)),
          name,
        ),
      discard: scene.discard.bind(scene),
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
      released: new Set([...this.released, ...this.lost.keys()].filter(isThere)),
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
    if (lost && !isBlind && isOf(lost, live)) this.fail(`${name}, which no state shows, is deleted`);
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
        if (text.includes(form)) throw new Violation(`a secret stands in clear: ${text}`);
  }
}

/** Without what the engine keeps as ciphertext. */
function unmarked(kind: string, values: Values): Values {
  const secrets = secretProperties(specOf(kind)!);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name) && name !== hiddenInput));
}
