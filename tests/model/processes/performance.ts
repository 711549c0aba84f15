import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dynamicToken } from "../../../provider/core/pulumi-names";
import { openAttemptsIn } from "../../../provider/lifecycle/memory/journal-files";
import { longestLagMs } from "../../../provider/lifecycle/read";
import { specOf } from "../../../provider/resources/index";
import type { Running } from "../../e2e/commands";
import type { Engine } from "../../e2e/engines";
import { account, apiKey, Site } from "../../e2e/site";
import { faultCases, operationOf } from "../../lifecycle/contract/faults";
import type { Values } from "../../values";
import {
  answered,
  askedToDelete,
  asksAboutFormer,
  asksOfNeighbor,
  asksToRefresh,
  asksToWait,
  asksWhose,
  consentedTo,
} from "../answers";
import { canary, edited } from "../edits";
import {
  type Account,
  expectDeclared,
  expectLive,
  expectTheirs,
  type HeldResource,
  isAbout,
  isAdopted,
  isBehind,
  isReleasedWith,
  Violation,
} from "../invariants";
import { type Declaration, type Program, urnOf } from "../program";
import { codesOf, type Refusal, refusalsIn } from "../refusals";
import { altered, madeByRival } from "../rivals";
import type { StateEdit } from "../scenario";
import { lostBetween } from "../stacks";
import { type Arriving, type Front, openFront, type RequestInterceptor } from "./front";
import type { ResourceHost } from "./hosts";
import type { Act, CommandLine, Plan, ProcessTrouble } from "./plan";

/** What a plan has made happen. */
export interface Tally {
  commands: number;
  kills: number;
  interrupts: number;
  /** Requests that faults have struck. */
  struck: number;
  rivals: number;
}

const collections = /\/(users|secrets|deployments|supervisedFineTuningJobs)\/[^/]+$/;

/** What runs a program: the engine, and what serves its resources. */
export interface EngineAndHost {
  engine: Engine;
  host: ResourceHost;
}

/** Runs a plan with real processes, and counts what happens; rejects with a `Violation` where a promise is broken. */
export async function perform(
  plan: Plan,
  surroundings: EngineAndHost,
  tally: Tally,
  log: (text: string) => void,
): Promise<void> {
  const performance = await Performance.open(surroundings, tally, log);
  try {
    for (const act of plan.acts) await performance.act(act);
    await performance.recover(plan.recovery);
    await performance.remove();
  } finally {
    await performance.close();
  }
}

class Performance {
  private front!: Front;
  private look: RequestInterceptor = async () => "pass";
  private program: Program = [];
  private count = 0;
  /** There is one stack alone. */
  readonly firstId = 0;
  readonly theirs = new Map<string, Values>();
  private readonly released = new Set<string>();
  private readonly adopted = new Set<string>();
  /** What a state has held, and does not show any longer. */
  private readonly lost = new Map<string, HeldResource>();
  /** Exports of the state before each of the last commands. */
  private readonly backups: string[] = [];
  /** What the stack was called before. */
  private readonly formerNames: string[] = [];

  private constructor(
    private readonly site: Site,
    private readonly host: ResourceHost,
    private readonly tally: Tally,
    private readonly log: (text: string) => void,
  ) {}

  static async open({ engine, host }: EngineAndHost, tally: Tally, log: (text: string) => void): Promise<Performance> {
    const site = await Site.open(engine);
    const performance = new Performance(site, host, tally, log);
    performance.front = await openFront(site.url, (arriving) => performance.look(arriving));
    return performance;
  }

  async close(): Promise<void> {
    await this.front.close();
    await this.site.close();
  }

  async act({ edits, outside, states, line, at, trouble }: Act): Promise<void> {
    for (const edit of edits) if (isPlayable(edit)) this.program = edited(this.program, edit, ++this.count);
    for (const each of states) await this.handle(each);
    for (const each of outside) await this.interfere(each.outside, each.at);
    await this.backUp();
    await this.run(line, at, trouble);
    this.tally.struck += await this.site.faultHits();
    await this.site.clearFaults();
  }

  private async backUp(): Promise<void> {
    const file = join(this.site.folder, `backup-${this.tally.commands}-${this.backups.length}.json`);
    await this.site.expect(0, `stack export --file ${file}`);
    this.backups.push(file);
  }

  /** What a person does to the state by hand. */
  private async handle(edit: StateEdit): Promise<void> {
    const before = this.state();
    const lines = this.linesOf(edit);
    for (const line of lines) await this.site.expect(0, line);
    if (edit.state === "rename stack") {
      this.formerNames.push(this.site.stack);
      this.site.stack = `dev-${++this.count}`;
      // What was exported under another name is of another stack.
      this.backups.length = 0;
    }
    this.log(`${JSON.stringify(edit)}: ${lines.join()}`);
    for (const entry of lostBetween(before, this.state(), this.live())) this.lost.set(entry.id, entry);
  }

  private linesOf(edit: StateEdit): string[] {
    const entries = this.site.resources();
    const entry = "at" in edit ? entries[edit.at % Math.max(1, entries.length)] : undefined;
    switch (edit.state) {
      case "rename stack":
        return [`stack rename dev-${this.count + 1}`];
      case "restore": {
        const backup = this.backups.at(-1 - edit.ago);
        return backup ? [`stack import --file ${backup}`] : [];
      }
      case "delete":
        return entry ? [`state delete --force ${entry.urn}`] : [];
      default:
        return [];
    }
  }

  /** One command without faults puts everything right, whatever has happened before. */
  async recover(wanted: CommandLine): Promise<void> {
    this.program = await answered(this.program, this.state(), this, this.released);
    const line = isBehind(await this.account()) && wanted === "up" ? "up --refresh" : wanted;
    let { code, output } = await this.run(line, 0, undefined);
    if (asksToRefresh(refusalsIn(output), this.state()))
      ({ code, output } = await this.run("up --refresh", 0, undefined));
    if (code !== 0 && asksToWait(refusalsIn(output))) {
      this.rest();
      await this.run("refresh", 0, undefined);
      ({ code, output } = await this.run(line, 0, undefined));
    }
    for (const name of askedToDelete(refusalsIn(output), await this.account())) {
      await this.discard(name);
      ({ code, output } = await this.run(line, 0, undefined));
    }
    const answer = async (recover: string): Promise<void> => {
      ({ code, output } = await this.run(line, 0, undefined, { MODELPLATFORM_RECOVER: recover }));
    };
    const asked = (): Refusal[] => (code === 0 ? [] : refusalsIn(output));
    if (asksWhose(asked(), await this.account())) await answer("new");
    const whose = asksOfNeighbor(asked(), this.formerNames);
    if (whose !== undefined) await answer(whose);
    for (const recover of ["take", "new"] as const) if (asksAboutFormer(asked(), recover)) await answer(recover);
    if (code !== 0)
      throw new Violation("recovery-fails", `the recovery failed: ${output}`, { codes: codesOf(refusalsIn(output)) });
    expectDeclared(await this.account());
    const preview = await this.run("preview --expect-no-changes", 0, undefined);
    if (preview.code !== 0)
      throw new Violation("preview-not-clean", `the next preview is not clean: ${preview.output}`);
  }

  async remove(): Promise<void> {
    const { code, output } = await this.run("destroy", 0, undefined);
    if (code !== 0)
      throw new Violation("removal-fails", `the removal failed: ${output}`, { codes: codesOf(refusalsIn(output)) });
    if (this.state().length > 0) throw new Violation("state-not-empty", "the state is not empty after a destroy");
    expectLive(await this.account(), new Set());
  }

  private async run(
    line: CommandLine | "preview --expect-no-changes",
    at: number,
    trouble: ProcessTrouble | undefined,
    env: Record<string, string> = {},
  ): Promise<{ code: number | null; output: string }> {
    const { site } = this;
    if (trouble?.trouble === "fault") await this.strike(trouble);
    this.declare();
    const before = this.state();
    let command: Running | undefined;
    this.look = this.watching(trouble, () => command);
    command = site.start(this.completed(line, at), { env: { ...env, MODELPLATFORM_BASE_URL: this.front.url } });
    const ended = await command.ended;
    this.look = async () => "pass";
    this.tally.commands += 1;
    this.log(`${line}: ${ended.code}\n${ended.output}`);
    await this.expectNobodyLeft();
    site.mendCheckpoint();
    if (trouble?.trouble === "kill" || trouble?.trouble === "interrupt") await site.run("cancel");
    this.follow(before);
    for (const name of consentedTo(this.program, this)) this.adopted.add(name);
    this.expectNoSecret(ended.output);
    expectTheirs(await this.account());
    return ended;
  }

  /** What goes wrong at which request. */
  private watching(trouble: ProcessTrouble | undefined, command: () => Running | undefined): RequestInterceptor {
    let requests = 0;
    const creates = new Set<string>();
    return async (arriving) => {
      requests += 1;
      const isNow = trouble !== undefined && "request" in trouble && trouble.request === requests;
      if (isNow && trouble.trouble === "kill") {
        this.tally.kills += 1;
        this.kill(trouble.whom, command()!);
        return trouble.carriedOut ? "drop" : "keep";
      }
      if (isNow && trouble.trouble === "interrupt") this.interrupt(trouble.times, command()!);
      if (trouble?.trouble === "rival" && arriving.method === "POST" && nameless(arriving) === undefined) {
        creates.add(arriving.path + JSON.stringify(arriving.body));
        if (creates.size === trouble.create) await this.rival(arriving);
      }
      return "pass";
    };
  }

  private kill(whom: "engine" | "provider" | "both", command: Running): void {
    const providers = this.site.providers();
    if (whom !== "provider") command.signal("SIGKILL");
    if (whom !== "engine") for (const pid of providers) process.kill(pid, "SIGKILL");
  }

  private interrupt(times: 1 | 2, command: Running): void {
    this.tally.interrupts += times;
    command.signal("SIGINT");
    if (times === 2)
      void this.site.until(() => command.output().includes("again")).then(() => command.signal("SIGINT"));
  }

  /** The other team makes what a request of ours is about to make, with a content of its own. */
  private async rival({ path, query, body }: Arriving): Promise<void> {
    const content = body as Values;
    const before = this.live();
    await this.send("POST", path, query, altered(content));
    const made = madeByRival(before, this.live(), content, query["deploymentId"]);
    if (!made) return;
    this.tally.rivals += 1;
    this.theirs.set(...made);
  }

  private async interfere(what: string, at: number): Promise<void> {
    const held = this.state().filter(({ id }) => this.live().has(id) && !this.theirs.has(id));
    const chosen = held[at % Math.max(1, held.length)];
    if (!chosen) return;
    const change = { User: { role: "inference-user" }, Deployment: { maxReplicaCount: 7 } }[chosen.kind];
    if (what === "delete") await this.discard(chosen.id);
    else if (what === "seize") await this.seize(chosen);
    else if (change) await this.site.tamper(chosen.id, change);
  }

  /** The other team deletes an object, and makes its own under the same name; nothing tells a secret from another. */
  private async seize({ kind, id: name }: HeldResource): Promise<void> {
    if (kind !== "User" && kind !== "Deployment") return;
    const [, , collection, id] = name.split("/");
    const { createTime: _, state: __, ...fields } = this.live().get(name)!;
    for (const each of [this.released, this.adopted, this.lost]) each.delete(name);
    await this.discard(name);
    await this.send(
      "POST",
      `/v1/accounts/${account}/${collection}`,
      { [`${kind.toLowerCase()}Id`]: id! },
      altered(fields),
    );
    const made = this.live().get(name);
    if (made) this.theirs.set(name, made);
    this.tally.rivals += 1;
  }

  live(): ReadonlyMap<string, Values> {
    const objects = this.site.live("").filter(({ name }) => collections.test(String(name)));
    return new Map(objects.map((object) => [String(object["name"]), object]));
  }

  isOwn = async ({ kind, name }: Declaration, object: string): Promise<boolean> =>
    openAttemptsIn(this.site.intents).some(
      ({ urn, place }) => urn === this.site.urn(kind, name) && isAbout(place, this.live().get(object)),
    );

  discard = (name: string): Promise<void> => this.site.tamper(name);

  /** Ten minutes pass: for the machine, whose journal is so much older then. The service's clock is fast enough. */
  private rest(): void {
    const folder = this.site.intents;
    for (const file of readdirSync(folder)) {
      const path = join(folder, file);
      const facts = readFileSync(path, "utf8");
      writeFileSync(
        path,
        facts.replace(/"at":(\d+)/g, (_, at: string) => `"at":${Number(at) - longestLagMs}`),
      );
    }
  }

  /** The entries of the state file, with the URNs that a program's declarations have. */
  private state(): HeldResource[] {
    return this.site.resources().map(({ urn, id, type, outputs, ...rest }) => {
      const kind = type.slice(type.lastIndexOf(":") + 1);
      return {
        urn: urnOf(kind, urn.slice(urn.lastIndexOf("::") + 2)),
        kind,
        id: id ?? "",
        outputs: (outputs ?? {}) as Values,
        delete: rest.delete === true,
        pendingReplacement: rest.pendingReplacement === true,
        protect: rest.protect === true,
        retain: rest.retainOnDelete === true,
        taint: rest.taint === true,
      };
    });
  }

  /** What the state has forgotten and the service still has was retained, where the program says so. */
  private follow(before: readonly HeldResource[]): void {
    const state = this.state().filter(({ pendingReplacement }) => !pendingReplacement);
    for (const held of state) {
      if (isAdopted(held)) this.adopted.add(held.id);
      else this.released.delete(held.id);
    }
    for (const [name, entry] of this.lost)
      if (lostBetween([entry], state, this.live()).length === 0) this.lost.delete(name);
    for (const held of before)
      if (isReleasedWith(held) && !state.some(({ id }) => id === held.id))
        if (this.live().has(held.id)) this.released.add(held.id);
  }

  private async account(): Promise<Account> {
    const { program, theirs, released, adopted } = this;
    const open = openAttemptsIn(this.site.intents);
    const begun = new Set(
      open
        .flatMap(({ created, place }) => [created?.name, place.name, place.keyDigest])
        .filter((each) => each !== undefined),
    );
    return {
      begun,
      program,
      state: this.state(),
      live: this.live(),
      theirs,
      released: new Set([...released, ...this.lost.keys()]),
      adopted,
    };
  }

  private declare(): void {
    const resources = this.program.map(({ kind, name, inputs, options: { aliases, ...options } }) => [
      name,
      { kind, ...inputs, opts: { ...options, ...(aliases && { aliases: aliases.map((each) => ({ name: each })) }) } },
    ]);
    const text = JSON.stringify(Object.fromEntries(resources)).replaceAll("accounts/acme/", `accounts/${account}/`);
    this.site.declare({ from: this.host.entry, resources: JSON.parse(text) });
  }

  private completed(line: string, at: number): string {
    if (!/--(target|replace)$/.test(line)) return line;
    const chosen = this.program[at % Math.max(1, this.program.length)];
    if (!chosen) return line.replace(/ --\w+$/, "");
    const urn = this.site.urn(chosen.kind, chosen.name).replace(dynamicToken(""), this.host.token(""));
    return `${line} ${urn}`;
  }

  private async strike({ title, of, verb, skip, times }: Extract<ProcessTrouble, { trouble: "fault" }>): Promise<void> {
    const kinds = [...this.program, ...this.state()].map(({ kind }) => kind);
    const kind = kinds[of % Math.max(1, kinds.length)];
    if (kind === undefined) return;
    const { collection, operations } = specOf(kind)!;
    if (operations[verb] === undefined) return;
    const { fault } = faultCases.find((each) => each.title === title)!;
    await this.site.fault({ operation: operationOf(kind, collection, verb) }, onSockets(fault), { skip, times });
  }

  private async expectNobodyLeft(): Promise<void> {
    for (let waits = 0; this.site.processes().length > 0; waits += 1) {
      // Those of a killed CLI never end by themselves.
      if (waits === 1000) for (const pid of this.site.uncalled()) process.kill(pid, "SIGKILL");
      if (waits > 2000) throw new Violation("processes-left", `processes are left: ${this.site.processes().join()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  private expectNoSecret(output: string): void {
    for (const text of [output, JSON.stringify(this.site.resources())])
      for (const form of [canary, encodeURIComponent(canary)])
        if (text.includes(form)) throw new Violation("secret-in-clear", `a secret stands in clear: ${text}`);
  }

  private async send(method: string, path: string, query: Arriving["query"], body: Values): Promise<void> {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const { emulator } = this.site;
    await emulator.handle({ method, path, query: new Map(Object.entries(query)), headers, body });
  }
}

/** The built-in engine has no command that takes protection off again. */
const isPlayable = (edit: Act["edits"][number]): boolean => edit.edit !== "option" || edit.option !== "protect";

/** Creates that nobody else can be ahead of: their ids are ours alone. */
function nameless({ path, query }: Arriving): true | undefined {
  const collection = path.split("/").at(-1)!;
  if (collection === "users" || collection === "secrets") return undefined;
  return /^(chat|search)$/.test(query["deploymentId"] ?? "") ? undefined : true;
}

/**
 * What happens below HTTP, as the emulator does it. Nobody waits for a real
 * time limit: what hangs breaks after a while.
 */
function onSockets(fault: (typeof faultCases)[number]["fault"]): Values {
  if ("kind" in fault) return fault;
  const { at, code } = fault;
  if (code === "ECONNREFUSED") return { kind: "refuse", ms: 50 };
  if (code.endsWith("HEADERS_TIMEOUT")) return { kind: "hang", commit: at === "answer", ms: 50 };
  if (code.endsWith("BODY_TIMEOUT")) return { kind: "stall", ms: 50 };
  return { kind: at === "answer" ? "resetAfterCommit" : "reset" };
}
