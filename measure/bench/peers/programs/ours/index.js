// As many objects of one kind as PEERS says, by this package: `{ "kind", "count", "edit", "entry" }`. Another edit is a
// change of every one of them. A service account is a secret of 2.3 KB.
const { createHash } = require("node:crypto");

const { kind, count, edit, entry } = JSON.parse(process.env.PEERS);
const platform = require(entry);

const letters = (seed, length) =>
  createHash("shake256", { outputLength: length }).update(seed).digest("base64").slice(0, length);

const serviceAccount = (index) =>
  JSON.stringify({
    type: "service_account",
    private_key_id: letters(`id ${index}`, 40),
    private_key: `-----BEGIN PRIVATE KEY-----\n${letters(`key ${index}`, 1600).replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`,
    client_email: "deployer@acme.example",
    token_uri: "https://oauth2.example.com/token",
    scopes: Array.from({ length: 8 }, (_, at) => `https://www.example.com/auth/scope-of-a-service-${at}`),
  });

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
  // Without an id, which is then made from the name.
  Fleet: (index) => ({
    baseModel: "accounts/platform/models/open-8b",
    deploymentShape: "default",
    displayName: `model ${index}, edit ${edit}`,
    maxReplicaCount: 2,
  }),
  Secret: (index) => ({ keyName: `KEY_${index}`, value: letters(`${edit} ${index}`, 40) }),
  ServiceAccount: (index) => ({ keyName: `ACCOUNT_${index}`, value: serviceAccount(index) }),
};

const constructors = { ...platform, Fleet: platform.Deployment, ServiceAccount: platform.Secret };

for (let index = 0; index < count; index++) new constructors[kind](`r${index}`, inputs[kind](index));
