// Many resources of one kind, as FLEET says: `{ "kind", "count", "edit" }`. Another edit
// is a change of every one of them in place.
const platform = require("pulumi-modelplatform");

const { kind, count, edit } = JSON.parse(process.env.FLEET);

const inputs = {
  Deployment: () => ({
    baseModel: "accounts/platform/models/open-8b",
    deploymentShape: "default",
    displayName: `edit ${edit}`,
  }),
  Secret: (index) => ({ keyName: `KEY_${index}`, value: `value of edit ${edit}` }),
};

for (let index = 0; index < count; index++) new platform[kind](`r${index}`, inputs[kind](index));
