import { answeredFields } from "../../filters/answered-fields";
import { compileFilter } from "../../filters/filter";
import { InvalidFilterError } from "../../filters/grammar";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";

const deployment: Values = {
  name: "accounts/demo/deployments/chat",
  displayName: "Chat of the Front Desk",
  baseModel: "accounts/platform/models/open-8b",
  state: "READY",
  minReplicaCount: 1,
  maxReplicaCount: 4,
  enableAddons: true,
  createTime: "2030-01-02T03:04:05Z",
  annotations: { "custom/team": "web", env: "prod", "a.b": "c" },
  autoscalingPolicy: { scaleUpWindow: "90s", loadTargets: { default: 0.5 } },
  placement: { regions: ["US_IOWA_1", "EU_FRANKFURT_1"] },
  directRouteApiKeys: ["k1"],
};

const policy: Values = {
  name: "accounts/demo/policySettings",
  rules: [
    { model: "accounts/platform/models/a", permissions: { allowTraining: true } },
    { model: "accounts/platform/models/b", permissions: { allowTraining: false } },
  ],
};

const keeps = (filter: string, object: Values = deployment, spec: unknown = specs.Deployment): boolean =>
  compileFilter(filter, answeredFields(spec as ResourceSpec))?.(object) ?? true;

const refusal = (filter: string, spec: unknown = specs.Deployment): string => {
  try {
    compileFilter(filter, answeredFields(spec as ResourceSpec));
  } catch (error) {
    if (error instanceof InvalidFilterError) return `${error.at}: ${error.message}`;
    throw error;
  }
  return "accepted";
};

test.each([
  ["state = READY"],
  ['state="READY"'],
  ["state != FAILED"],
  ["state = READ*"],
  ["display_name = 'Chat*'"],
  ['displayName = "*Front*"'],
  ['display_name:"front desk"'],
  ["display_name > A"],
  ["description = ''"],
  ["min_replica_count = 1"],
  ["max_replica_count >= 4"],
  ["minReplicaCount > -5"],
  ["max_with_revocable_replica_count < 1"],
  ["enable_addons = true"],
  ["enable_hot_load = false"],
  ["enable_hot_load != true"],
  ["create_time > 2030-01-01T00:00:00Z"],
  ['create_time < "2030-01-02T05:04:05.5+01:00"'],
  ['create_time >= "2030-01-02"'],
  ["NOT delete_time:*"],
  ["delete_time != 2030-01-01T00:00:00Z"],
  ["autoscaling_policy.scale_up_window = 1.5m"],
  ["autoscaling_policy.scale_up_window > 89s"],
  ["autoscaling_policy.load_targets.default = 0.5"],
  ["autoscaling_policy:*"],
  ["autoscaling_policy:scale_up_window"],
  ["annotations:env"],
  ['annotations:"custom/team"'],
  ["annotations.env = prod"],
  ["annotations.custom/team:we"],
  ['annotations."a.b" = c'],
  ["placement.regions:US_IOWA_1"],
  ["placement.regions:*"],
  ["precision = PRECISION_UNSPECIFIED"],
  ["base_model:(open-8b OR open-70b)"],
  ["state = (READY OR FAILED) AND min_replica_count = 1"],
  ["state = FAILED OR min_replica_count = 1"],
  ["-state = FAILED"],
  ["-(state = FAILED AND min_replica_count = 1)"],
  ["state = READY min_replica_count = 1"],
  ["front"],
  ["'front desk'"],
  ["open-8b AND NOT open-70b"],
  ["  "],
])("a filter that fits keeps the object: %s", (filter) => {
  expect(keeps(filter)).toBe(true);
});

test.each([
  ["state = FAILED"],
  ["state = ready"],
  ["description:*"],
  ["min_replica_count != 1"],
  ["purge_time < 2030-01-01T00:00:00Z"],
  ["annotations:team"],
  ["annotations.team != web"],
  ["placement.regions:AP_TOKYO_1"],
  ["autoscaling_policy.scale_to_zero_window < 1h"],
  ['display_name = "Chat"'],
  ['display_name = "Chat\\*"'],
  ["elsewhere"],
  ["auto_tune:*"],
])("a filter that does not fit drops the object: %s", (filter) => {
  expect(keeps(filter)).toBe(false);
});

test.each([
  ["rules.model:accounts/platform/models/b", true],
  ["rules.model:platform", true],
  ["rules.permissions.allow_training:false", true],
  ["rules.model:elsewhere", false],
  ["rules:*", true],
])("the members of a list's elements are asked for with a colon: %s", (filter, kept) => {
  expect(keeps(filter, policy, specs.PolicySettings)).toBe(kept);
});

test("OR binds tighter than AND", () => {
  expect(keeps("state = FAILED AND min_replica_count = 9 OR min_replica_count = 1")).toBe(false);
  expect(keeps("min_replica_count = 1 OR state = FAILED AND min_replica_count = 9")).toBe(false);
  expect(keeps("(state = FAILED AND min_replica_count = 9) OR min_replica_count = 1")).toBe(true);
});

test("factors side by side bind tighter than AND and looser than OR", () => {
  expect(keeps("min_replica_count = 1 state = FAILED OR state = READY")).toBe(true);
  expect(keeps("min_replica_count = 9 state = FAILED OR state = READY")).toBe(false);
});

test("an e-mail address is compared without letter case", () => {
  expect(keeps("email = Ada@Example.com", { email: "ada@example.COM" }, specs.User)).toBe(true);
});

test("a 64-bit number is compared as a number beyond what a float holds", () => {
  const model = { baseModelDetails: { parameterCount: "9007199254740993" } };
  expect(keeps("base_model_details.parameter_count > 9007199254740992", model, specs.Model)).toBe(true);
});

test("a number that the service keeps with 32 bits is found by the program's number", () => {
  expect(keeps("learning_rate = 0.0001", { learningRate: Math.fround(0.0001) }, specs.SupervisedFineTuningJob)).toBe(
    true,
  );
});

test.each([
  ["nonsense = 1", "1: invalid filter: unknown field `nonsense` at character 1"],
  ["state = READY AND placement.zone = x", "29: invalid filter: unknown field `zone` at character 29"],
  ["stat = READY", "1: invalid filter: unknown field `stat` at character 1; did you mean `state`?"],
  ["displayname = x", "1: invalid filter: unknown field `displayname` at character 1; did you mean `display_name`?"],
  ["state =", "8: invalid filter: expected a value after `=` at character 8, found the end"],
  ["state = = READY", "9: invalid filter: expected a value after `=` at character 9, found `=`"],
  ["(state = READY", "15: invalid filter: expected `)` at character 15, found the end"],
  ["state = READY)", "14: invalid filter: expected AND, OR or the end at character 14, found `)`"],
  ["AND state = READY", "1: invalid filter: expected a field or a value at character 1, found `AND`"],
  ["state = READY OR", "17: invalid filter: expected a field or a value at character 17, found the end"],
  ["(state=READY)(state=READY)", "14: invalid filter: expected a space at character 14, found `(`"],
  ['state = "READY', '9: invalid filter: the string that begins at character 9 does not end; close it with "'],
  ["state ! READY", "7: invalid filter: unexpected `!` at character 7"],
  ["- state = READY", "3: invalid filter: the `-` before character 3 must touch what it negates"],
  ["regex(state)", "1: invalid filter: functions such as `regex(…)` at character 1 are not supported; compare a field"],
  [
    "enable_addons",
    "1: invalid filter: `enable_addons` at character 1 compares nothing; write `enable_addons = …` or `enable_addons:*`",
  ],
  [
    "enable_addons = yes",
    "17: invalid filter: `yes` at character 17 does not fit `enable_addons`, which takes `true` or `false`",
  ],
  [
    "min_replica_count = many",
    "21: invalid filter: `many` at character 21 does not fit `min_replica_count`, which takes a number",
  ],
  [
    "create_time > yesterday",
    '15: invalid filter: `yesterday` at character 15 does not fit `create_time`, which takes a time such as "2030-01-31T00:00:00Z"',
  ],
  [
    "autoscaling_policy.scale_up_window = 5",
    "38: invalid filter: `5` at character 38 does not fit `scale_up_window`, which takes a duration such as 300s",
  ],
  [
    "state > READY",
    "9: invalid filter: `state` has no order; compare it with `=` or `!=` instead of `>` before character 9",
  ],
  ["annotations = x", "1: invalid filter: `annotations` at character 1 is not a single value; ask with `:`, not `=`"],
  ["name.first = x", "6: invalid filter: `name` has no field `first`, at character 6"],
  [
    "direct_route_api_keys:k1",
    "1: invalid filter: `direct_route_api_keys` at character 1 is secret and cannot be asked for",
  ],
  [
    `${"(".repeat(101)}state = READY${")".repeat(101)}`,
    "101: invalid filter: more than 100 parentheses inside each other at character 101",
  ],
])("a filter that cannot be is refused with its place: %s", (filter, message) => {
  expect(refusal(filter)).toBe(message);
});

test("a list of messages is not compared, and what is asked of its elements is named", () => {
  expect(refusal("rules.model = a", specs.PolicySettings)).toBe(
    "7: invalid filter: `rules` is a list: `model` of its elements, at character 7, is asked for with `:`, not `=`",
  );
  expect(refusal("rules:a", specs.PolicySettings)).toBe(
    "6: invalid filter: the elements of `rules` have fields; name one before the `:` at character 6",
  );
});

test("a value that is never answered cannot be asked for", () => {
  expect(refusal("value = x", specs.Secret)).toBe("1: invalid filter: unknown field `value` at character 1");
  expect(refusal("tracking_config.api_key = x", specs.SupervisedFineTuningJob)).toBe(
    "17: invalid filter: unknown field `api_key` at character 17",
  );
  expect(refusal("tracking_config.project = x", specs.SupervisedFineTuningJob)).toBe("accepted");
});

test("a closed enum takes none but its values", () => {
  expect(refusal("residency = EUROPA", specs.PolicySettings)).toContain(
    "takes one of MULTI_REGION_UNSPECIFIED, GLOBAL, US",
  );
});
