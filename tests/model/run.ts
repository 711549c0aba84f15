import { isDeepStrictEqual } from "node:util";
import { secretProperties } from "../../provider/core/checks/secret-properties";
import { hiddenInput } from "../../provider/core/declaration/own-records";
import { specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import {
  adopting,
  answered,
  askedToDelete,
  asksToRefresh,
  asksToTake,
  asksWhose,
  besideKept,
  consentedTo,
  withoutRivals,
} from "./answers";
import { canary, edited } from "./edits";
import { type CommandOutcome, ModelEngine, type ModelFlags, type RecordedEntry, type Watcher } from "./engine";
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
import { type Program, urnOf } from "./program";
import { Rival } from "./rivals";
import type { CommandName, ModelCommand, Round, Scenario, Trouble } from "./scenario";
import { Scene } from "./scene";
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
  private readonly engine = new ModelEngine();
  private program: Program = [];
  private count = 0;
  /** What the program has released without deleting it. */
  private readonly released = new Set<string>();
  /** What was taken over with the program's consent. */
  private readonly adopted = new Set<string>();
  /** What was changed outside, and what was deleted. */
  private readonly changed = new Set<string>();
  private readonly discarded = new Set<string>();
  private readonly wrongs: string[] = [];

  constructor(private readonly log: (line: string) => void) {}

  async round({ edits, outside, command, troubles, moves }: Round): Promise<void> {
    for (const edit of edits) this.program = edited(this.program, edit, ++this.count);
    for (const each of outside) await this.interfere(each.outside, each.at);
    await this.command(command, troubles);
    await this.scene.clearFaults();
    if (moves) this.scene.move();
  }

  /** One command without faults puts everything right, whatever has happened before. */
  async recover(wanted: CommandName): Promise<void> {
    if ([...this.scene.live().values()].some(({ state }) => state === "JOB_STATE_CANCELLING")) await this.scene.rest();
    this.program = await answered(this.program, this.engine.state, this.scene, this.released);
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
    if (asksWhose(outcome.errors, this.engine.state))
      outcome = await this.command({ command, at: 0, serial: false }, [], { recover: "new" });
    // A key that one declaration gives up and another one takes in the same
    // command: once it is given up, it can be taken.
    if (outcome.errors.every((error) => /belongs to \S+ of the same program/.test(error)) && outcome.errors.length > 0)
      outcome = await this.command({ command, at: 0, serial: false }, []);
    if (outcome.errors.length > 0) throw new Violation(`the recovery failed: ${outcome.errors.join("\n")}`);
    expectDeclared(await this.account());
    const { process, watcher } = this.begin([]);
    const again = await this.engine.preview(this.program, process, watcher);
    if (again.errors.length + again.steps.length > 0)
      throw new Violation(`the next preview is not clean: ${[...again.errors, ...again.steps].join("\n")}`);
  }

  async remove(): Promise<void> {
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
    expectTheirs(await this.account());
    return outcome;
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
      registered: (entry) => this.scene.settle(entry),
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

  private async account(): Promise<Account> {
    const { program, released, adopted } = this;
    const begun = await this.scene.begun();
    return {
      begun,
      program,
      state: this.engine.state,
      live: this.scene.live(),
      theirs: this.scene.theirs,
      released,
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
    const kept = new Set(this.program.map((each) => heldFor(each, this.engine.state)));
    const keeper = this.engine.state.find(
      (entry) =>
        entry.id === name &&
        !entry.delete &&
        !entry.pendingReplacement &&
        !deleting.has(entry) &&
        isOf(entry, live) &&
        (entry.retain || kept.has(entry)),
    );
    if (keeper && !isBlind) this.fail(`${name} is deleted while ${keeper.urn} keeps it`);
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
