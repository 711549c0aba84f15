import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { IJob } from "kubernetes-models/batch/v1";
import { parseAllDocuments } from "yaml";
import { repository } from "../e2e/engines";
import type { Values } from "../values";

export interface Manifest extends Values {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/** The documents of a file of the example. */
export const manifestsIn = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(repository, "examples/scale", file), "utf8")).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as Manifest;
  });

export const cluster = manifestsIn("kubernetes/drift.yaml");

/** What a CronJob, or `kubectl create job --from`, makes of its template. */
export const jobs = cluster
  .filter(({ kind }) => kind === "CronJob")
  .map(({ metadata, spec }) => {
    const { jobTemplate } = spec as { jobTemplate: { spec: NonNullable<IJob["spec"]> } };
    return { apiVersion: "batch/v1", kind: "Job", metadata, spec: jobTemplate.spec } satisfies IJob & Manifest;
  });

export type ScaleJob = (typeof jobs)[number];

export const jobNamed = (name: string): ScaleJob => jobs.find(({ metadata }) => metadata.name === name)!;

/** The one container of a Job. */
export const containerOf = ({ spec }: ScaleJob) => spec.template.spec!.containers[0]!;
