/** A test by its file below `tests/` and its title, as both stand in the source. */
type Shown = readonly [file: string, title: string];

/** What shows that a sentence of the reference holds, or why nothing here can. */
export type Evidence = readonly Shown[] | { readonly reason: string };

const deployments = "emulator/application/deployments.test.ts";
const governance = "emulator/application/governance.test.ts";
const jobs = "emulator/application/jobs.test.ts";
const models = "emulator/application/models.test.ts";
const shapes = "emulator/application/shapes.test.ts";
const lists = "emulator/lists.test.ts";
const paging = "api/paginate.test.ts";

/** Each wrong input of the tables is a failure of the check, and is refused when it is sent anyway. */
export const refusedTwice: readonly Shown[] = [
  ["contract/bad-input.test.ts", "each bad input of %s fails at the property that is wrong"],
  ["emulator/application/contract.test.ts", "every bad %s is refused with 400, code 3 and the name of the field"],
];

const asDeclared: readonly Shown[] = [
  ["contract/specs.test.ts", "limits of %s are the documented ones; counts start at zero"],
];

const inference = { reason: "it shows in how models answer, which is not part of this API" };
const notMade = { reason: "no operation of the description creates a response or a batch job" };

/** By kind and id: what depends on the account, the caller or other objects. */
export const circumstances: Readonly<Record<string, Evidence>> = {
  "PolicySettings cmek-superuser": [
    [governance, "let only a superuser change cmekRequired, and only with an external key (A061)"],
  ],
  "PolicySettings cmek-external-key": [
    [governance, "let only a superuser change cmekRequired, and only with an external key (A061)"],
  ],
  "PolicySettings rule-replaces-defaults": [
    [governance, "dedicated deployments, by the defaults or by a model's own row"],
  ],
  "PolicySettings fast-is-separate": inference,
  "PolicySettings outputs-explicit-false": [
    ["emulator/application/answers.test.ts", "false permissions and an unenforced default are spelt out all the same"],
  ],
  "PolicySettings never-saved": [
    [governance, "are 404 with code 5 until they are saved, and an update saves them (A060)"],
  ],
  "PolicySettings inference-enforced": notMade,
  "PolicySettings inference-enforced-uploads": [[governance, "uploads, by enforced retention of inference"]],
  "PolicySettings training-enforced": [[governance, "training, by permission and by enforced retention"]],
  "PolicySettings retention-not-retroactive": [
    [governance, "what is there stays where it is when retention is enforced"],
  ],
  "PolicySettings members-read": [[governance, "are read by any member and changed by an admin only (A061)"]],
  "DeploymentShapeVersion one-latest-per-shape": [
    [shapes, "lists latest validated versions of a model by the documented filter"],
  ],
  "SupervisedFineTuningJob output-model-id": [
    [jobs, "leaves a model named like itself where the program gives no name"],
  ],
  "SupervisedFineTuningJob random-id": [[jobs, "gets a UUID for an id where the request has none"]],
  "SupervisedFineTuningJob trainer-logs": [
    [jobs, "signs its metrics' address for each read, its log's if readable (A097)"],
  ],
  "SupervisedFineTuningJob nodes-ignored": { reason: "which training stack runs a job is not shown" },
  "SupervisedFineTuningJob paused": { reason: "why a job was paused stands in no answer" },
  "RlorTrainerJob accelerator-seconds": [[jobs, "counts the seconds of its accelerators, as strings, for all nodes"]],
  "RlorTrainerJob forward-only": { reason: "it shows in what is trained, and nothing is trained here" },
  "DeployedModel default-target": inference,
  "DeployedModel first-is-default": [
    [models, "gets its id from the service, is loaded, and is the default if first (A013)"],
    [models, "is the model's default if it is the first, whatever the request says"],
  ],
  "User id-from-email": [[governance, "get an id from their e-mail address where the request has none"]],
  "Model refs-from-get": [
    [models, "tells where it is deployed when it is read alone, and not in lists"],
    [models, "does not tell where it is deployed when it is changed"],
  ],
  "Model uncalibrated": [[shapes, "a model that is not calibrated serves in FP16 only"]],
  "Model deprecation-date": inference,
  "Model v2-flags": [[jobs, "is refused over a model that cannot be tuned, or not in that way"]],
  "Model flags-need-shapes": { reason: "training shapes are not part of this API" },
  "Deployment auto-deploy": [[deployments, "loads an undeployed base model onto it, unless disableAutoDeploy"]],
  "Deployment shape-default": [
    [shapes, "`default` is a validated version for the model, whose members are taken on"],
    [shapes, "`default` keeps to what the request sets"],
  ],
  "Deployment shape-default-refused": [
    [shapes, "`default` that every shape contradicts fails, and names fields and shapes"],
    [shapes, "`default` for a model without shapes fails and creates nothing"],
  ],
  "Deployment shape-resolved": [
    [shapes, "by name becomes its latest validated version; by version stays that version"],
  ],
  "Deployment shape-brings-versions": [[shapes, "leaves the model's versions to the service"]],
  "Deployment shapeless": [[shapes, "nothing is validated: what every shape contradicts is accepted"]],
  "Deployment shapeless-later": [[shapes, "a service may refuse it unless the risk is accepted, as is announced"]],
  "Deployment unsupported-combination": [
    [shapes, "any other is accepted, and fails with an internal error that does not say why"],
  ],
  "Deployment annotations-visible": [
    [deployments, "shows a regular user the customer's annotations only, wherever it is answered"],
  ],
  "Deployment full-replica": inference,
  "Deployment direct-route": [[deployments, "gives a direct route a handle, of the form that its type has"]],
  "Deployment direct-route-keys": inference,
  "Deployment expire-time-inert": [[deployments, "an expireTime that has passed deletes nothing"]],
  "Deployment versions-equal": [[deployments, "of the target version rolls it out: active follows when it is over"]],
  "Deployment revocable": { reason: "of the capacity itself nothing is shown" },
  "Deployment hot-load-async": inference,
  "Deployment hot-load-default": [
    [deployments, "pauses requests on a swap of weights: ASYNC is the default with enableHotLoad"],
  ],
  "Secret value-never-returned": [[governance, "never answer their value, in no way of asking"]],
  "StoredResponse unstored-is-not-previous": notMade,
};

/** By kind and id: rules of bodies that are not shown by the refusal of each wrong one. */
export const rules: Readonly<Record<string, Evidence>> = {
  "Deployment annotation-prefix": [
    refusedTwice[0]!,
    ["emulator/application/contract.test.ts", "a bare annotation key is refused with 403 and code 7"],
  ],
  "StoredResponse unstored-has-no-id": { reason: "what has no id cannot be read, and no operation makes one" },
};

export const errors: Readonly<Record<string, Evidence>> = {
  "policy-never-saved": circumstances["PolicySettings never-saved"]!,
  "bare-annotation-key": rules["Deployment annotation-prefix"]!,
  "replica-full": inference,
  "no-default-shape": circumstances["Deployment shape-default-refused"]!,
  "unsupported-accelerator-combination": circumstances["Deployment unsupported-combination"]!,
  "partial-permissions": refusedTwice,
  "page-size-above-maximum": [[lists, "a page asked with size $asked holds $used objects"]],
};

/** By id. A longest length without an entry is refused twice. */
export const limits: Readonly<Record<string, Evidence>> = {
  "response metadata": [["contract/specs.test.ts", "limits that no type expresses are in the descriptions"]],
  temperature: asDeclared,
  nucleus: asDeclared,
  "output tokens": asDeclared,
  "tool calls": asDeclared,
  "lower replica bound": [[deployments, "fills in the documented defaults: no least replicas, one or more at most"]],
  "upper replica bound": [[deployments, "fills in the documented defaults: no least replicas, one or more at most"]],
  "trainer nodes": [[jobs, "trains on one node where the request has no number"]],
  "requests per replica": inference,
};

export const listRules: Readonly<Record<string, Evidence>> = {
  "same-parameters": [
    [lists, "leads to the next page with the same parameters, in either spelling of the order"],
    [lists, "is refused with another %s"],
    [paging, "every page is requested with the same parameters and the largest size"],
  ],
  "absent-or-empty-ends": [
    [paging, "a list ends at %s (A094)"],
    [lists, "the last page has no token, and an empty list has none either"],
  ],
  "repeated-is-an-error": [[paging, "a token that comes back is an error, not another page"]],
  "bound-to-caller": [
    ["emulator/lists-served.test.ts", "a token is refused for another key, another account and another collection"],
  ],
  "total-is-filtered": [[lists, "the total counts what the filter lets through"]],
};

/** Fields that no answer has, by kind and path: credentials (A004). */
export const neverAnswered: ReadonlySet<string> = new Set([
  "SupervisedFineTuningJob trackingConfig.apiKey",
  "RlorTrainerJob trackingConfig.apiKey",
]);
