import { appendFileSync } from "node:fs";
import type { Site } from "../e2e/site";
import { dynamicHost, type ResourceHost } from "../random/hosts";
import { type Cell, cells } from "./cells";
import { type Command, commands } from "./commands";
import { defectOf } from "./defects";
import { groupsOf, type StackGroup } from "./groups";
import { record } from "./record";
import { runStack, type SubjectResult } from "./run";
import type { Subject } from "./subject";

/** Opens a site of its own for each stack. */
export type OpenStackSite = () => Promise<Site>;

export interface Extent {
  /** What runs the commands, in words. */
  engine: string;
  /** Default: dynamic resources. */
  host?: ResourceHost;
  /** Of the fates that need a stack of their own, one in so many runs. Default: each. */
  alone?: number;
  /** Tries nothing twice. */
  once?: boolean;
}

/** One test per command: what became of every resource under it is what had to, known defects aside. */
export function testMatrix(open: OpenStackSite, { engine, host = dynamicHost, alone = 1, once = false }: Extent): void {
  const all = cells(host);
  test.each(commands.map((command) => [command.title, command] as const))(
    "`%s` leaves every object with its owner",
    async (_, command) => {
      const subjects = all.filter((cell) => cell.command === command).flatMap((cell) => cell.subjects);
      const results: SubjectResult[] = [];
      const groups = groupsOf(command, subjects).filter(
        (group, index) => group.subjects.length > 1 || (index + 1) % alone === 0,
      );
      const play = once ? playOnce : playUntilTold;
      for (const group of groups) results.push(...(await play(open, command, group)));
      note(command, all, results);
      record(engine, command, results);
      expect(results.flatMap(told)).toEqual([]);
    },
    3_600_000,
  );
}

/**
 * Those in whose stack something went wrong are tried again with fewer beside them: it may have been another's fault.
 */
async function playUntilTold(open: OpenStackSite, command: Command, group: StackGroup): Promise<SubjectResult[]> {
  const { subjects, recovers } = group;
  const found = await playOnce(open, command, group).catch((error: Error) => {
    if (subjects.length === 1) throw new Error(`${titleOf(subjects[0]!)}: ${error.message}`, { cause: error });
    return [];
  });
  if (subjects.length === 1) return found;
  const good = found.filter(({ faults }) => faults.length === 0);
  const rest = subjects.filter((subject) => !good.some((result) => result.subject === subject));
  const middle = Math.ceil(rest.length / 2);
  const halves = [rest.slice(0, middle), rest.slice(middle)].filter(({ length }) => length > 0);
  const again: SubjectResult[] = [];
  for (const half of halves) again.push(...(await playUntilTold(open, command, { subjects: half, recovers })));
  return [...good, ...again];
}

async function playOnce(open: OpenStackSite, command: Command, group: StackGroup): Promise<SubjectResult[]> {
  const site = await open();
  try {
    return await runStack(site, command, group);
  } finally {
    await site.close();
  }
}

function told({ command, subject, faults, output }: SubjectResult): string[] {
  const defect = defectOf(command, subject);
  if (defect && faults.length > 0) return [];
  if (defect)
    return [`${titleOf(subject)}: strike it from defects.ts, it is as it should be (known: ${defect.reason})`];
  return faults.length === 0 ? [] : [`${titleOf(subject)}: ${faults.join("; ")}\n${output}`];
}

const titleOf = ({ fate, variant, layout }: Subject): string => `${fate.title} (${variant.title}, ${layout})`;

/** Where `MATRIX_OUT` names a file, what was seen goes there: one line of JSON per cell. */
function note(command: Command, all: readonly Cell[], results: readonly SubjectResult[]): void {
  const file = process.env["MATRIX_OUT"];
  if (!file) return;
  const lines = all
    .filter((cell) => cell.command === command)
    .map(({ fate, reason, subjects }) => {
      const seen = results.filter(({ subject }) => subjects.includes(subject));
      return {
        command: command.title,
        fate: fate.title,
        ...(reason !== undefined && { reason }),
        seen: seen.map(({ subject, seen: { live, entries, writes, fails }, faults }) => ({
          ...{ kind: subject.variant.title, layout: subject.layout, live, entries, writes, fails, faults },
        })),
      };
    });
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
