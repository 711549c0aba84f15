import { closest, didYouMean } from "../../provider/core/values/did-you-mean";

const fields = [
  "baseModel",
  "displayName",
  "maxReplicaCount",
  "minReplicaCount",
  "acceleratorType",
  "acceleratorCount",
  "placement",
];
const roles = ["admin", "user", "contributor", "inference-user", "custom"];
const states = ["US", "GLOBAL", "EUROPE", "APAC"];

test.each<[string, readonly string[], string]>([
  ["basModel", fields, "baseModel"],
  ["basemodel", fields, "baseModel"],
  ["base_model", fields, "baseModel"],
  ["acceleratortype", fields, "acceleratorType"],
  ["minReplicasCount", fields, "minReplicaCount"],
  ["placment", fields, "placement"],
  ["Admin", roles, "admin"],
  ["inference_user", roles, "inference-user"],
  ["us", states, "US"],
  ["apac", states, "APAC"],
  ["EUROP", states, "EUROPE"],
])("%s is a misspelling (of %j: %s)", (given, known, meant) => {
  expect(closest(given, known)).toBe(meant);
});

test.each<[string, readonly string[]]>([
  ["somethingElse", fields],
  ["owner", roles],
  ["UK", states],
  ["USA", states],
  ["used", roles],
  ["", roles],
  ["x", []],
])("%s is no misspelling of any of %j", (given, known) => {
  expect(closest(given, known)).toBeUndefined();
});

test("of two the nearer one is meant", () => {
  expect(closest("maxReplicaCoun", fields)).toBe("maxReplicaCount");
  expect(closest("FP8_MM_V22", ["FP8_MM", "FP8_MM_V2"])).toBe("FP8_MM_V2");
});

test("a hint is the end of a sentence, or nothing", () => {
  expect(didYouMean("basModel", fields)).toBe("; did you mean `baseModel`?");
  expect(didYouMean("somethingElse", fields)).toBe("");
});

const more = [...fields, "draftModel", "maxWithRevocableReplicaCount", "deploymentTemplate", "dataset"];

test.each<[string, string]>([
  ["maxReplicas", "; did you mean `maxReplicaCount`?"],
  ["model", "; did you mean `baseModel` or `draftModel`?"],
  ["replicas", "; did you mean `maxReplicaCount` or `minReplicaCount`?"],
  ["gpuCount", "; did you mean `acceleratorCount`?"],
  ["trainingData", "; did you mean `dataset`?"],
  ["datasetName", "; did you mean `dataset`?"],
  ["owner", ""],
])("%s has words of another name, or says one with more words", (input, hinted) => {
  expect(didYouMean(input, more)).toBe(hinted);
});

const regions = ["US_OHIO_1", "EU_FRANKFURT_1", "EU_ICELAND_1", "EU_ICELAND_2", "EU_NETHERLANDS_1", "AP_TOKYO_1"];
const kinds = ["HUB_PEFT_ADDON", "HUB_TEFT_ADDON", "ENGINE_ADDON", "CUSTOM_MODEL"];

test.each<[string, readonly string[], string]>([
  ["EU", regions, "one of `EU_FRANKFURT_1`, `EU_ICELAND_1`, `EU_ICELAND_2`, …"],
  ["eu-west-1", regions, "one of `EU_FRANKFURT_1`, `EU_ICELAND_1`, `EU_ICELAND_2`, …"],
  ["frankfurt", regions, "`EU_FRANKFURT_1`"],
  ["tokyo", regions, "`AP_TOKYO_1`"],
  ["asia", regions, "`AP_TOKYO_1`"],
  ["EU", ["US", "CANADA", "EUROPE"], "`EUROPE`"],
  ["USA", ["US", "CANADA", "EUROPE"], "`US`"],
  ["LORA", kinds, "`HUB_PEFT_ADDON`"],
  ["administrator", roles, "`admin`"],
  ["rank", ["baseModel", "r", "targetModules"], "`r`"],
])("%s is what people call one of %j", (given, known, meant) => {
  expect(didYouMean(given, known)).toBe(`; did you mean ${meant}?`);
  expect(closest(given, known)).toBeUndefined();
});

test("a longer value is no longer word for a shorter one", () => {
  expect(didYouMean("US_IOWA_9", states)).toBe("");
});
