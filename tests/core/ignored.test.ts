import {
  type AcceptedUpdate,
  changesBetween,
  type Outcome,
  outcomeOfCreate,
  outcomeOfUpdate,
} from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { specs } from "../../provider/resources/index";
import type { Values } from "../values";

const { Deployment, Model, PolicySettings } = specs as unknown as Readonly<Record<string, ResourceSpec>>;

const deployment = {
  name: "accounts/acme/deployments/chat",
  baseModel: "accounts/acme/models/m1",
  maxReplicaCount: 4,
  state: "READY",
};
const version = "accounts/acme/deploymentShapes/fast/versions/v1";
const policy = { name: "accounts/acme/policySettings" };
const row = (model: string, allowTraining: boolean): Values => ({
  model,
  permissions: { allowServerless: true, allowDedicatedDeployments: true, allowTraining, allowServerlessFast: true },
});

const paths = ({ ignored, refused, kept }: Outcome): Record<keyof Outcome, string[]> => ({
  ignored: ignored.map(({ path }) => path),
  refused: refused.map(({ path }) => path),
  kept: kept.map(({ path }) => path),
});
const nothing = { ignored: [], refused: [], kept: [] };

/** How it is judged when the live object goes from `before` to `after` on behalf of `inputs`. */
function outcome(spec: ResourceSpec | undefined, inputs: Values, before: Values, after: Values): unknown {
  const accepted: AcceptedUpdate = {
    before,
    after,
    changes: changesBetween(spec!, before, inputs).filter(({ effect }) => effect === "update"),
  };
  return paths(outcomeOfUpdate(spec!, inputs, {}, accepted));
}

test.each<[string, ResourceSpec | undefined, Values, Values, Values]>([
  ["the value asked for", Deployment, { maxReplicaCount: 5 }, deployment, { maxReplicaCount: 5 }],
  [
    "the documented default of a cleared field",
    Deployment,
    { maxReplicaCount: null },
    deployment,
    { maxReplicaCount: 1 },
  ],
  [
    "the documented default that was there before",
    Deployment,
    { maxReplicaCount: null },
    { ...deployment, maxReplicaCount: 1 },
    {},
  ],
  [
    "the documented default that follows another field",
    Deployment,
    { minReplicaCount: 3, maxReplicaCount: null },
    { ...deployment, minReplicaCount: 3 },
    { maxReplicaCount: 3 },
  ],
  [
    "a cleared label that is empty",
    Deployment,
    { displayName: null },
    { ...deployment, displayName: "Chat" },
    { displayName: "" },
  ],
  [
    "a draft model that is the base model's, as before",
    Deployment,
    { draftModel: null },
    { ...deployment, draftModel: "accounts/acme/models/d" },
    {},
  ],
  [
    "windows of a scaling policy that are the service's, as before",
    Deployment,
    { autoscalingPolicy: { scaleUpWindow: null } },
    { ...deployment, autoscalingPolicy: { scaleUpWindow: "30s" } },
    {},
  ],
  [
    "what a shape decides",
    Deployment,
    { ngramSpeculationLength: null },
    { ...deployment, deploymentShape: version, ngramSpeculationLength: 3 },
    {},
  ],
  [
    "a number chosen anew",
    Model,
    { contextLength: null },
    { name: "accounts/acme/models/m", contextLength: 8192 },
    { contextLength: 4096 },
  ],
  [
    "a shape that stands for another",
    Deployment,
    { deploymentShape: "accounts/acme/deploymentShapes/best" },
    { ...deployment, deploymentShape: version },
    { deploymentShape: "accounts/platform/deploymentShapes/h200/versions/v2" },
  ],
  [
    "a shape that stands for the one in use",
    Deployment,
    { deploymentShape: "accounts/acme/deploymentShapes/fast" },
    deployment,
    { deploymentShape: version },
  ],
])("made: %s", (_, spec, inputs, before, change) => {
  expect(outcome(spec, inputs, before, { ...before, ...change })).toEqual(nothing);
});

test.each<[string, ResourceSpec | undefined, Values, Values, Values, Partial<Record<keyof Outcome, string[]>>]>([
  ["a value that stays", Deployment, { maxReplicaCount: 5 }, deployment, {}, { ignored: ["maxReplicaCount"] }],
  [
    "a value that is not the one asked for",
    Deployment,
    { maxReplicaCount: 5 },
    deployment,
    { maxReplicaCount: 3 },
    { kept: ["maxReplicaCount"] },
  ],
  [
    "a cleared number that stays and is no default",
    Deployment,
    { maxReplicaCount: null },
    deployment,
    {},
    { ignored: ["maxReplicaCount"] },
  ],
  [
    "a cleared label that stays",
    Deployment,
    { displayName: null },
    { ...deployment, displayName: "Chat" },
    {},
    { ignored: ["displayName"] },
  ],
  [
    "a cleared label that becomes another",
    Deployment,
    { displayName: null },
    { ...deployment, displayName: "Chat" },
    { displayName: "chat" },
    { kept: ["displayName"] },
  ],
  [
    "a shape that stays",
    Deployment,
    { deploymentShape: "accounts/acme/deploymentShapes/best" },
    { ...deployment, deploymentShape: version },
    {},
    { ignored: ["deploymentShape"] },
  ],
  [
    "one label that is taken and one that stays",
    Deployment,
    { annotations: { "custom/a": "2", "custom/b": "2" } },
    { ...deployment, annotations: { "custom/a": "1", "custom/b": "1" } },
    { annotations: { "custom/a": "two", "custom/b": "1" } },
    { ignored: ['annotations["custom/b"]'], kept: ['annotations["custom/a"]'] },
  ],
  [
    "rules of which one is left",
    PolicySettings,
    { rules: null },
    { ...policy, rules: [row("a", true), row("b", true)] },
    { rules: [row("a", true)] },
    { ignored: ["rules.a"] },
  ],
  [
    "a rule that changes and was to go",
    PolicySettings,
    { rules: [row("a", true)] },
    { ...policy, rules: [row("a", true), row("b", true)] },
    { rules: [row("a", true), row("b", false)] },
    { refused: ["rules.b"] },
  ],
])("an update is judged by what it made: %s", (_, spec, inputs, before, change, judged) => {
  expect(outcome(spec, inputs, before, { ...before, ...change })).toEqual({ ...nothing, ...judged });
});

test("an ignored field is judged only where it is among the changes", () => {
  const accepted = { before: deployment, after: deployment, changes: [] };
  expect(outcomeOfUpdate(Deployment!, { maxReplicaCount: 5 }, {}, accepted)).toEqual(nothing);
});

test("a create is judged by all that was sent", () => {
  const inputs = { baseModel: "accounts/acme/models/m2", maxReplicaCount: 5, public: false, draftModel: null };
  const live = { ...deployment, draftModel: "accounts/acme/models/d", public: true };
  expect(paths(outcomeOfCreate(Deployment!, inputs, live))).toEqual({
    ...nothing,
    kept: ["baseModel", "maxReplicaCount"],
  });
  const sealed = outcomeOfCreate(Model!, { public: false }, { name: "accounts/acme/models/m", public: true });
  expect(paths(sealed)).toEqual({ ...nothing, refused: ["public"] });
});
