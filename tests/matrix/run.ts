import type { Site } from "../e2e/site";
import type { Command } from "./commands";
import type { StackGroup } from "./groups";
import { Model } from "./model";
import { furnish, prepare } from "./preparation";
import { concerns } from "./sight";
import type { Expected } from "./situation";
import { Stack } from "./stack";
import type { Subject } from "./subject";

/** What became of a subject. */
export interface SubjectFate {
  live: number;
  kept: number;
  entries: number;
  writes: number;
  fails: boolean;
}

/** A subject's way through a command: what was to be, what was, and what is wrong with that. */
export interface SubjectResult {
  subject: Subject;
  command: Command;
  expected: Expected;
  seen: SubjectFate;
  /** What does not hold; nothing where all is well. */
  faults: string[];
  /** What the command printed. */
  output: string;
}

type Models = ReadonlyMap<Subject, Model>;

/** Brings the subjects to where the command finds them, runs it on their stack, and looks what became of each. */
export async function runStack(
  site: Site,
  command: Command,
  { subjects, recovers }: StackGroup,
): Promise<SubjectResult[]> {
  const models: Models = new Map(subjects.map((subject) => [subject, new Model(subject.variant, subject.fate)]));
  const stack = new Stack(site, subjects);
  await furnish(stack);
  const strangers = stack.strangers();
  await prepare(stack);
  const results = await run(stack, command, models);
  if (stack.strangers() !== strangers) for (const { faults } of results) faults.push("a stranger's object was touched");
  const { verb, leavesOut } = command.action;
  const isMeant = recovers && !leavesOut && ["up", "refresh", "destroy", "taint", "protect"].includes(verb);
  if (isMeant && results.every(({ faults }) => faults.length === 0)) await recover(stack, results, models);
  return results;
}

async function run(stack: Stack, command: Command, models: Models): Promise<SubjectResult[]> {
  const { site, subjects, programs } = stack;
  const before = new Map(subjects.map((subject) => [subject, stack.live(subject)]));
  for (const subject of subjects) {
    programs.set(subject, subject.fate.program);
    if (subject.fate.refused) await stack.refuse(subject, "create");
  }
  stack.declare({ changed: true, failing: subjects.find(({ fate }) => fate.elsewhere) });
  await site.requests();
  let code: number | null = 0;
  let output = "";
  for (const line of command.lines(stack.names())) {
    const ended = await site.run(line);
    code = code === 0 ? ended.code : code;
    output += `$ ${line}\n${ended.output}`;
  }
  await site.clearFaults();
  const writes = await stack.writes();
  return subjects.map((subject): SubjectResult => {
    const live = stack.live(subject);
    const seen: SubjectFate = {
      live: live.length,
      kept: live.filter(({ made }) => before.get(subject)!.some((each) => each.made === made)).length,
      entries: stack.entries(subject).length,
      writes: writes.filter((request) => concerns(subject, request, [...live, ...before.get(subject)!])).length,
      fails: code !== 0,
    };
    const foreseen = models.get(subject)!.command(command.action);
    const expected = live.some(({ made }) => made === undefined) ? { ...foreseen, kept: undefined } : foreseen;
    return { subject, command, expected, seen, faults: differences(expected, seen), output };
  });
}

/** One `up` brings everything to where the program wants it, and then there is nothing left to do. */
async function recover(stack: Stack, results: readonly SubjectResult[], models: Models): Promise<void> {
  const { site, subjects } = stack;
  stack.declare({ changed: true });
  const { code, output } = await site.run("up --refresh");
  let fails = false;
  for (const { subject, faults } of results) {
    const action = { verb: "up", refreshes: true } as const;
    const expected = models.get(subject)!.command(action, subject.fate.program, true);
    fails ||= expected.fails === true;
    const seen = { live: stack.live(subject).length, entries: stack.entries(subject).length };
    const wrong = differences({ ...expected, kept: undefined, writes: undefined, fails: undefined }, seen);
    faults.push(...wrong.map((fault) => `after an \`up\`: ${fault}\n${output}`));
  }
  if ((code !== 0) !== fails)
    for (const { faults } of results) faults.push(`the next \`up\` ended with ${code}:\n${output}`);
  if (fails || subjects.some(({ fate }) => fate.title === "recreated outside")) return;
  const preview = await site.run("preview --expect-no-changes");
  if (preview.code !== 0) for (const { faults } of results) faults.push(`the preview after that: ${preview.output}`);
}

function differences(expected: Expected, seen: Partial<SubjectFate>): string[] {
  return (Object.keys(expected) as (keyof Expected)[]).flatMap((key) =>
    expected[key] === undefined || expected[key] === seen[key]
      ? []
      : [`${key}: ${expected[key]} expected, ${seen[key]} seen`],
  );
}
