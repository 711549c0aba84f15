/** A rule that is switched off: in the source of `file`, what stands as `find` becomes `put`. */
export interface Mutant {
  file: string;
  /** Stands there once; a regular expression may stand there more often. */
  find: string | RegExp;
  put: string;
}

const inFile =
  (file: string) =>
  (find: string | RegExp, put = ""): Mutant => ({ file, find, put });

const [user, model, deployment, policy, response, supervised, reinforcement] = [
  "user",
  "model",
  "deployment",
  "policy-settings",
  "stored-response",
  "supervised-fine-tuning-job",
  "rlor-trainer-job",
].map((name) => inFile(`provider/resources/${name}.ts`)) as [Off, Off, Off, Off, Off, Off, Off];

type Off = (find: string | RegExp, put?: string) => Mutant;

const modelFields = inFile("provider/resources/model.ts");
const deploymentFields = inFile("provider/resources/deployment.ts");

const served = (name: string): Off => inFile(`emulator/${name}.ts`);
const deployments = served("services/deployments");
const annotations = served("services/deployments");
const shapes = served("services/hardware");
const hardware = served("services/hardware");
const jobs = served("services/jobs");
const policySettings = served("services/policy-settings");
const deployedModels = served("services/deployed-models");
const lists = served("lists");
const reads = served("methods");
const answers = served("answers");
const paginate = inFile("provider/api/paginate.ts");

const permissionsPartial = policy(
  /: BooleanField\.describe\((?=\s*"Whether the model may be )/g,
  ": BooleanField.optional().describe(",
);
const bareKeys = [
  inFile("provider/core/check.ts")("keyPrefix === undefined || key.startsWith(keyPrefix)", "true"),
  annotations('if (bare !== undefined && caller.role !== "superuser")', "if (false)"),
];
const noShapeFits = [
  shapes("if (fit) return fit;", "if (fit ?? compatible[0]) return fit ?? compatible[0]!;"),
  shapes('...names.map((field) => ({ field, description: "conflicts with every compatible shape" })),'),
  shapes("if (compatible.length === 0)", "if (compatible.length === 0) return undefined as never;\n  if (false)"),
];
const combinations = [hardware('? "serves" : "fails";\n  const known', '? "serves" : "serves";\n  const known')];
const neverSaved = [
  reads("throw service.missing?.(call) ?? notFound(name);", "return { kind: spec.kind, name, fields: { name } };"),
];

/**
 * By the rule's kind and id, or its table and id. What has no mutant here is not
 * shown by a test (see the evidence for why).
 */
export const mutants: Readonly<Record<string, readonly Mutant[]>> = {
  "PolicySettings permissions-complete": [permissionsPartial],
  "PolicySettings retention-default-given": [
    policy("defaultEnforced: BooleanField.describe(", "defaultEnforced: BooleanField.optional().describe("),
  ],
  "SupervisedFineTuningJob one-starting-point": [
    supervised('{ rule: "exclusive", fields: ["baseModel", "warmStartFrom"] }'),
  ],
  "RlorTrainerJob hot-load-needs-a-lasting-job": [
    reinforcement(
      '{ field: "serviceMode", in: [true] },\n        { field: "keepAlive", in: [true] },\n      ],',
      '{ field: "dataset" },\n      ],',
    ),
  ],
  "RlorTrainerJob reward-weight-form": [reinforcement("/^[^=]+=.+$/", "/(?:)/")],
  "User preset-for-custom-role": [
    user('{ rule: "onlyWith", field: "permissionPreset", conditions: [{ field: "role", in: ["custom"] }] },'),
  ],
  "Model base-model-details": [
    model('{ rule: "onlyWith", field: "baseModelDetails", conditions: [{ field: "kind", in: ["HUB_BASE_MODEL"] }] },'),
    model('{ rule: "requiredWith", field: "baseModelDetails", condition: { field: "kind", in: ["HUB_BASE_MODEL"] } },'),
  ],
  "Model peft-details": [
    model(
      'in: ["HUB_PEFT_ADDON", "HUB_TEFT_ADDON", "KIND_UNSPECIFIED"],',
      'in: ["HUB_TEFT_ADDON", "KIND_UNSPECIFIED"],',
    ),
    model(
      'in: ["HUB_PEFT_ADDON", "HUB_TEFT_ADDON", "KIND_UNSPECIFIED"],',
      'in: ["HUB_PEFT_ADDON", "KIND_UNSPECIFIED"],',
    ),
  ],
  "Model peft-details-by-default": [
    model('absentIs: "HUB_PEFT_ADDON",'),
    model('"HUB_TEFT_ADDON", "KIND_UNSPECIFIED"],', '"HUB_TEFT_ADDON"],'),
    inFile("provider/core/declaration/rules.ts")(' || fieldValue === "" ?', " ?"),
  ],
  "Model teft-details": [
    model('{ rule: "onlyWith", field: "teftDetails", conditions: [{ field: "kind", in: ["HUB_TEFT_ADDON"] }] },'),
    model('{ rule: "requiredWith", field: "teftDetails", condition: { field: "kind", in: ["HUB_TEFT_ADDON"] } },'),
  ],
  "Model draft-token-count": [
    model('{ rule: "requires", field: "defaultDraftModel", needs: "defaultDraftTokenCount" },'),
  ],
  "Deployment annotation-prefix": bareKeys,
  "Deployment shape-or-shapeless-risk": [
    deployment('{ rule: "exclusive", fields: ["acceptShapelessRisk", "deploymentShape"] },'),
  ],

  "PolicySettings cmek-superuser": [policySettings('if (caller.role !== "superuser")', "if (false)")],
  "PolicySettings cmek-external-key": [policySettings("&& !settings.externalKeyReady)", "&& false)")],
  "PolicySettings rule-replaces-defaults": [
    policySettings(
      "rules.find((rule) => rule.model === model)?.permissions ??",
      "(undefined as Fields | undefined) ??",
    ),
  ],
  "PolicySettings outputs-explicit-false": [
    answers('field.required || field.markers.zero === "value"', 'field.markers.zero === "value"'),
  ],
  "PolicySettings never-saved": neverSaved,
  "PolicySettings inference-enforced-uploads": [
    policySettings('if (enforces(policyOf(world, account), "inference"))', "if (false)"),
  ],
  "PolicySettings training-enforced": [policySettings('if (enforces(policy, "training"))', "if (false)")],
  "PolicySettings retention-not-retroactive": [
    policySettings(
      "{ caller, settings }) => {",
      '{ caller, settings, world }) => {\n    for (const { name } of world.list("StoredResponse")) world.remove(name);',
    ),
  ],
  "PolicySettings members-read": [
    served("access")("if (!reads && operation.spec.singleton", "if (operation.spec.singleton"),
  ],
  "DeploymentShapeVersion one-latest-per-shape": [
    served("world/catalogue")("latestValidated: version === latest", "latestValidated: version.validated"),
  ],
  "SupervisedFineTuningJob output-model-id": [
    jobs('(path === "id" ? lastSegment(object.name)', '(path === "id" ? "other"'),
  ],
  "SupervisedFineTuningJob random-id": [served("methods")("?? world.uuid()", '?? "job"')],
  "SupervisedFineTuningJob trainer-logs": [
    served("services/jobs")("readsLogs(object, world) ? signed(", "true ? signed("),
  ],
  "RlorTrainerJob accelerator-seconds": [
    served("services/jobs")("((share * (ranTo - ranFrom))", "((0 * (ranTo - ranFrom))"),
  ],
  "DeployedModel first-is-default": [
    deployedModels('if (isDeployed(world, account, String(object.fields["model"]))) return object;', "return object;"),
    deployedModels(
      'if (isDeployed(world, account, String(object.fields["model"]))) return object;',
      'if (object.fields["default"] !== undefined) return object;',
    ),
  ],
  "User id-from-email": [served("services/table")("  id: idFrom,\n")],
  "Model refs-from-get": [
    reads("serviceOf(object.kind).detail?.(object, fields, call) ?? fields", "fields"),
    reads(
      "objects.map((object) => withView(object, call))",
      "objects.map((object) => serviceOf(object.kind).detail?.(object, withView(object, call), call) ?? withView(object, call))",
    ),
    reads(
      "render(call.spec, withView(object, call), renderingFor(call));",
      "render(call.spec, serviceOf(object.kind).detail?.(object, withView(object, call), call) ?? withView(object, call), renderingFor(call));",
    ),
  ],
  "Model uncalibrated": [hardware('known.fields["calibrated"] !== true && reduced', "false && reduced")],
  "Model v2-flags": [
    served("services/models")("if (world.get(baseOf(world, name))?.fields[flagName] === false)", "if (false)"),
  ],
  "Deployment auto-deploy": [
    deployments('if (!flag(call.request.query, "disableAutoDeploy")) autoDeploy', "if (true) autoDeploy"),
    deployments('if (!flag(call.request.query, "disableAutoDeploy")) autoDeploy', "if (false) autoDeploy"),
  ],
  "Deployment shape-default": [
    shapes('names.has(String(snapshotOf(shape)["baseModel"]))', "names.size > 0"),
    shapes("compatible.find((shape) => conflictsWith(shape, fields).length === 0)", "compatible[0]"),
  ],
  "Deployment shape-default-refused": noShapeFits,
  "Deployment shape-resolved": [
    deployments("...shapedFields(shape), deploymentShape: shape.name } : asked", "...shapedFields(shape) } : asked"),
    shapes('choice.find((candidate) => candidate.fields["latestValidated"] === true) ?? choice.at(-1)!', "choice[0]!"),
  ],
  "Deployment shape-brings-versions": [
    deployments(
      'const version = String(fields["targetModelVersion"]',
      'if (fields["targetModelVersion"] === undefined) throw invalidField("targetModelVersion", "is required");\n  const version = String(fields["targetModelVersion"]',
    ),
  ],
  "Deployment shapeless": [
    deployments(
      'if (input === "") rejectShapeless(call);',
      'if (input === "") resolvedShape(world, account, { ...wanted, input: "default" });',
    ),
  ],
  "Deployment shapeless-later": [deployments('if (settings.shapeless === "refuse" && ', "if (false && ")],
  "Deployment unsupported-combination": combinations,
  "Deployment annotations-visible": [
    answers("if (keyPrefix === undefined || rendering.allKeys) return value;", "return value;"),
  ],
  "Deployment direct-route": [deployments('switch (fields["directRouteType"]) {', 'switch ("" as string) {')],
  "Deployment expire-time-inert": [
    deployments(
      "view: (object, _, now) => withReplicas(object, now),",
      'view: (object, _, now) => Date.parse(String(object.fields["expireTime"])) < now ? { ...withReplicas(object, now), state: "DELETED" } : withReplicas(object, now),',
    ),
  ],
  "Deployment versions-equal": [deployments(", activeModelVersion: active },", " },")],
  "Deployment hot-load-default": [deployments('needsTransition ? "ASYNC" : undefined', "undefined")],
  "Secret value-never-returned": [served("validate")("if (field.markers.inputOnly) {", "if (false) {")],

  "error policy-never-saved": neverSaved,
  "error bare-annotation-key": bareKeys,
  "error no-default-shape": noShapeFits,
  "error unsupported-accelerator-combination": combinations,
  "error partial-permissions": [permissionsPartial],
  "error page-size-above-maximum": [lists("Math.min(size, maxPageSize)", "size")],

  "limit user display name": [user("textBelow(64)", "textBelow(9999)")],
  "limit model display name": [modelFields("textBelow(64)", "textBelow(9999)")],
  "limit deployment display name": [deploymentFields("textBelow(64)", "textBelow(9999)")],
  "limit model description": [modelFields("textBelow(1000)", "textBelow(9999)")],
  "limit response metadata": [response(/16 pairs/g, "pairs")],
  "limit temperature": [response(".max(2)")],
  "limit nucleus": [response(".max(1)")],
  "limit output tokens": [response("max_output_tokens: z.int().min(1)", "max_output_tokens: z.int()")],
  "limit tool calls": [response("max_tool_calls: z.int().min(1)", "max_tool_calls: z.int()")],
  "limit lower replica bound": [deployments("    minReplicaCount: least,\n")],
  "limit upper replica bound": [deployments("? Math.max(least, 1) :", "? 1 :")],
  "limit trainer nodes": [jobs("    ...documentedDefaults(spec),\n")],

  "list same-parameters": [
    lists('createHmac("sha256", JSON.stringify(tokenScope))', 'createHmac("sha256", "")'),
    lists("if (!genuine)", "if (true)"),
    paginate("query: { ...query, pageToken: token },", "query: token === undefined ? query : { pageToken: token },"),
  ],
  "list absent-or-empty-ends": [
    lists("matching.length > size ? tokenFor(", "matching.length > 0 ? tokenFor("),
    inFile("provider/api/answers.ts")(' && text !== ""'),
  ],
  "list repeated-is-an-error": [paginate("if (next !== undefined && seen.has(next))", "if (false)")],
  "list bound-to-caller": [reads("scope: `${request.path} ${caller.key}`", 'scope: ""')],
  "list total-is-filtered": [lists("totalSize: filtered.length,", "totalSize: objects.length,")],
};
