import type { Kind } from "./types";

/** A004: where a value is secret, whether a program or the service put it there. */
export const secretPositions: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  Secret: ["value"],
  Deployment: ["directRouteApiKeys"],
  SupervisedFineTuningJob: ["trackingConfig.apiKey", "metricsFileSignedUrl", "trainerLogsSignedUrl"],
  RlorTrainerJob: ["trackingConfig.apiKey"],
};
