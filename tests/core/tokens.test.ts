import { dynamicToken, dynamicUrn, memberOf, pluginToken } from "../../provider/core/pulumi-names";

test("both tokens of a kind stand for it, and no other package's does", () => {
  expect([dynamicToken("User"), pluginToken("User"), "aws:iam:User"].map(memberOf)).toEqual([
    "User",
    "User",
    undefined,
  ]);
});

test("a resource has one URN to the life cycle", () => {
  const urn = "urn:pulumi:dev::shop::modelplatform:index:Deployment$modelplatform:index:DeployedModel::chat";
  const dynamic =
    "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment$pulumi-nodejs:dynamic/modelplatform:DeployedModel::chat";
  expect(dynamicUrn(urn)).toBe(dynamic);
  expect(dynamicUrn(dynamic)).toBe(dynamic);
});
