import * as pulumi from "@pulumi/pulumi";
import { User } from "pulumi-modelplatform";

const config = new pulumi.Config();
const domain = config.get("domain") ?? "example.com";

const team = { ada: "admin", grace: "contributor", alan: "inference-user" } as const;

const people = Object.entries(team).map(([name, role]) => new User(name, { email: `${name}@${domain}`, role }));

// No person, so no address: the id says who it is.
const pipeline = new User("pipeline", {
  userId: "pipeline",
  serviceAccount: true,
  displayName: "Nightly training",
  role: "contributor",
});

// What this one may do is what the preset says. Should the service not delete users, it ends with the least of rights.
const auditor = new User("auditor", {
  email: `audit@${domain}`,
  role: "custom",
  permissionPreset: "auditor",
  onDeleteUnsupported: "demote",
});

export const users = [...people, pipeline, auditor].map((user) => user.name);
