// As many objects of one kind as PEERS says, by this package: `{ "kind", "count", "edit", "entry" }`. Another edit is a
// change of every one of them.
const { kind, count, edit, entry } = JSON.parse(process.env.PEERS);
const platform = require(entry);

const inputs = {
  User: (index) => ({
    userId: `u${index}`,
    email: `user-${index}@example.com`,
    role: "user",
    displayName: `edit ${edit}`,
  }),
  Deployment: (index) => ({
    deploymentId: `d${index}`,
    baseModel: "accounts/platform/models/open-8b",
    deploymentShape: "default",
    displayName: `edit ${edit}`,
  }),
};

for (let index = 0; index < count; index++) new platform[kind](`r${index}`, inputs[kind](index));
