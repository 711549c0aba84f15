import { ModelPlatformError } from "../../provider/core/errors";
import { sendReduced } from "../../provider/lifecycle/changes/smaller-body";
import { specOf } from "../../provider/resources/index";
import { rejection } from "../rejection";
import type { Values } from "../values";

const spec = specOf("Deployment")!;
const body = {
  baseModel: "accounts/acme/models/m",
  placement: { region: "US_IOWA_1" },
  displayName: null,
  autoscalingPolicy: { scaleUpWindow: null, scaleDownWindow: "60s" },
};
const mask = ["display_name", "autoscaling_policy"];

const refusal = (serviceMessage: string, status = 400): ModelPlatformError =>
  new ModelPlatformError("refused", { status, serviceMessage });

/** Sends `body` to a service that answers the error that `judge` makes of it. */
async function sent(
  judge: (body: Values) => Error | undefined,
  masked = mask,
): Promise<{ bodies: Values[]; error?: unknown }> {
  const bodies: Values[] = [];
  const send = async (each: Values): Promise<void> => {
    bodies.push(each);
    const error = judge(each);
    if (error) throw error;
  };
  try {
    await sendReduced(spec, body, masked, send);
    return { bodies };
  } catch (error) {
    return { bodies, error };
  }
}

test("what cannot change is left out where the service refuses it, required or not", async () => {
  const placed = await sent((each) => ("placement" in each ? refusal("placement is immutable") : undefined));
  expect(placed.bodies.map((each) => Object.keys(each))).toEqual([
    ["baseModel", "placement", "displayName", "autoscalingPolicy"],
    ["baseModel", "displayName", "autoscalingPolicy"],
  ]);
  const based = await sent((each) => ("baseModel" in each ? refusal("base_model cannot be updated") : undefined));
  expect(based.bodies.at(-1)).toEqual({ displayName: null, autoscalingPolicy: body.autoscalingPolicy });
  expect(based.error).toBeUndefined();
});

test("null is left out where the service refuses it and the mask clears", async () => {
  const judge = (each: Values): Error | undefined =>
    each["displayName"] === null ? refusal("displayName: null is not a string") : undefined;
  const { bodies, error } = await sent(judge);
  const { displayName: _, ...rest } = body;
  expect([bodies, error]).toEqual([[body, { ...rest, autoscalingPolicy: { scaleDownWindow: "60s" } }], undefined]);
  expect((await sent(judge, [])).bodies).toHaveLength(1);
});

test("a body that is refused to the end is refused in the first words", async () => {
  const first = refusal("placement is immutable");
  const judge = (each: Values): Error => ("placement" in each ? first : refusal("something else"));
  expect(await sent(judge)).toMatchObject({ bodies: { length: 2 }, error: first });
});

test.each([
  ["a refusal of a value", refusal("max_replica_count must be at least 1")],
  ["a refusal that is none of the body", refusal("placement is immutable", 403)],
  ["another error", new Error("placement is immutable")],
])("%s is not answered by sending less", async (_, error) => {
  expect(await sent(() => error)).toEqual({ bodies: [body], error });
});

test("a failure of the smaller body is not hidden", async () => {
  const lost = new Error("lost");
  const judge = (each: Values): Error => ("placement" in each ? refusal("placement is immutable") : lost);
  expect(await rejection(sent(judge).then(({ error }) => Promise.reject(error)))).toBe(lost);
});
