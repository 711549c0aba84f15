import * as pulumi from "@pulumi/pulumi";
import { DeployedModel, Deployment } from "pulumi-modelplatform";

const config = new pulumi.Config();
const active = config.get("active") ?? "blue";
const model = config.get("model") ?? "accounts/platform/models/open-8b";

// Two ways to serve the same model. Try the next one on the colour that is at rest.
const shapes = {
    blue: "accounts/platform/deploymentShapes/open-8b-fast",
    green: "accounts/platform/deploymentShapes/open-8b-throughput",
};

export const addresses = Object.entries(shapes).map(([colour, deploymentShape]) => {
    const deployment = new Deployment(colour, {
        baseModel: model,
        deploymentShape,
        // The one at rest goes down to zero by itself, and is there within minutes when it is asked.
        minReplicaCount: colour === active ? 1 : 0,
        maxReplicaCount: 2,
        disableAutoDeploy: true,
    });
    // Only the active colour claims the model's name; the service takes it from the other at the same moment.
    const served = new DeployedModel(colour, { model, deployment: deployment.name, ...(colour === active && { default: true }) });
    return pulumi.interpolate`${served.model}#${served.deployment}`;
});

export const answering = active;
