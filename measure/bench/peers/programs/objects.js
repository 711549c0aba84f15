// What programs without this package send. The service chooses the id of a `Fleet`'s deployments.
const model = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

exports.User = {
  collection: "users",
  query: (index) => `userId=u${index}`,
  message: (index, edit) => ({ email: `user-${index}@example.com`, role: "user", displayName: `edit ${edit}` }),
};

exports.Deployment = {
  collection: "deployments",
  query: (index) => `deploymentId=d${index}`,
  message: (_, edit) => ({ ...model, displayName: `edit ${edit}` }),
};

exports.Fleet = {
  collection: "deployments",
  query: () => "",
  message: (index, edit) => ({ ...model, displayName: `model ${index}, edit ${edit}`, maxReplicaCount: 2 }),
};
