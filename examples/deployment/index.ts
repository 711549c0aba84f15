import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "pulumi-modelplatform";

const config = new pulumi.Config();

const chat = new Deployment("chat", {
  baseModel: config.get("baseModel") ?? "accounts/platform/models/open-8b",
  // The service picks a validated shape for the model; the output says which one, and what it consists of.
  deploymentShape: "default",
  displayName: "Chat",
  annotations: { "custom/team": "assistants" },
  minReplicaCount: 1,
  maxReplicaCount: config.getNumber("maxReplicaCount") ?? 2,
  placement: { multiRegion: "EUROPE" },
  timeouts: { create: "45m" },
});

export const name = chat.name;
export const shape = chat.deploymentShape;
export const hardware = pulumi.interpolate`${chat.acceleratorCount} x ${chat.acceleratorType}, ${chat.precision}`;
export const region = chat.region;
