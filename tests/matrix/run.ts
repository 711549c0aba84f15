import { readFileSync, writeFileSync } from "node:fs";
import type { ResourceState } from "../../provider/state/types";
import type { Sent, Site } from "../e2e/site";
import type { Command, Names } from "./commands";
import type { Declaration, Step } from "./fates";
import type { Group } from "./groups";
import { Model } from "./model";
import { concerns, isLive, type Live, madeAt } from "./sight";
import type { Expected } from "./situation";
import { accountOf, documentOf, faultyUrn, groupType, nameOf, type Subject, urnOf } from "./subject";

/** What became of a subject. */
export interface Seen {
  live: number;
  kept: number;
  entries: number;
  writes: number;
  fails: boolean;
}

/** A subject's way through a command: what was to be, what was, and what is wrong with that. */
export interface Result {
  subject: Subject;
  command: Command;
  expected: Expected;
  seen: Seen;
  /** What does not hold; nothing where all is well. */
  faults: string[];
  /** What the command printed. */
  output: string;
}

const strangers = {
  "deployments/stranger": { baseModel: "accounts/platform/models/open-8b" },
  "models/stranger": { kind: "CUSTOM_MODEL" },
  "users/stranger": { email: "stranger@example.com", role: "user" },
  "secrets/stranger": { keyName: "STRANGER" },
};

/** Brings the subjects to where the command finds them, runs it on their stack, and looks what became of each. */
export async function runStack(site: Site, command: Command, group: Group): Promise<Result[]> {
  const stack = new Stack(site, group);
  await stack.prepare();
  return stack.run(command);
}

class Stack {
  private readonly programs = new Map<Subject, readonly Declaration[]>();
  private readonly models: Map<Subject, Model>;
  private strange = "";

  private readonly subjects: readonly Subject[];

  constructor(
    private readonly site: Site,
    private readonly group: Group,
  ) {
    const { subjects } = group;
    this.subjects = subjects;
    this.models = new Map(subjects.map((subject) => [subject, new Model(subject.variant, subject.fate)]));
  }

  async prepare(): Promise<void> {
    const { site, subjects } = this;
    await site.seed(Object.assign({}, ...["demo", "other"].map((account) => prefixed(strangers, account))));
    for (const subject of subjects) await site.seed(subject.variant.needs?.(subject.tag, accountOf(subject)) ?? {});
    this.strange = this.strangersNow();
    const ups = subjects.map(({ fate }) => fate.steps.filter((step) => "up" in step));
    const rounds = Math.max(1, ...ups.map(({ length }) => length));
    for (const subject of subjects) for (const step of leading(subject.fate.steps)) await this.take(subject, step);
    for (let round = -rounds; round < 0; round += 1) {
      for (const [index, subject] of subjects.entries()) {
        const step = ups[index]!.at(round);
        if (-round > ups[index]!.length || step === undefined) continue;
        this.programs.set(subject, step.up);
        if (step.refuse) await this.refuse(subject, step.refuse);
      }
      const refused = ups.some((steps) => steps.at(round)?.refuse && -round <= steps.length);
      site.declare(this.document({ url: site.url }));
      await site.expect(refused ? 1 : 0, "up");
      await site.clearFaults();
    }
    for (const subject of subjects) for (const step of trailing(subject.fate.steps)) await this.take(subject, step);
  }

  private document(more: Parameters<typeof documentOf>[1]) {
    const said = this.subjects.map((subject) => ({ subject, program: this.programs.get(subject) ?? [] }));
    return documentOf(said, more);
  }

  private refuse({ variant }: Subject, what: "create" | "delete"): Promise<void> {
    const body = { code: 7, message: "not now" };
    return this.site.fault(
      { operation: `${what}${variant.kind}` },
      { kind: "status", status: 403, body },
      { times: null },
    );
  }

  private async take(subject: Subject, step: Step): Promise<void> {
    if ("hand" in step) await this.byHand(subject, step.hand);
    else if ("state" in step) this.inState(subject, step.state);
  }

  private async byHand(subject: Subject, what: "makes" | "removes" | "changes" | "makes again"): Promise<void> {
    const { site } = this;
    const { variant, tag } = subject;
    const name = this.live(subject)[0]?.name;
    if (what === "removes") return site.tamper(name);
    if (what === "changes") return site.tamper(name, variant.byHand);
    const {
      value: _secret,
      onDelete: _o,
      allowLoosening: _a,
      ...inputs
    } = variant.inputs(tag, { content: "first", build: "first" }, accountOf(subject));
    const id = Object.entries(inputs).find(
      ([key]) => key === `${variant.kind[0]!.toLowerCase()}${variant.kind.slice(1)}Id`,
    );
    const { [id?.[0] ?? ""]: _id, ...fields } = inputs;
    const place = `accounts/${accountOf(subject)}/${variant.collection}${variant.singleton ? "" : `/${id?.[1] ?? tag}`}`;
    if (what === "makes again") await site.tamper(name);
    await site.seed({ [what === "makes" ? place : name!]: fields });
  }

  private inState(subject: Subject, what: "pending create" | "twin"): void {
    const { site } = this;
    const file = JSON.parse(readFileSync(site.stateFile, "utf8"));
    const latest = file.checkpoint.latest as { resources: ResourceState[]; pending_operations?: unknown[] };
    const entry = latest.resources.find(({ urn }) => isOf(subject, urn))!;
    if (what === "twin") {
      const twin = urnOf(subject, { name: "twin" });
      latest.resources.push(JSON.parse(JSON.stringify(entry).replaceAll(entry.urn, twin)));
    } else {
      const { id: _id, outputs: _outputs, ...begun } = entry;
      latest.resources = latest.resources.filter((each) => each !== entry);
      latest.pending_operations = [{ resource: begun, type: "creating" }];
    }
    writeFileSync(site.stateFile, JSON.stringify(file));
  }

  async run(command: Command): Promise<Result[]> {
    const { site, subjects } = this;
    const before = new Map(subjects.map((subject) => [subject, this.live(subject)]));
    const failing = subjects.find(({ fate }) => fate.elsewhere);
    for (const subject of subjects) {
      this.programs.set(subject, subject.fate.program);
      if (subject.fate.refused) await this.refuse(subject, "create");
    }
    site.declare(this.document({ url: site.url, changed: true, failing }));
    await site.requests();
    let code: number | null = 0;
    let output = "";
    for (const line of command.lines(this.names())) {
      const ended = await site.run(line);
      code = code === 0 ? ended.code : code;
      output += `$ ${line}\n${ended.output}`;
    }
    await site.clearFaults();
    const writes = await this.writes();
    const results = subjects.map((subject): Result => {
      const live = this.live(subject);
      const seen: Seen = {
        live: live.length,
        kept: live.filter(({ made }) => before.get(subject)!.some((each) => each.made === made)).length,
        entries: this.entries(subject).length,
        writes: writes.filter((request) => concerns(subject, request, [...live, ...before.get(subject)!])).length,
        fails: code !== 0,
      };
      const foreseen = this.models.get(subject)!.command(command.action);
      const expected = live.some(({ made }) => made === undefined) ? { ...foreseen, kept: undefined } : foreseen;
      return { subject, command, expected, seen, faults: differences(expected, seen), output };
    });
    if (this.strangersNow() !== this.strange)
      for (const { faults } of results) faults.push("a stranger's object was touched");
    if (results.every(({ faults }) => faults.length === 0)) await this.recover(command, results);
    return results;
  }

  /** One `up` brings everything to where the program wants it, and then there is nothing left to do. */
  private async recover(command: Command, results: readonly Result[]): Promise<void> {
    const { site, subjects } = this;
    const { verb, leavesOut } = command.action;
    if (!this.group.recovers || leavesOut || !["up", "refresh", "destroy", "taint", "protect"].includes(verb)) return;
    site.declare(this.document({ url: site.url, changed: true }));
    const { code, output } = await site.run("up --refresh");
    let fails = false;
    for (const result of results) {
      const { subject } = result;
      const action = { verb: "up", refreshes: true } as const;
      const expected = this.models.get(subject)!.command(action, subject.fate.program, true);
      fails ||= expected.fails === true;
      const seen = { live: this.live(subject).length, entries: this.entries(subject).length };
      const wrong = differences({ ...expected, kept: undefined, writes: undefined, fails: undefined }, seen);
      result.faults.push(...wrong.map((fault) => `after an \`up\`: ${fault}\n${output}`));
    }
    if ((code !== 0) !== fails)
      for (const { faults } of results) faults.push(`the next \`up\` ended with ${code}:\n${output}`);
    if (fails || subjects.some(({ fate }) => fate.title === "made again outside")) return;
    const preview = await site.run("preview --expect-no-changes");
    if (preview.code !== 0) for (const { faults } of results) faults.push(`the preview after that: ${preview.output}`);
  }

  private names(): Names {
    const { subjects } = this;
    const known = subjects.flatMap((subject) => this.entries(subject).map(({ urn }) => urn));
    const declared = subjects.flatMap((subject) =>
      subject.fate.program.flatMap((declaration) => [
        urnOf(subject, declaration),
        ...(declaration.grouped ? [groupUrn(subject)] : []),
        ...(subject.fate.elsewhere ? [faultyUrn] : []),
      ]),
    );
    const neighbour = (name: string) => this.site.urn("User", name).replace("::declared::", "::matrix::");
    return {
      subjects: [...new Set([...known, ...declared])],
      known: [...new Set(known)],
      recorded: subjects.flatMap((subject) =>
        this.entries(subject)
          .slice(0, 1)
          .map(({ urn }) => urn),
      ),
      base: neighbour("base"),
      beside: neighbour("beside"),
    };
  }

  private strangersNow(): string {
    const all = [...this.site.emulator.world.all()].filter(({ name }) => name.endsWith("/stranger"));
    return JSON.stringify(all.map(({ name, fields }) => [name, fields]).sort());
  }

  /** A subject's live objects: each by name, and by when it was made. */
  private live(subject: Subject): Live[] {
    return [...this.site.emulator.world.all()]
      .filter(({ kind, name, fields }) => isLive(subject, kind, name, fields))
      .map(({ name, fields }) => ({ name, made: madeAt(name, fields["createTime"]) }));
  }

  private entries(subject: Subject): ResourceState[] {
    return this.site.resources().filter(({ urn }) => isOf(subject, urn));
  }

  /** Requests since the last look that have changed something. */
  private async writes(): Promise<Sent[]> {
    return (await this.site.requests()).filter(
      ({ method, status, query }) => method !== "GET" && status >= 200 && status < 300 && !query["validateOnly"],
    );
  }
}

const prefixed = (objects: object, account: string): object =>
  Object.fromEntries(Object.entries(objects).map(([name, fields]) => [`accounts/${account}/${name}`, fields]));

const isUp = (step: Step): boolean => "up" in step;

const leading = (steps: readonly Step[]): readonly Step[] =>
  steps.some(isUp) ? steps.slice(0, steps.findIndex(isUp)) : steps;

const trailing = (steps: readonly Step[]): readonly Step[] =>
  steps.some(isUp) ? steps.slice(steps.findLastIndex(isUp) + 1) : [];

const isOf = ({ tag }: Subject, urn: string): boolean => urn.includes(`::${tag}-`);

const groupUrn = (subject: Subject): string => {
  const above = subject.layout === "a nested copy" ? `${groupType}$` : "";
  return `urn:pulumi:dev::matrix::${above}${groupType}::${nameOf(subject, {}).replace(/-one$/, "-group")}`;
};

function differences(expected: Expected, seen: Partial<Seen>): string[] {
  return (Object.keys(expected) as (keyof Expected)[]).flatMap((key) =>
    expected[key] === undefined || expected[key] === seen[key]
      ? []
      : [`${key}: ${expected[key]} expected, ${seen[key]} seen`],
  );
}
