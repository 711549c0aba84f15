import type { InputEdit } from "./edits";

/** Edits whose preview differs from what `up` does, and why; listed in `docs/dev/measured/previews.md`. */
export const deviations: readonly (Partial<InputEdit> & { reason: string })[] = [
  {
    kind: "Deployment",
    input: "baseModel",
    resource: "embed-400m",
    reason: "the service alone can tell whether a model that it does not know can be served",
  },
  {
    kind: "Deployment",
    input: "baseModel",
    resource: "vision-12b",
    reason: "the service alone can tell whether a model that it does not know can be served",
  },
  {
    kind: "Deployment",
    input: "deploymentShape",
    resource: "embed-400m",
    reason: "a shape for another model is refused when it is sent",
  },
  {
    kind: "Deployment",
    input: "deploymentShape",
    resource: "vision-12b",
    reason: "a shape for another model is refused when it is sent",
  },
  {
    kind: "Deployment",
    input: "enableAddons",
    resource: "shared",
    reason: "what is loaded onto a deployment is not read before an update",
  },
  {
    kind: "Model",
    input: "peftDetails",
    resource: "support",
    reason: "what an addon belongs to is judged when it is sent",
  },
  { kind: "Model", input: "source", resource: "support", reason: "files are read when they are sent" },
  { kind: "Secret", input: "valueFrom", reason: "a value from elsewhere is read when it is sent" },
];

/** Why the cell of an edit may differ; undefined where it may not. */
export const reasonFor = (edit: InputEdit): string | undefined =>
  deviations.find(
    ({ kind, input, resource }) =>
      kind === edit.kind && input === edit.input && (resource === undefined || resource === edit.resource),
  )?.reason;
