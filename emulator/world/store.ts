import { randomUUID } from "node:crypto";
import { memoize } from "../../provider/core/values/once";
import type { DialectTable } from "../../provider/core/wire/vocabulary";
import { timestamp } from "../timestamps";
import type { EmulatorClock, Role, Settings, StoredObject, World } from "../types";
import { fillCatalogue } from "./catalogue";
import { Agenda, ObjectStore } from "./objects";

interface ClockOptions {
  kind: "real" | "manual";
  /** Emulated seconds per second of the machine, for a real clock. Default: 1. */
  speed?: number;
  /** Where a manual clock begins, in milliseconds since 1970. Default: the start of 2026. */
  start?: number | undefined;
  /** The machine's time in milliseconds since 1970. Default: `Date.now`. */
  machine?: () => number;
}

const manualStart = Date.UTC(2026, 0, 1);

export function createClock({ kind, speed = 1, start = manualStart, machine = Date.now }: ClockOptions): EmulatorClock {
  return kind === "manual" ? manualClock(start) : realClock(speed, machine);
}

function manualClock(start: number): EmulatorClock {
  let time = start;
  return {
    kind: "manual",
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    resumeAt: (past) => {
      time = past;
    },
    setSpeed: () => undefined,
  };
}

function realClock(initialSpeed: number, machine: () => number): EmulatorClock {
  let speed = initialSpeed;
  let since = machine();
  let time = since;
  const now = () => time + (machine() - since) * speed;
  const rebase = (at: number) => {
    since = machine();
    time = at;
  };
  return {
    kind: "real",
    now,
    advance: () => {
      throw new Error("a real clock cannot be advanced; start the emulator with `--clock manual`");
    },
    // A world that ran ahead of the machine's time continues where it was, so that no timestamp goes backwards.
    resumeAt: (past) => rebase(Math.max(past, machine())),
    setSpeed: (next) => {
      rebase(now());
      speed = next;
    },
  };
}

/** The default dialect. */
export const ourWords: DialectTable = { fields: {}, values: {} };

export const defaultSettings: Settings = {
  speed: 1,
  patch: "mask",
  maskPaths: "strict",
  fixedFields: "pass",
  validateOnly: "honor",
  enums: "closed",
  strict: false,
  softDelete: true,
  errorStyle: "flat",
  emitUnset: false,
  unknownFields: "refuse",
  userDelete: "allow",
  annotationsPatch: "allow",
  missingSecret: 404,
  denied: 403,
  externalKeyReady: false,
  permissionPreset: "inference-user",
  shapeless: "allow",
  uploads: "refuseRetained",
  inputOnly: "hidden",
  deploymentInUse: "unload",
  dialect: ourWords,
  models: "any",
  unmaskedForm: "plain",
  scalars: "plain",
  listKey: null,
  listOff: [],
  getOff: [],
  gone: "plain",
  compress: "none",
  emptyWrites: "object",
  etag: false,
  textForm: "plain",
  ignoreId: false,
  wrongName: false,
};

/** Loaded lazily: most worlds start without due transitions. */
const services = memoize(() => require("../services/table") as typeof import("../services/table"));

interface WorldOptions {
  /** Default: a real clock. */
  clock?: EmulatorClock;
  /** For all accounts; absent settings are as in `defaultSettings`. */
  settings?: Partial<Settings> | undefined;
  /** Whether `accounts/platform` has its models and shapes. Default: true. */
  catalogue?: boolean;
  /** Where ids and signatures come from. Default: random. */
  uuid?: (() => string) | undefined;
}

interface Key {
  account: string;
  role: Role;
}

/** What a snapshot holds; plain JSON. */
interface Snapshot {
  version: 1;
  time: number;
  keys: [string, Key][];
  settings: Partial<Settings>;
  accountSettings: [string, Partial<Settings>][];
  objects: StoredObject[];
}

/**
 * The world of one emulator. Stored objects are values: a change puts a new one in place. Transitions that are due
 * happen when anything is read, in the order of their times, so that no timer runs and an idle object costs nothing.
 */
export function createWorld(options: WorldOptions = {}): World {
  const store = new Store(
    options.clock ?? createClock({ kind: "real", speed: options.settings?.speed ?? 1 }),
    options.settings ?? {},
    options.uuid ?? randomUUID,
  );
  if (options.catalogue !== false) fillCatalogue(store);
  return store;
}

class Store implements World {
  readonly keys = new Map<string, Key>();
  private readonly objects = new ObjectStore();
  private readonly agenda = new Agenda();
  private readonly before = new Map<string, StoredObject>();
  private readonly listeners: ((name?: string) => void)[] = [];
  private readonly accountSettings = new Map<string, Partial<Settings>>();
  private readonly merged = new Map<string, Settings>();
  private settling = false;

  constructor(
    readonly clock: EmulatorClock,
    private settings: Partial<Settings>,
    readonly uuid: () => string,
  ) {}

  get(name: string): StoredObject | undefined {
    this.applyDueTransitions();
    return this.objects.get(name);
  }

  put(object: StoredObject): void {
    const old = this.objects.get(object.name);
    if (old) this.before.set(object.name, old);
    this.objects.put(object);
    if (object.plan?.[1]) this.agenda.add(object.plan[1].at, object.name);
    this.changed(object.name);
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    if (!old) return;
    this.before.set(name, old);
    this.objects.remove(name);
    this.changed(name);
  }

  list(kind: string, account?: string): StoredObject[] {
    this.applyDueTransitions();
    return this.objects.list(kind, account);
  }

  all(): Iterable<StoredObject> {
    this.applyDueTransitions();
    return this.objects.all();
  }

  previous(name: string): StoredObject | undefined {
    return this.before.get(name);
  }

  removeKey(key: string): void {
    if (this.keys.delete(key)) this.changed();
  }

  setKey(key: string, account: string, role: Role): void {
    this.keys.set(key, { account, role });
    const opened = newAccount(account, this.clock.now());
    if (role !== "superuser" && !this.objects.get(opened.name)) this.put(opened);
    this.changed();
  }

  settingsOf(account: string): Settings {
    let settings = this.merged.get(account);
    if (!settings)
      this.merged.set(
        account,
        (settings = { ...defaultSettings, ...this.settings, ...this.accountSettings.get(account) }),
      );
    return settings;
  }

  changeSettings(change: Partial<Settings>, account?: string): void {
    if (account === undefined) this.settings = { ...this.settings, ...change };
    else this.accountSettings.set(account, { ...this.accountSettings.get(account), ...change });
    if (account === undefined && change.speed !== undefined) this.clock.setSpeed(change.speed);
    this.merged.clear();
    this.changed();
  }

  snapshot(): Snapshot {
    this.applyDueTransitions();
    return {
      version: 1,
      time: this.clock.now(),
      keys: [...this.keys],
      settings: this.settings,
      accountSettings: [...this.accountSettings],
      objects: [...this.objects.all()],
    };
  }

  restore(snapshot: unknown): void {
    const { time, keys, settings, accountSettings, objects } = snapshot as Snapshot;
    this.objects.clear();
    this.agenda.clear();
    this.before.clear();
    this.keys.clear();
    this.accountSettings.clear();
    this.merged.clear();
    this.clock.resumeAt(time);
    this.settings = settings;
    if (settings.speed !== undefined) this.clock.setSpeed(settings.speed);
    for (const [key, owner] of keys) this.keys.set(key, owner);
    for (const [account, own] of accountSettings) this.accountSettings.set(account, own);
    for (const object of objects) {
      this.objects.put(object);
      if (object.plan?.[1]) this.agenda.add(object.plan[1].at, object.name);
    }
    this.changed();
  }

  onChange(listener: (name?: string) => void): void {
    this.listeners.push(listener);
  }

  private changed(name?: string): void {
    for (const listener of this.listeners) listener(name);
  }

  /** Processes everything that is due. Handlers may read the world, which is then as far as it has got. */
  private applyDueTransitions(): void {
    if (this.settling) return;
    this.settling = true;
    try {
      const now = this.clock.now();
      for (let due = this.agenda.takeDue(now); due !== undefined; due = this.agenda.takeDue(now)) {
        const object = this.objects.get(due.name);
        if (object?.plan?.[1]?.at === due.at) services().arrive(this, object);
      }
    } finally {
      this.settling = false;
    }
  }
}

/** A new account. */
function newAccount(account: string, now: number): StoredObject {
  const name = `accounts/${account}`;
  const fields = {
    name,
    displayName: account,
    email: `owner@${account}.example.com`,
    createTime: timestamp(now),
    updateTime: timestamp(now),
    suspendState: "UNSUSPENDED",
    status: { code: "OK" },
  };
  return { kind: "Account", name, fields };
}
