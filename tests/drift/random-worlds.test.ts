import fc from "fast-check";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isCompared, isUnset } from "../../provider/core/fields/equality";
import type { Field } from "../../provider/core/fields/fields";
import { managedSpecs } from "../../provider/resources/index";
import { type AnsweringService, answerFor, type Draw, services } from "../core/answering-service";
import { checkedInputsOf } from "../core/arbitraries";
import { changedByHand } from "../core/changed-by-hand";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { createScene } from "./support/scene";
import { type RecordedResource, recordedStack, secretText, stateOf } from "./support/stacks";

/** How many worlds; the full proof takes 1,000. */
const numRuns = Number(process.env["DRIFT_WORLDS"] ?? (isNightly ? 100 : 40));

type Fate = "same" | "changed" | "missing" | "unmanaged";

interface Lot {
  fate: Fate;
  spec: ResourceSpec;
  recorded: RecordedResource;
  /** The live object; undefined where it is gone. */
  live: Values | undefined;
  /** The field that someone changed. */
  changed?: string;
}

/** Secrets are ciphertext in a state. */
function sealed(spec: ResourceSpec, recorded: RecordedResource): RecordedResource {
  const { outputs } = stateOf(recorded, "urn") as { outputs: Values };
  const secrets = spec.fields.message
    .filter(({ name, markers }) => markers.secret && outputs[name] !== undefined)
    .map(({ name }) => [name, secretText("v1:x")]);
  return { ...recorded, outputs: Object.fromEntries(secrets) };
}

/**
 * What the service answers the next time: what nobody sets and somebody
 * watches is as it was, in one spelling or another.
 */
function answeredAgain(
  draw: Draw,
  service: AnsweringService,
  spec: ResourceSpec,
  inputs: Values,
  first: Values,
): Values {
  const again = { ...answerFor(draw, service, spec, inputs), name: first["name"], state: first["state"] };
  const watched = spec.fields.message.filter(({ name, markers }) => markers.watched && inputs[name] === undefined);
  return {
    ...again,
    ...Object.fromEntries(watched.map((field) => [field.name, respelt(draw, field, first[field.name])])),
  };
}

function respelt(draw: Draw, field: Field, value: unknown): unknown {
  if (isUnset(field, value)) return draw(fc.constantFrom, value, undefined);
  return Array.isArray(value) && field.markers.setOf ? [...value].reverse() : value;
}

/** One object, what a stack records of it, and what has become of it. */
function lot(draw: Draw, service: AnsweringService, spec: ResourceSpec, index: number): Lot {
  const inputs = draw(checkedInputsOf, spec);
  const name = spec.singleton ? "accounts/acme/policySettings" : `accounts/acme/${spec.collection}/object-${index}`;
  const first = { updateTime: "2026-01-01T00:00:00Z", ...answerFor(draw, service, spec, inputs), name };
  const recorded = sealed(spec, { kind: spec.kind, inputs, live: first });
  const again = answeredAgain(draw, service, spec, inputs, first);
  // Another creation time would make it another object.
  const { createTime } = first as Record<string, unknown>;
  const live = { updateTime: "2026-02-01T00:00:00Z", ...again, createTime };
  const fate: Fate = draw(fc.constantFrom, "same", "same", "changed", "missing", "unmanaged");
  if (fate === "missing") return { fate, spec, recorded, live: undefined };
  if (fate === "changed") {
    const comparable = spec.fields.message.filter(
      (field) =>
        isCompared(field) &&
        !field.markers.secret &&
        changedByHand(field, inputs[field.name], live[field.name as keyof typeof live]) !== undefined,
    );
    if (comparable.length > 0) {
      const field = draw(fc.constantFrom, ...comparable);
      return {
        fate,
        spec,
        recorded,
        live: {
          ...live,
          [field.name]: changedByHand(field, inputs[field.name], live[field.name as keyof typeof live]),
        },
        changed: field.name,
      };
    }
    return { fate: "same", spec, recorded, live };
  }
  return { fate, spec, recorded, live };
}

const isFinal = ({ deletion }: ResourceSpec): boolean => deletion === "forever";

/** What a scan must say of it: `undefined` where it must say nothing. */
function expected({ fate, spec }: Lot): string | undefined {
  if (fate === "changed") return "changed";
  if (fate === "missing") return isFinal(spec) ? "retired" : "missing";
  if (fate === "unmanaged") return isFinal(spec) ? undefined : "unmanaged";
  return undefined;
}

longerAtNight(() => {
  test("in random worlds every real change is found, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.boolean(), fc.gen(), async (service, emitUnset, draw) => {
        const specs = draw(fc.shuffledSubarray<ResourceSpec>, [...managedSpecs], { minLength: 1, maxLength: 5 });
        const lots = specs.map((spec, index) => lot(draw, service, spec, index));
        const scene = createScene({ settings: { emitUnset } });
        for (const { spec, live } of lots)
          if (live) scene.emulator.world.put({ kind: spec.kind, name: String(live["name"]), fields: live });
        // What jobs have made is there, but where it is an object of these worlds itself.
        for (const { recorded, spec } of lots.filter(({ fate }) => fate !== "unmanaged")) {
          const made = spec.produces && stateOf(recorded, "urn")["outputs"];
          const output = String((made as Values | undefined)?.[spec.produces?.name ?? ""] ?? "");
          if (output.startsWith("accounts/acme/models/") && !scene.emulator.world.get(output))
            scene.put(output, { kind: "HUB_PEFT_ADDON", state: "READY" });
        }
        const report = await scene.scan(
          [recordedStack(lots.filter(({ fate }) => fate !== "unmanaged").map(({ recorded }) => recorded))],
          { accounts: ["acme"], unmanaged: true },
        );
        const told = report.findings
          .filter(({ verdict }) => verdict !== "unverifiable")
          .map(({ type, verdict, changes }) => [
            type,
            verdict,
            [...new Set(changes.map(({ path }) => /^\w+/.exec(path)![0]))],
          ]);
        const wanted = lots.flatMap((each) =>
          expected(each) === undefined
            ? []
            : [[each.spec.kind, expected(each), each.changed === undefined ? [] : [each.changed]]],
        );
        expect(told.sort()).toEqual(wanted.sort());
        expect(report.complete).toBe(true);
      }),
      { numRuns },
    );
  });
});
