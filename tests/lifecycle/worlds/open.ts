/** Worlds that still end otherwise than they should, by the reason. They are left out until it is gone. */
const missing: Readonly<Record<string, readonly string[]>> = {
  "a live value that nobody sent does not speak against it yet": [
    "takes nothing that another team has made, when its clock is a day behind",
    "takes nothing that another team has made, when its clock is an hour ahead",
    "takes nothing that another team has made, when its clock is a month ahead",
    "a Deployment whose create was reset is not another team's, 0 hours later",
    "a Deployment whose create was reset is not another team's, 50 hours later",
    "a Deployment whose create got a 500 is not another team's, 0 hours later",
    "a Deployment whose create got a 500 is not another team's, 50 hours later",
    "a Deployment whose create got a 503 is not another team's, 0 hours later",
    "a Deployment whose create got a 503 is not another team's, 50 hours later",
    "a Deployment whose create was never answered is not another team's, 0 hours later",
    "a Deployment whose create was never answered is not another team's, 50 hours later",
    "a Deployment is not another team's that was made between a 500 and its repetition",
    "a Deployment is not another team's that was made between a 503 and its repetition",
    "a Model whose create was reset is not another team's, 0 hours later",
    "a Model whose create was reset is not another team's, 50 hours later",
    "a Model whose create got a 500 is not another team's, 0 hours later",
    "a Model whose create got a 500 is not another team's, 50 hours later",
    "a Model whose create got a 503 is not another team's, 0 hours later",
    "a Model whose create got a 503 is not another team's, 50 hours later",
    "a Model whose create was never answered is not another team's, 0 hours later",
    "a Model whose create was never answered is not another team's, 50 hours later",
    "a Model is not another team's that was made between a 500 and its repetition",
    "a Model is not another team's that was made between a 503 and its repetition",
    "a SupervisedFineTuningJob whose create was reset is not another team's, 0 hours later",
    "a SupervisedFineTuningJob whose create was reset is not another team's, 50 hours later",
    "a SupervisedFineTuningJob whose create got a 500 is not another team's, 0 hours later",
    "a SupervisedFineTuningJob whose create got a 500 is not another team's, 50 hours later",
    "a SupervisedFineTuningJob whose create got a 503 is not another team's, 0 hours later",
    "a SupervisedFineTuningJob whose create got a 503 is not another team's, 50 hours later",
    "a SupervisedFineTuningJob whose create was never answered is not another team's, 0 hours later",
    "a SupervisedFineTuningJob whose create was never answered is not another team's, 50 hours later",
    "a SupervisedFineTuningJob is not another team's that was made between a 500 and its repetition",
    "a SupervisedFineTuningJob is not another team's that was made between a 503 and its repetition",
  ],
  "marks and automatic ids count for a day only, and with a journal": [
    "leaves a Deployment that up names and asks about, 25 hours later",
    "leaves a Deployment that up names and asks about, a month later",
    "leaves a SupervisedFineTuningJob that up names and asks about, 25 hours later",
    "leaves a SupervisedFineTuningJob that up names and asks about, a month later",
    "leaves a marked Deployment that up finds without asking, a minute later",
    "leaves a marked Deployment that up finds without asking, 25 hours later",
    "leaves a marked Deployment that up finds without asking, a month later",
  ],
  "the end of a create under another URN is not looked for": [
    "is named where the resource is renamed and the engine tells no alias",
    "is named, or found, after its stack was renamed",
  ],
  "nothing looks for interrupted creates that the program no longer declares": [
    "is named by the destroy that deletes the last that is recorded",
  ],
  "the refusal of what cannot change names no command, and `recover: new` is not asked": [
    "at an automatic id is named, with the command that removes it",
    "at a chosen id is named, with the command that removes it",
    "is left alone where the program is told to make a new one",
  ],
  "a state that has lost its entry looks like a forced replacement": [
    "has it named and asked about after state delete, a minute later",
    "has it taken after state delete where the program is told to, a minute later",
    "has it named and asked about after state delete, 25 hours later",
    "has it taken after state delete where the program is told to, 25 hours later",
    "has it named and asked about after state delete, a month later",
    "has it taken after state delete where the program is told to, a month later",
    "makes a second one where it is told to, and says so",
    "whose object has been replaced since does not delete the new one, nor make a third",
  ],
};

const open = new Map(Object.entries(missing).flatMap(([reason, names]) => names.map((name) => [name, reason])));

/** A test in the world's terms: what is live, what is recorded, what was said. */
export const world = (name: string, plays: () => Promise<void>): void =>
  open.has(name) ? test.skip(`${name} (${open.get(name)})`, plays) : test(name, plays);
