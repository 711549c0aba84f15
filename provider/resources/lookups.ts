/** How a preflight finds what another object refers to, and what it reads there. */

export const models = { kind: "Model", base: "peftDetails.baseModel" } as const;

export const shapes = {
  kind: "DeploymentShapeVersion",
  snapshot: "snapshot",
  model: "snapshot.baseModel",
  latest: "latestValidated",
  hardware: ["acceleratorType", "acceleratorCount", "precision"],
} as const;
