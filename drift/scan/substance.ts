import { alsoRecorded } from "./finding";
import { type Change, type Finding, isRedacted } from "./finding-document";

/**
 * What somebody has decided on who accepts a finding, or one of its changes: whatever of it becomes another one is to
 * be decided again. The object, and the path of the change, are beside it.
 */
export function substanceOf(finding: Finding, change: Change | undefined): object {
  const { verdict, ruleId, updateTime } = finding;
  const reason = lastingReason(finding);
  // What a policy says of an object names the values that it objects to.
  if (!change) return verdict === "breach" ? { ruleId, reason } : { verdict, ruleId, reason };
  return {
    value: change.live,
    // Nobody has seen the value: it stays the same one only while the object does.
    ...(holdsRedacted(change.live) && { updateTime }),
    ...(ruleId === "drift/failed" && change.path === "state" && { reason }),
    ...alsoRecorded(finding),
  };
}

/** As the first baselines had it, for entries that are to be written again. */
export const formerSubstanceOf = ({ verdict }: Finding, change: Change | undefined): object =>
  change ? { value: change.live } : { verdict };

/** Without what each request has of its own. */
const lastingReason = ({ reason }: Finding): string => reason.replace(/request id [^\s,)]+|after \d+ attempts/g, "");

const holdsRedacted = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (isRedacted(value) || Object.values(value).some((member) => holdsRedacted(member)));
