import { groupBy } from "../provider/core/values/group-by";
import {
  createActions,
  createRules,
  formerActions,
  formers,
  inPlaceOfRecorded,
  type Relation,
  relations,
} from "../provider/lifecycle/ownership/verdicts";
import { table } from "./pages/markdown";

/** The tables by which the life cycle decides about ownership, in words. */
export function ownershipTables(): string {
  return [
    "### What an object can be",
    table(["", "meaning"], Object.values(relations)),
    "### A create meets an object",
    table(
      ["id", "the object is", "`adopt`", "`recover`", "what happens"],
      createRules.map(({ id, relation, adopt, recover, verdict }) => [
        idsText(id),
        list(relation?.map((each) => relations[each][0])),
        settings(adopt),
        settings(recover),
        createActions[verdict],
      ]),
    ),
    "### Before a create: the object that the resource had before",
    table(
      ["where it is", "the state lacks it", "`adopt`", "`recover`", "it can become as declared", "what happens"],
      formers.map(({ place, isLost, adopt, recover, fits, verdict }) => [
        list(place?.map((each) => (each === "same" ? "where the create goes" : "elsewhere"))),
        yesOrNo(isLost),
        settings(adopt),
        settings(recover),
        yesOrNo(fits),
        formerActions[verdict],
      ]),
    ),
    "### Another object has the name of the recorded one",
    table(
      ["the other object is", "`refresh`", "`up`"],
      alike(inPlaceOfRecorded).map(([names, { read, change }]) => [list(names), readText[read], changeText[change]]),
    ),
  ].join("\n\n");
}

const readText = {
  accept: "becomes the recorded object",
  drop: "the record is removed: the other resource has one",
  show: "shown as a change; still not this stack's",
};

const changeText = {
  continue: "continues with it",
  replace: "creates another object",
  refuse: "refused until the program accepts it",
};

/** Names of relations that have the same outcome. */
function alike<Outcome>(outcomes: Readonly<Record<Relation, Outcome>>): [names: string[], outcome: Outcome][] {
  const groups = groupBy(Object.keys(relations) as Relation[], (relation) => JSON.stringify(outcomes[relation]));
  return [...groups.values()].map((group) => [group.map((each) => relations[each][0]), outcomes[group[0]!]]);
}

const idsText = (ids: readonly string[] | undefined): string =>
  ids === undefined ? "any" : ids.includes("automatic") ? "automatic" : "chosen, natural key";

const settings = (values: readonly string[] | undefined): string => list(values?.map((value) => `\`${value}\``));

const yesOrNo = (values: readonly boolean[] | undefined): string =>
  list(values?.map((value) => (value ? "yes" : "no")));

const list = (values: readonly string[] | undefined): string => values?.join(", ") ?? "any";
