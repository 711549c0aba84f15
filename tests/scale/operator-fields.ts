/**
 * Fields of the Pulumi Kubernetes Operator's resources in `pulumi.com/v1`, read from `deploy/crds` of
 * pulumi/pulumi-kubernetes-operator v2.9.0. `!` is a required field, `*` any key of a map; of a workspace, only the
 * first level.
 */

export type FieldShape = string | readonly [FieldShape] | { readonly [field: string]: FieldShape };

const reference: FieldShape = {
  "type!": "Env|FS|Secret|Literal",
  env: { "name!": "string" },
  filesystem: { "path!": "string" },
  literal: { "value!": "string" },
  secret: { "key!": "string", "name!": "string", namespace: "string" },
};

const Stack: FieldShape = {
  "stack!": "string",
  accessTokenSecret: "string",
  backend: "string",
  branch: "string",
  commit: "string",
  config: "any",
  configRef: { "*": { "key!": "string", "name!": "string", json: "boolean" } },
  continueResyncOnCommitMatch: "boolean",
  destroyOnFinalize: "boolean",
  envRefs: { "*": reference },
  envSecrets: ["string"],
  environment: ["string"],
  envs: ["string"],
  expectNoRefreshChanges: "boolean",
  fluxSource: { dir: "string", "sourceRef!": { "apiVersion!": "string", "kind!": "string", "name!": "string" } },
  gitAuth: {
    accessToken: reference,
    basicAuth: { "password!": reference, "userName!": reference },
    githubApp: { "appID!": reference, "installationID!": reference, "privateKey!": reference },
    sshAuth: { password: reference, "sshPrivateKey!": reference },
  },
  gitAuthSecret: "string",
  prerequisites: [{ "name!": "string", requirement: { succeededWithinDuration: "string" } }],
  preview: "boolean",
  programRef: { "name!": "string" },
  projectRepo: "string",
  refresh: "boolean",
  repoDir: "string",
  resyncFrequencySeconds: "number",
  retryMaxBackoffDurationSeconds: "number",
  retryOnUpdateConflict: "boolean",
  runProgram: "boolean",
  secrets: { "*": "string" },
  secretsProvider: "string",
  secretsRef: { "*": reference },
  serviceAccountName: "string",
  shallow: "boolean",
  targetDependents: "boolean",
  targets: ["string"],
  updateTemplate: "any",
  useLocalStackOnly: "boolean",
  workspaceReclaimPolicy: "Retain|Delete",
  workspaceTemplate: {
    metadata: "any",
    spec: {
      env: "any",
      envFrom: "any",
      flux: "any",
      git: "any",
      image: "string",
      imagePullPolicy: "string",
      local: "any",
      podTemplate: "any",
      projectInfo: "any",
      pulumiLogLevel: "number",
      resources: "any",
      securityProfile: "string",
      serviceAccountName: "string",
      serviceTemplate: "any",
      stacks: "any",
    },
  },
};

const Program: FieldShape = {
  configuration: { "*": { default: "any", type: "String|Number|List<Number>|List<String>" } },
  outputs: { "*": "any" },
  packages: { "*": "string" },
  resources: {
    "*": {
      "type!": "string",
      get: { "id!": "string", state: { "*": "any" } },
      options: {
        additionalSecretOutputs: ["string"],
        aliases: ["string"],
        customTimeouts: { create: "string", delete: "string", update: "string" },
        deleteBeforeReplace: "boolean",
        dependsOn: ["any"],
        ignoreChanges: ["string"],
        import: "string",
        parent: "any",
        protect: "boolean",
        provider: "any",
        providers: { "*": "any" },
        version: "string",
      },
      properties: { "*": "any" },
    },
  },
  variables: { "*": "any" },
};

const head = { "apiVersion!": "pulumi.com/v1", "metadata!": { "name!": "string", namespace: "string" } } as const;

export const operatorShapes: Readonly<Record<string, FieldShape>> = {
  Stack: { ...head, "kind!": "Stack", "spec!": Stack },
  Program: { ...head, "kind!": "Program", "program!": Program },
};

/** What of a value the Operator does not know or misses, by path. */
export function objectionsTo(value: unknown, shape: FieldShape | undefined, path = ""): string[] {
  if (shape === undefined) return [`${path} is unknown`];
  if (typeof shape === "string") {
    const fits = shape === "any" || typeof value === shape || shape.split("|").includes(String(value));
    return fits ? [] : [`${path} is no ${shape}`];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(shape))
    return [`${path} has another form`];
  if (Array.isArray(shape))
    return (value as unknown[]).flatMap((each, at) => objectionsTo(each, shape[0], `${path}[${at}]`));
  const fields = shape as Readonly<Record<string, FieldShape>>;
  const required = Object.keys(fields).filter((field) => field.endsWith("!") && !(field.slice(0, -1) in value));
  return [
    ...required.map((field) => `${path}.${field.slice(0, -1)} is missing`),
    ...Object.entries(value).flatMap(([field, each]) =>
      objectionsTo(each, fields[field] ?? fields[`${field}!`] ?? fields["*"], `${path}.${field}`),
    ),
  ];
}
