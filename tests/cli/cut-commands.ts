import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { movingOf } from "../../engine/state/undertaking";
import { Copies } from "../engine/copies";
import { playBoxes } from "../engine/inline-boxes";
import { runHere } from "../engine/runners";
import { stateOf } from "../engine/state-edits";
import { type BoxProgram, type DeclaredBox, Workshop } from "../engine/workshop";
import { withFiles } from "../files/watched";

const boxType = "pulumi-nodejs:dynamic/test:Box";
const groupType = "test:index:Group";
export const urnOf = (name: string, type = boxType, stack = "dev"): string =>
  `urn:pulumi:${stack}::boxes::${type}::${name}`;
export const groupUrn = urnOf("g", groupType);

const box = (name: string, opts: object = {}): DeclaredBox => ({ name, props: { label: name }, opts: { ...opts } });
const [a, kept, stays]: DeclaredBox[] = [box("a"), box("kept", { retainOnDelete: true }), box("stays")];
const group: DeclaredBox[] = [{ name: "g", kind: "group" }, box("child", { parent: "@g" })];

/** What the stacks' programs declare, by what a person means to have. */
export const programs = {
  whole: { resources: [a!, kept!, stays!, ...group] },
  moved: { resources: [a!, kept!, ...group] },
  rest: { resources: [stays!] },
  none: { resources: [] },
} satisfies { [title: string]: BoxProgram };

export interface CutCommand {
  line: string[];
  /** What the world is like before it, beyond the stacks dev and people. */
  prepare?: (world: CutWorld) => void;
}

const moving = ["state", "move", urnOf("a"), urnOf("kept"), groupUrn, "--source", "dev", "--dest", "people", "--yes"];
/** Commands that change more than one file. */
export const commands: { [title: string]: CutCommand } = {
  "stack rename": { line: ["stack", "rename", "live", "--stack", "dev"] },
  "state move": { line: moving },
  "stack rm": { line: ["stack", "rm", "people", "--yes"] },
  "stack init": { line: ["stack", "init", "third"] },
  "config set --secret": {
    line: ["config", "set", "--secret", "word", "x", "--stack", "people"],
    prepare: (world) => writeFileSync(world.configOf("people"), marked("people")),
  },
};

const marked = (stack: string, salt = ""): string => `${salt}config:\n  boxes:mark: ${stack}\n`;

/** The files as a killed command has left them. */
export interface Cut {
  /** What it was about to do. */
  title: string;
  frozen: Workshop;
}

/** Two stacks of one project: dev has boxes, people has none. */
export class CutWorlds extends Copies {
  constructor() {
    super(programs.whole, playBoxes);
  }

  override async begin(): Promise<void> {
    await super.begin();
    const world = new CutWorld(this.template);
    expect(await world.run(["stack", "init", "people", "--no-select"])).toMatchObject({ code: 0 });
    const salt = readFileSync(world.configOf("dev"), "utf8");
    // One salt for all: deriving a key takes long.
    for (const stack of ["dev", "people", "third"]) writeFileSync(world.configOf(stack), marked(stack, salt));
    world.declare(programs.none);
    expect(await world.run(["up", "--yes", "--skip-preview", "--stack", "people"])).toMatchObject({ code: 0 });
  }

  world({ prepare }: CutCommand): CutWorld {
    const world = new CutWorld(this.copy());
    prepare?.(world);
    return world;
  }

  /** The cuts of a command that leave the files in different ways, and the files as it ends whole. */
  async cutsOf(command: CutCommand): Promise<{ cuts: Cut[]; finished: string }> {
    const whole = this.world(command);
    const cuts: Cut[] = [];
    const seen = new Set<string>();
    let changes = 0;
    const look = (change: string, path: string, go: () => Promise<unknown>): Promise<unknown> => {
      changes += 1;
      const picture = whole.picture({ withLocks: true });
      // Without a lock, it has not begun, or has ended.
      if (!seen.has(picture) && whole.locks().length > 0)
        cuts.push({ title: `${changes}: ${change} ${basename(path)}`, frozen: whole.freeze() });
      seen.add(picture);
      return go();
    };
    await withFiles(async () => expect(await whole.run(command.line)).toMatchObject({ code: 0 }), look);
    const finished = whole.picture();
    whole.remove();
    return { cuts, finished };
  }

  /** A world in which the disk is full at the n-th write of a command, and at all that follow if it stays so. */
  async onFullDisk(
    command: CutCommand,
    at: number,
    staysFull: boolean,
  ): Promise<{ world: CutWorld; isReached: boolean }> {
    const world = this.world(command);
    let writes = 0;
    await withFiles(
      () => world.run(command.line),
      (change, _path, go) => {
        if (change !== "write") return go();
        writes += 1;
        const isFull = writes === at || (staysFull && writes > at);
        return isFull ? Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" })) : go();
      },
    );
    return { world, isReached: writes >= at };
  }

  after({ frozen, title }: Cut): CutWorld {
    const workshop = new Workshop();
    lendAll(frozen, workshop);
    playBoxes(workshop);
    const world = new CutWorld(workshop, [`(killed before change ${title})`]);
    world.buryTheDead();
    return world;
  }

  /** The same where somebody has removed the locks, such as with the Pulumi CLI. */
  afterWithoutLocks(cut: Cut): CutWorld {
    const world = this.after(cut);
    world.said.push("(all locks are removed)");
    rmSync(join(world.workshop.backend, ".pulumi/locks"), { recursive: true });
    return world;
  }
}

/** The selection of a stack, too. */
function lendAll(from: Workshop, to: Workshop): void {
  from.lend(to);
  if (existsSync(join(from.folder, "home")))
    cpSync(join(from.folder, "home"), join(to.folder, "home"), { recursive: true });
}

export class CutWorld {
  constructor(
    readonly workshop: Workshop,
    readonly said: string[] = [],
  ) {}

  run = async (line: readonly string[]): Promise<{ code: number; output: string }> => {
    const ended = await runHere(this.workshop, [...line]);
    this.said.push(`$ ${line.join(" ")}\n${ended.output}[${ended.code}]`);
    return ended;
  };

  declare = (program: BoxProgram): void => this.workshop.declare(program);

  configOf = (stack: string): string => join(this.workshop.program, `Pulumi.${stack}.yaml`);

  freeze(): Workshop {
    const frozen = new Workshop();
    lendAll(this.workshop, frozen);
    return frozen;
  }

  locks = (): string[] =>
    filesIn(join(this.workshop.backend, ".pulumi/locks")).filter((name) => name.endsWith(".json"));

  /** Locks name this process, which runs on: they get the start of another one, which had its id. */
  buryTheDead(): void {
    for (const file of this.locks()) {
      const lock = JSON.parse(readFileSync(file, "utf8"));
      lock.lease.process.started = "0";
      writeFileSync(file, JSON.stringify(lock));
    }
  }

  /** Whether a stack has its config, which is that of another one if it owns nothing. */
  hasConfig(stack: string): boolean {
    if (!existsSync(this.configOf(stack))) return false;
    return this.held(stack).length === 0 || /boxes:mark: (dev|people)/.test(readFileSync(this.configOf(stack), "utf8"));
  }

  stacks = (): string[] =>
    readdirSync(join(this.workshop.backend, ".pulumi/stacks/boxes"))
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length));

  /** Names of the boxes that a stack records as its own. */
  held = (stack: string): string[] =>
    stateOf(this.workshop, stack).flatMap(({ type, id }) => (type === boxType ? id! : []));

  live = (): string[] => Object.keys(this.workshop.cloud().boxes);

  /** Boxes of a state that is about to become another stack's. */
  aside(): string[] {
    const folder = join(this.workshop.backend, ".pulumi/stacks/boxes");
    return readdirSync(folder)
      .filter((name) => name.endsWith(".renamed"))
      .flatMap((name) =>
        (
          JSON.parse(readFileSync(join(folder, name), "utf8")).checkpoint.latest.resources as {
            type: string;
            id: string;
          }[]
        )
          .filter(({ type }) => type === boxType)
          .map(({ id }) => id),
      );
  }

  /** What the files say, but for times and random names. */
  picture({ withLocks = false } = {}): string {
    const { backend, program } = this.workshop;
    const states = this.stacks().map((stack) => {
      const entries = stateOf(this.workshop, stack).map((entry) => {
        const { urn, id, retainOnDelete = false, provider = "", parent = "" } = entry;
        return [
          urn,
          entry.type === boxType ? id : "",
          retainOnDelete,
          provider.split("::").slice(0, 4),
          parent,
          movingOf(entry),
        ];
      });
      return [stack, entries.sort()];
    });
    const names = filesIn(join(backend, ".pulumi"))
      .map((file) => relative(backend, file))
      .filter((name) => !/locks|backups|\.tmp$/.test(name))
      .map((name) => name.replace(/-\d+\./, "-time."));
    const configs = readdirSync(program).filter((name) => /^Pulumi\..+\.yaml$/.test(name));
    const texts = configs.map((name) => [
      name,
      readFileSync(join(program, name), "utf8").replace(/secure: .*/, "secure"),
    ]);
    const locks = withLocks ? this.locks().map((lock) => dirname(lock)) : [];
    return JSON.stringify({ states, names: names.sort(), texts, locks, live: this.live().sort() }, null, 1);
  }

  remove = (): void => this.workshop.remove();
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
