import type { Command } from "./commands";
import { defectOf } from "./defects";
import { Model } from "./model";
import { accountOf, type Subject } from "./subject";

/** Subjects that share a stack. */
export interface StackGroup {
  subjects: Subject[];
  /** An `up` after the command brings all of them to where the program wants them. */
  recovers: boolean;
}

/** Whatever fails ends what others in its stack would still do: it has a stack of its own. The rest stands together. */
export function groupsOf(command: Command, subjects: readonly Subject[]): StackGroup[] {
  const groups: StackGroup[] = [];
  for (const subject of subjects) {
    const recovers = !failsAfter(subject, command);
    const group = isAlone(subject, command)
      ? undefined
      : groups.find((each) => each.recovers === recovers && fits(subject, each, command));
    if (group) group.subjects.push(subject);
    else groups.push({ subjects: [subject], recovers });
  }
  return groups;
}

const fits = (subject: Subject, { subjects }: StackGroup, command: Command): boolean =>
  !isAlone(subjects[0]!, command) && !subjects.some((other) => isInTheWay(other, subject));

/** Settings of one account stand in one stack once, and without deployments, which their residency would refuse. */
const isInTheWay = (one: Subject, other: Subject): boolean =>
  accountOf(one) === accountOf(other) &&
  ((one.variant.singleton === true && minds(other)) || (other.variant.singleton === true && minds(one)));

/** Whether settings in its account are its business. */
const minds = ({ variant: { singleton, kind } }: Subject): boolean => singleton === true || kind === "Deployment";

function isAlone(subject: Subject, command: Command): boolean {
  const { variant, fate } = subject;
  const refused = fate.steps.some((step) => "up" in step && step.refuse !== undefined);
  const isUp = command.action.verb === "up";
  if (refused || defectOf(command, subject) || (isUp && (fate.refused || fate.elsewhere))) return true;
  return new Model(variant, fate).command(command.action).fails !== false;
}

function failsAfter({ variant, fate }: Subject, command: Command): boolean {
  const model = new Model(variant, fate);
  model.command(command.action);
  return model.command({ verb: "up", refreshes: true }, fate.program, true).fails !== false;
}
