import type { Lifecycle, ResourceSpec } from "../../provider/core/declaration/resource";
import { listed } from "../../provider/core/schema/rule-sentences";
import { hooksOf } from "../../provider/kinds/index";
import { code, section, table } from "./markdown";

/** What happens to an object of a kind in its life: states and waits, adoption, deletion. All from its declaration. */

const defaultTimeout = "5m";

export function statesAndWaits({ lifecycle, timeouts, singleton }: ResourceSpec): string {
  const patience = timeouts ?? { create: defaultTimeout, update: defaultTimeout, delete: defaultTimeout };
  const limits = `Unless \`timeouts\` or the resource option \`customTimeouts\` says otherwise, create waits at most ${patience.create}, update ${patience.update} and ${singleton ? "a removal" : "delete"} ${patience.delete}. An object that is not ready by then stays recorded in state, and the next \`up\` continues with it.`;
  if (!lifecycle)
    return section(
      "## States and waits",
      "It has no states: an operation is complete when the service answers.",
      limits,
    );
  return section(
    "## States and waits",
    table(["States", "Meaning"], meanings(lifecycle)),
    ...goals(lifecycle),
    lifecycle.failsByStatus
      ? "There is no state for a failure: a `status.code` other than `OK` while the object is not ready is one."
      : "",
    `${limits} While it waits, it looks first after a moment, then as often as earlier waits suggest, at least every ${lifecycle.longestPause}.`,
  );
}

const meanings = ({ moving, ready, failed, resting, gone }: Lifecycle): string[][] =>
  (
    [
      [moving, "moves on by itself, and is waited for"],
      [ready, "where the object is meant to be"],
      [failed, "over, without the desired outcome"],
      [resting, "at rest: it continues only when somebody acts"],
      [gone, "being deleted or deleted: no longer there"],
    ] as const
  )
    .filter(([states]) => states.length > 0)
    .map(([states, meaning]) => [states.map(code).join(", "), meaning]);

function goals({ goals: all }: Lifecycle): string[] {
  if (!all || Object.keys(all).length === 0) return [];
  const rows = Object.entries(all).map(([goal, states]) => [
    code(goal),
    states.includes("*") ? "any state that the service answers" : states.map(code).join(", "),
  ]);
  return [table(["Create waits for", "which is"], rows)];
}

export function adoption(spec: ResourceSpec): string {
  const { kind, singleton, name, fields } = spec;
  const example = name.replace("{account}", "acme").replace(/\{\w+\}/g, "example");
  const modes = singleton
    ? 'The settings of an account always exist. If nothing is set in them, create sets the declared fields. Otherwise it adopts them: with `adopt: "ifEqual"`, the default, only if they are as declared; with `"overwrite"` it changes them; with `"never"` it fails.'
    : 'An object that already exists is an error that names it. `adopt: "ifEqual"` takes it over if it is as declared, `adopt: "overwrite"` takes it over and changes it as declared.';
  const replacing = fields.message.some(({ markers }) => markers.immutable);
  return section(
    "## Adopting an existing object",
    `${modes}${foundBy(spec)}${replacing ? " Inputs whose change would replace the object have to agree in either case." : ""}`,
    `\`npx pulumi-modelplatform codify ${example}\` writes the program for an object, and \`${kind}.get("existing", "${example}")\` reads one without managing it.`,
  );
}

function foundBy({ identity: { decidedBy, naturalKey }, fields: { resourceId } }: ResourceSpec): string {
  const ways = [
    ...(decidedBy === "client" && resourceId ? [code(resourceId.name)] : []),
    ...(naturalKey ? [listed(naturalKey.map(code), "and")] : []),
  ];
  return ways.length === 0 ? "" : ` It is found by ${listed(ways, "or")}.`;
}

export function deletion(spec: ResourceSpec): string {
  const { identity, singleton, produces } = spec;
  const sentences = [
    singleton ? onRemoval(spec) : ends[spec.deletion],
    spec.operations["cancel"] ? "A job that still runs is cancelled first." : "",
    produces ? `The \`${produces.kind}\` that it has created stays.` : "",
    hooksOf(spec).whenUndeletable
      ? "Some services cannot delete such objects: there, `onDeleteUnsupported` decides."
      : "",
    singleton ? "" : "An adopted object stays live, and only leaves the state.",
    identity.neverReplaced ? "It is never replaced: a change that only a replacement could make is refused." : "",
    "`deletionProtection` [keeps it from being deleted](../protection.md).",
  ];
  return section("## Deletion", sentences.filter((sentence) => sentence !== "").join(" "));
}

const ends: Readonly<Record<ResourceSpec["deletion"], string>> = {
  hard: "Deleting the resource deletes the object, and waits until it is gone. Its id is free again.",
  soft: "Deleting the resource soft-deletes the object: a tombstone stays until it is purged, can be undeleted until then, and keeps the id. `deletionMode` changes that.",
  forever: "Deleting the resource deletes the record of the job. Its id is never free again.",
};

const onRemoval = ({ fields }: ResourceSpec): string => {
  const option = fields.behaviours.find(({ name }) => name === "onDelete");
  return `Nothing is deleted. ${option?.description ?? ""} Default: \`${option?.markers.behaviour?.default}\`.`;
};
