import fc from "fast-check";
import { check } from "../../provider/core/check";
import { desiredFields } from "../../provider/core/comparison/desired";
import { changesBetween, type FieldChange } from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { separateRequestFor, updateOf } from "../../provider/core/wire/messages";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { answerFor, type Draw, services } from "./answering-service";
import { checkedInputsOf, specCases } from "./arbitraries";
import { fixedFields, mutableFields, patched, type ServerKind, serverKinds, shapeOwned } from "./patch-servers";
import { outputsFor } from "./records";

const updatable = specCases.filter(([kind]) => mutableFields[kind] !== undefined);
const runs = { numRuns: isNightly ? 14 : 8 };

interface Story {
  live: Values;
  inputs: Values;
  desired: Values;
  changes: readonly FieldChange[];
  recorded: Values;
}

/**
 * A program, the object that was made from it, and a later program that sets
 * some fields again and no longer sets others.
 */
function stories(spec: ResourceSpec): fc.Arbitrary<Story> {
  return fc
    .tuple(checkedInputsOf(spec), checkedInputsOf(spec), services, fc.gen())
    .map(([before, other, service, draw]) => {
      const live = answerFor(draw, service, spec, before);
      const recorded = outputsFor(spec, before, live);
      const inputs = laterProgram(draw, spec, before, other);
      const desired = desiredFields(spec, inputs, recorded["managedFields"] as string[]);
      return { live, inputs, desired, recorded, changes: changesBetween(spec, recorded, inputs) };
    });
}

function laterProgram(draw: Draw, spec: ResourceSpec, before: Values, other: Values): Values {
  const names = [...new Set([...Object.keys(before), ...Object.keys(other)])];
  const fixed = new Set(
    spec.fields.message.filter(({ markers, required }) => markers.immutable || required).map(({ name }) => name),
  );
  const mixed = names.map(
    (name) =>
      [name, fixed.has(name) ? before[name] : draw(fc.constantFrom, before[name], other[name], undefined)] as const,
  );
  const inputs = Object.fromEntries(mixed.filter(([, value]) => value !== undefined));
  return check(spec, {}, inputs).failures.length === 0 ? inputs : before;
}

/** The update and, for fields that have one, the request of their own, as one kind of server takes them. */
function sent(kind: ServerKind, spec: ResourceSpec, { live, desired, changes }: Story): Values {
  const update = updateOf(spec, live, desired, changes);
  const first = update.mask.length === 0 ? live : patched(kind, spec, live, update.mask, update.body);
  const own = spec.fields.message.filter(
    (field) => field.markers.ownRequest && changes.some(({ property }) => property === field.name),
  );
  return own.reduce(
    (stored, field) =>
      patched(kind, spec, stored, [field.name], {
        ...update.body,
        ...separateRequestFor(field, live, desired).message,
      }),
    first,
  );
}

/** Options of the provider, as an update records them. */
function optionsOf({ fields }: ResourceSpec, inputs: Values): Values {
  const names = [...fields.behaviours, ...fields.directives].map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, inputs[name]]));
}

longerAtNight(() => {
  test.each(updatable)(
    "an update of %s does what the program wants, whatever the server does with masks",
    (_, spec) => {
      fc.assert(
        fc.property(stories(spec), fc.constantFrom(...serverKinds), (story, kind) => {
          const after = sent(kind, spec, story);
          const left = changesBetween(
            spec,
            {
              ...optionsOf(spec, story.inputs),
              ...after,
              managedFields: story.recorded["managedFields"],
              resolutions: story.recorded["resolutions"],
            },
            story.inputs,
          );
          expect(
            left.filter(
              ({ effect, property }) =>
                effect === "update" && !(property === "deploymentShape" && story.inputs[property] === "default"),
            ),
          ).toEqual([]);
        }),
        runs,
      );
    },
  );

  test.each(updatable)("an update of %s loses nothing else, whatever the server makes of the mask", (_, spec) => {
    fc.assert(
      fc.property(stories(spec), fc.constantFrom(...serverKinds), (story, kind) => {
        const after = sent(kind, spec, story);
        const moved = story.changes.some(({ property }) => property === "deploymentShape");
        const compared = spec.fields.message.filter(({ name }) => !(moved && shapeOwned.includes(name)));
        const besides = (object: Values) =>
          Object.fromEntries(
            compared.map((field) => [field.name, others(field, story.desired[field.name], object[field.name])]),
          );
        expect(besides(after)).toEqual(besides(story.live));
      }),
      runs,
    );
  });

  test.each(updatable)(
    "the mask of an update of %s is what changed, its body never the service's fields",
    (kind, spec) => {
      fc.assert(
        fc.property(stories(spec), ({ live, desired, changes }) => {
          const { mask, body } = updateOf(spec, live, desired, changes);
          const updated = new Set(
            changes
              .filter(({ effect, property }) => effect === "update" && property !== "annotations")
              .map(({ property }) => property),
          );
          expect(
            mask.map((path) => path.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())).sort(),
          ).toEqual([...updated].sort());
          expect(
            Object.keys(body).filter((name) => ![...mutableFields[kind]!, ...(fixedFields[kind] ?? [])].includes(name)),
          ).toEqual([]);
        }),
        runs,
      );
    },
  );
});

/** What is there besides what the program wants of a field; a value that says nothing is as good as none. */
function others(field: Field, desired: unknown, value: unknown): unknown {
  if (desired === undefined) return said(field, value);
  if (desired === null || typeof desired !== "object" || value === null || typeof value !== "object") return undefined;
  const { keyPrefix, whole } = field.markers;
  if (field.type === "map" && keyPrefix !== undefined)
    return said(field, Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith(keyPrefix))));
  if (field.type !== "object" || whole) return undefined;
  return said(field, Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(desired, name))));
}

function said(field: Field, value: unknown): unknown {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return undefined;
  if (typeof value === "string")
    return value.endsWith("_UNSPECIFIED") || value === field.markers.unsetValue ? undefined : value;
  if (typeof value !== "object") return value;
  if (field.type !== "object") return Object.keys(value).length === 0 ? undefined : value;
  const members = Object.entries(value).map(
    ([name, member]) =>
      [name, said(field.fields?.find((candidate) => candidate.name === name) ?? field, member)] as const,
  );
  const rest = members.filter(([, member]) => member !== undefined);
  return rest.length === 0 && field.markers.zero !== "value" ? undefined : Object.fromEntries(rest);
}
