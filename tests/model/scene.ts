import { createEmulator, type Emulator } from "../../emulator/index";
import type { Fact } from "../../provider/lifecycle/memory/history";
import { type CreateAttempt, OwnershipHistory } from "../../provider/lifecycle/memory/history";
import { stackOf } from "../../provider/lifecycle/memory/identity";
import { recordHeld } from "../../provider/lifecycle/ownership/journal";
import { specOf } from "../../provider/resources/index";
import { faultCases, strike } from "../lifecycle/contract/faults";
import { keptJournal } from "../lifecycle/harness";
import { type VirtualClock, virtualClock } from "../lifecycle/virtual-clock";
import type { WireFault } from "../lifecycle/wire-faults";
import type { Values } from "../values";
import { CreatedObjects } from "./created";
import { DeviatingService } from "./deviations";
import { type HeldResource, isAbout } from "./invariants";
import { type ProcessOptions, type ServedProcess, startProcess } from "./process";
import { type StackName, urnOf } from "./program";
import { altered, madeByRival } from "./rivals";
import type { RequestOnTheWay, Watch } from "./transport";

const start = Date.parse("2026-01-01T00:00:00Z");
const collections = ["users", "secrets", "deployments", "supervisedFineTuningJobs"];

/** A service with an account that two teams share, and a machine that provider processes of one of them run on. */
export class Scene {
  readonly clock: VirtualClock = virtualClock(start);
  readonly emulator: Emulator;
  readonly deviating: DeviatingService;
  /** As processes reach it. */
  readonly service: CreatedObjects;
  readonly wire: WireFault[] = [];
  /** What the other team has made, as it was then, by name. */
  readonly theirs = new Map<string, Values>();
  private journal = keptJournal();

  constructor() {
    this.emulator = createEmulator({
      clock: "manual",
      startTime: new Date(start),
      accounts: { acme: "acme-key" },
    });
    this.deviating = new DeviatingService(this.emulator);
    this.service = new CreatedObjects(this.deviating, () => this.live());
    this.setPace();
    this.clock.onAdvance((ms) => this.emulator.world.clock.advance(ms));
  }

  process = (watch: Watch, options: ProcessOptions): ServedProcess => startProcess(this, this.journal, watch, options);

  /** What begins from now on takes so long, as far as deployments are concerned; without a number, a few seconds. */
  setPace = (minutes = 4 / 60): void => this.emulator.world.changeSettings({ speed: 4 / minutes }, "acme");

  /** From now on processes run on a machine that knows nothing. */
  move(): void {
    this.journal = keptJournal();
  }

  /** Objects of the account, tombstones left out, by name. */
  live(): Map<string, Values> {
    const objects = [...this.emulator.world.all()].map(({ fields }) => fields as Values);
    return new Map(objects.filter(isLive).map((object) => [String(object["name"]), object]));
  }

  /** Names and natural keys of what was started and is not recorded in any state. */
  begun = async (): Promise<Set<string>> =>
    new Set([...this.open().flatMap(placesOf), ...this.service.named(this.doubts())]);

  /** The program hears that the state holds an object. */
  settle = async ({ urn, id, kind, outputs }: Pick<HeldResource, "urn" | "id" | "kind" | "outputs">): Promise<void> =>
    void (await recordHeld(this.journal, { urn, kind, spec: specOf(kind), id, outputs, at: this.clock.now() }));

  /** The same with what has refused a create, and may be what it has made. */
  doubts = (): Set<string> => new Set(this.attempts().flatMap(placesOf));

  /** Whether a create under one of the URNs has begun the object. */
  isOwn = async (urns: readonly string[], object: string): Promise<boolean> =>
    this.open().some(({ urn, place }) => urns.includes(urn) && isAbout(place, this.live().get(object)));

  /** What the machine remembers, one history for each stack. */
  private histories(): OwnershipHistory[] {
    const facts = new Map<string, Fact[]>();
    for (const fact of this.journal.facts()) {
      const stack = stackOf(fact.urn);
      facts.set(stack, [...(facts.get(stack) ?? []), fact]);
    }
    return [...facts.values()].map((each) => new OwnershipHistory(each));
  }

  private attempts = (): CreateAttempt[] => this.histories().flatMap((history) => history.open());

  /** Creates whose end no process has seen; what has refused one may be another team's. */
  private open = (): CreateAttempt[] => this.attempts().filter(({ isRefused }) => !isRefused);

  /** Names of what a stack has had last and has not given up, as the end of a `destroy` names it. */
  heldBy = ({ stack, project }: StackName): Set<string> =>
    new Set(
      this.histories()
        .flatMap((history) => history.held())
        .filter(({ holder }) => stackOf(holder!) === stackOf(urnOf("User", "any", { stack, project })))
        .map(({ identity }) => identity.name),
    );

  object = (name: string): Values | undefined => this.emulator.world.get(name)?.fields;

  /** The object with the values that no answer shows. */
  look = (name: string): { fields: Values; hidden?: Values | undefined } | undefined => {
    const object = this.emulator.world.get(name);
    return object && (isLive(object.fields) || object.kind === "PolicySettings") ? object : undefined;
  };

  async strike(kind: string, verb: string, title: string, skip: number, times: number): Promise<void> {
    const fault = faultCases.find((each) => each.title === title)!;
    const { collection, operations } = specOf(kind)!;
    if (operations[verb] === undefined) return;
    await strike(this, { kind, collection, verb }, fault, { title: "", skip, times });
  }

  fault = async (fault: unknown): Promise<void> => void (await this.control("POST", "faults", fault));

  async clearFaults(): Promise<void> {
    this.wire.length = 0;
    await this.control("DELETE", "faults");
    // What is not seen yet is seen after some looks.
    for (const name of this.live().keys())
      for (let look = 0; look < 4; look += 1) await this.send("GET", `/v1/${name}`);
  }

  /** A request of somebody who is not under test. */
  async send(method: string, path: string, body?: Values, query: Record<string, string> = {}): Promise<void> {
    const headers = { authorization: "Bearer acme-key", "content-type": "application/json" };
    await this.emulator.handle({ method, path, query: new Map(Object.entries(query)), headers, body });
  }

  /** The other team makes what a request of ours is about to make, with a content of its own. */
  async rival({ path, query, body }: RequestOnTheWay): Promise<void> {
    const before = this.live();
    const content = altered(body as Values);
    await this.send("POST", path, content, Object.fromEntries(query));
    const made = madeByRival(before, this.live(), content, query.get("deploymentId"));
    if (made) this.theirs.set(...made);
  }

  /** Deletes an object for good, whoever made it. */
  async discard(name: string): Promise<void> {
    // A service does not delete what it is still creating.
    while (this.object(name)?.["state"] === "CREATING") await this.rest();
    await this.send("DELETE", `/v1/${name}`, undefined, name.includes("/deployments/") ? { hard: "true" } : {});
    await this.rest();
  }

  /** The other team deletes an object, and makes one of its own under the same name. */
  async seize(name: string): Promise<void> {
    const [, , collection, id] = name.split("/");
    const { createTime: _, state: __, ...fields } = this.object(name)!;
    await this.discard(name);
    const query = { [`${collection!.slice(0, -1)}Id`]: id! };
    await this.send("POST", `/v1/accounts/acme/${collection}`, altered(fields), query);
    const made = this.live().get(name);
    if (made) this.theirs.set(name, made);
    await this.rest();
  }

  /** Lets everything come to rest. */
  rest = (): Promise<void> => this.clock.sleep(10 * 60_000);

  private async control(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.emulator.fetch(
      new Request(`http://127.0.0.1/_emulator/${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  }
}

/** Names and natural keys of what an attempt may have made. */
const placesOf = ({ created, place }: CreateAttempt): string[] =>
  [created?.name, place.name, place.keyDigest].filter((each) => each !== undefined);

const isLive = ({ name, state }: Values): boolean => {
  const [, account, collection, id] = String(name).split("/");
  const isGone = /(DELETED|DELETING)$/.test(String(state ?? ""));
  return account === "acme" && collections.includes(collection!) && id !== undefined && !isGone;
};
