import * as pulumi from "@pulumi/pulumi";
import { Deployment } from "pulumi-modelplatform";

const config = new pulumi.Config();
const idle = config.get("idle") ?? "30m";

/** Replicas kept when idle, replicas allowed, and the load that one replica is to carry. */
const fleet: Record<string, { least: number; most: number; load: Record<string, number> }> = {
  "open-8b": { least: 1, most: 4, load: { default: 0.7 } },
  "embed-400m": { least: 0, most: 8, load: { requests_per_second: 200 } },
  "vision-12b": { least: 0, most: 2, load: { concurrent_requests: 16 } },
};

const deployments = Object.entries(fleet).map(
  ([model, { least, most, load }]) =>
    new Deployment(model, {
      baseModel: `accounts/platform/models/${model}`,
      deploymentShape: "default",
      minReplicaCount: least,
      maxReplicaCount: most,
      autoscalingPolicy: {
        scaleUpWindow: "30s",
        scaleDownWindow: "10m",
        loadTargets: load,
        // Only where none has to be kept. The first request after a pause waits for a replica.
        ...(least === 0 && { scaleToZeroWindow: idle }),
      },
      annotations: { "custom/fleet": pulumi.getStack() },
    }),
);

export const names = deployments.map((deployment) => deployment.name);
