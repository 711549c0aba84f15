import fc from "fast-check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import type { Values } from "../values";
import { valueOf } from "./arbitraries";

/**
 * A service that keeps what it is sent and answers it in any of the ways that conventions allow: lists in
 * another order, defaults for what nobody set, unset values spelt out or left out, 32-bit numbers, durations in
 * seconds, another letter case, shapes resolved.
 */

/** Draws a value: the generator of fast-check. */
export type Draw = fc.GeneratorValue;

const unspecified = ({ values, markers }: Field): unknown =>
  values?.find((value) => value.endsWith("_UNSPECIFIED")) ?? markers.unsetValue;

/** The value that an answer may as well leave out (A094). */
export const zeroOf = (field: Field): unknown =>
  ({
    string: field.values ? unspecified(field) : "",
    integer: 0,
    number: 0,
    boolean: false,
    array: [],
    map: {},
    object: null,
    any: null,
  })[field.type];

const isZero = (field: Field, value: unknown): boolean => JSON.stringify(value) === JSON.stringify(zeroOf(field));

/**
 * Left out, or spelt out; a message also as one in which nothing is set, unless being there says something by itself.
 */
function unset(draw: Draw, field: Field): unknown {
  if (draw(fc.boolean)) return undefined;
  const spelt = field.type === "object" && field.markers.zero !== "value" && draw(fc.boolean);
  return spelt
    ? Object.fromEntries(
        (field.fields ?? [])
          .map((member) => [member.name, unset(draw, member)])
          .filter(([, value]) => value !== undefined),
      )
    : zeroOf(field);
}

const defaultTexts: Readonly<Record<string, string>> = {
  duration: "77s",
  resolvedVersion: "accounts/platform/deploymentShapes/s9/versions/v1",
};

/** What the service goes back to when a program clears a field for which it has a default. */
const defaultOf = (field: Field): unknown =>
  ({
    string: field.values?.at(-1) ?? defaultTexts[field.markers.sameAs ?? ""] ?? "made up",
    integer: 7,
    number: 7,
    boolean: true,
    array: [],
    map: {},
    object: {},
    any: null,
  })[field.type];

export interface AnsweringService {
  /** What is behind a field that the program clears with `null`. */
  clearedTo: "unset" | "default";
  /** It gives another id than the one asked for (A016). */
  namesAnew: boolean;
}

export const services: fc.Arbitrary<AnsweringService> = fc.record({
  clearedTo: fc.constantFrom("unset", "default"),
  namesAnew: fc.boolean(),
});

const nanosIn: Readonly<Record<string, bigint>> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};

/** A time span as JSON of messages has it: seconds, with as many decimals as it takes. */
export function protobufDuration(text: string): string {
  const [, count, unit] = /^(\d+)(\w+)$/.exec(text)!;
  const nanos = BigInt(count!) * nanosIn[unit!]!;
  const decimals = String(nanos % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanos / 1_000_000_000n}${decimals === "" ? "" : `.${decimals}`}s`;
}

/** The names of answered shapes: what `default` stands for, and what a name that holds no version stands for. */
const resolved = (sent: string): string =>
  sent === "default" ? "accounts/platform/deploymentShapes/s9/versions/v2" : `${sent}/versions/v2`;

/** What the service keeps of a value that was sent. */
function kept(draw: Draw, service: AnsweringService, field: Field, sent: unknown, whole: boolean): unknown {
  const { sameAs, setOf, float32, keyPrefix } = field.markers;
  if (typeof sent === "number") return float32 ? Math.fround(sent) : sent;
  if (typeof sent === "string") {
    if (sameAs === "duration") return protobufDuration(sent);
    if (sameAs === "letterCase") return draw(fc.constantFrom, sent, sent.toLowerCase(), sent.toUpperCase());
    return sameAs === "resolvedVersion" && sent !== "" ? resolved(sent) : sent;
  }
  if (Array.isArray(sent)) {
    const entries = sent.map((entry) => kept(draw, service, field.item!, entry, true));
    return setOf ? draw(fc.shuffledSubarray, entries, { minLength: entries.length }) : entries;
  }
  if (field.type === "object" && sent !== null)
    return keptMembers(draw, service, field, sent as Values, whole || field.markers.whole === true);
  return keyPrefix !== undefined && draw(fc.boolean) ? { ...(sent as Values), bare: "of the platform" } : sent;
}

function keptMembers(draw: Draw, service: AnsweringService, field: Field, sent: Values, whole: boolean): Values {
  const declared = (field.fields ?? []).map(
    (member) => [member.name, answered(draw, service, member, sent[member.name], whole)] as const,
  );
  const undeclared = Object.entries(sent).filter(([name]) => !field.fields?.some((member) => member.name === name));
  const later = field.open && draw(fc.boolean) ? { addedLater: draw(fc.nat) } : {};
  return Object.fromEntries([
    ...Object.entries(later),
    ...undeclared,
    ...declared.filter(([, value]) => value !== undefined),
  ]);
}

/**
 * What an answer has for a field of which the program said `sent`; in a `whole` message nothing is left to the service.
 */
function answered(draw: Draw, service: AnsweringService, field: Field, sent: unknown, whole: boolean): unknown {
  const { inputOnly, volatile, recordedOnly, deprecated, outputOnly, zero, alwaysSent } = field.markers;
  if (inputOnly) return undefined;
  if (volatile) return `https://storage.example.com/metrics?signature=${draw(fc.nat)}`;
  if (recordedOnly || deprecated !== undefined || outputOnly)
    return draw(fc.boolean) ? unset(draw, field) : draw(valueOf, field);
  if (alwaysSent && (sent === undefined || sent === null))
    return sent === null ? defaultOf(field) : draw(valueOf, field);
  if (sent === undefined)
    return whole || draw(fc.boolean) ? unset(draw, field) : kept(draw, service, field, draw(valueOf, field), whole);
  if (sent === null && service.clearedTo === "default" && !whole) return defaultOf(field);
  if (sent === null) return zero === "value" ? undefined : unset(draw, field);
  const value = kept(draw, service, field, sent, whole);
  return isZero(field, value) && !field.required ? unset(draw, field) : value;
}

/** The object as it is answered after a create with `inputs`. */
export function answerFor(draw: Draw, service: AnsweringService, spec: ResourceSpec, inputs: Values): Values {
  const message = spec.fields.message.map(
    (field) => [field.name, answered(draw, service, field, inputs[field.name], false)] as const,
  );
  const outputs = spec.fields.outputs.map(
    (field) => [field.name, draw(fc.boolean) ? draw(valueOf, field) : undefined] as const,
  );
  const id =
    spec.identity.answerWins && service.namesAnew
      ? "anew"
      : spec.fields.resourceId && inputs[spec.fields.resourceId.name];
  const standing = spec.lifecycle && { state: spec.lifecycle.ready[0], status: { code: "OK" } };
  const answer = {
    ...Object.fromEntries([...message, ...outputs]),
    ...(draw(fc.boolean) && { fieldOfTomorrow: 1 }),
    name: `accounts/acme/${spec.collection}/${String(id ?? "one")}`,
    ...standing,
  };
  return Object.fromEntries(
    Object.entries(answer).filter(
      ([name, value]) => value !== undefined && !["retired", ...Object.keys(spec.derived)].includes(name),
    ),
  );
}
