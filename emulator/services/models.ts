import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { accountOf, lastSegment } from "../../provider/core/values/names";
import { isObject, pathText } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { canRead, effectiveRole, platform, signatureFor } from "../access";
import { failedPrecondition, invalidField, invalidRequest, type Violation } from "../refusals";
import { withUpdateTime } from "../timestamps";
import { stateOf, stopAt } from "../transitions";
import type { Fields, StoredObject, World } from "../types";
import { rejectRetainedUpload } from "./policy-settings";
import type { Service, ServiceCall } from "./service";

const spec = specs.Model as unknown as ResourceSpec;

/**
 * Names of the model and of those that it is an addon of, nearest first. The
 * last one may be of a model that does not exist.
 */
function lineage(world: World, name: string): string[] {
  const line: string[] = [];
  for (
    let next: unknown = name;
    typeof next === "string" && next !== "" && !line.includes(next);
    next = (world.get(next)?.fields["peftDetails"] as Fields | undefined)?.["baseModel"]
  )
    line.push(next);
  return line;
}

/** The model that this one is an addon of, or itself. */
export const baseOf = (world: World, name: string): string => lineage(world, name).at(-1) ?? name;

/** Names of the models whose shapes fit a model: its own, its base's, and those of what the base was trained from. */
export function shapeModels(world: World, name: string): string[] {
  const line = lineage(world, name);
  const origin = world.get(line.at(-1) ?? name)?.notes?.["trainedFrom"];
  return typeof origin === "string" ? [...line, origin] : line;
}

/** Where a model is deployed: only in the response to a read of the model alone. */
function withRefs(object: StoredObject, fields: Fields, { world, caller, account }: ServiceCall): Fields {
  const records = world
    .list("DeployedModel", account === platform ? caller.account : account)
    .filter((record) => record.fields["model"] === object.name);
  if (records.length === 0) return fields;
  const members = ["name", "deployment", "state", "default", "public"];
  return {
    ...fields,
    deployedModelRefs: records.map((record) =>
      Object.fromEntries(members.map((member) => [member, record.fields[member]])),
    ),
  };
}

const endpointMembers = ["filenameToSize", "enableResumableUpload", "readMask"];

/** Signed addresses for the named files; the storage's own addresses only for a caller who may write there. */
function getUploadEndpoint(object: StoredObject, call: ServiceCall): Fields {
  const { world, caller, request, settings, account } = call;
  const body = (request.body ?? {}) as Fields;
  judgeEndpoint(body, settings.unknownFields === "refuse");
  if (settings.uploads === "refuseRetained") rejectRetainedUpload(world, account);
  const sizes = Object.fromEntries(
    Object.entries(body["filenameToSize"] as Fields).map(([file, size]) => [file, Number(size)]),
  );
  world.put({
    ...object,
    notes: { ...object.notes, files: { ...(object.notes?.["files"] as Fields | undefined), ...sizes } },
  });
  const files = Object.keys(sizes);
  const writes = ["admin", "superuser"].includes(effectiveRole(caller, settings));
  const answer: Fields = {
    filenameToSignedUrls: Object.fromEntries(
      files.map((file) => [file, signedUrl(object.name, file, "uploads", call)]),
    ),
    filenameToUnsignedUris: Object.fromEntries(files.map((file) => [file, `s3://models/${object.name}/${file}`])),
  };
  const requestedMembers = maskedMembers(body["readMask"]) ?? endpointAnswer;
  const kept = requestedMembers.filter((name) => writes || name !== "filenameToUnsignedUris");
  return Object.fromEntries(Object.entries(answer).filter(([name]) => kept.includes(name)));
}

const endpointAnswer: readonly string[] = ["filenameToSignedUrls", "filenameToUnsignedUris"];

/** Names in the mask of a request that has it in its body, in camelCase (A095); undefined keeps all. */
function maskedMembers(mask: unknown): string[] | undefined {
  if (mask === undefined || mask === "" || mask === "*") return undefined;
  return String(mask)
    .split(",")
    .map((name) => name.trim());
}

function judgeEndpoint(body: Fields, refuseUnknown: boolean): void {
  const violations: Violation[] = [];
  const sizes = body["filenameToSize"];
  const unknown = refuseUnknown ? Object.keys(body).filter((name) => !endpointMembers.includes(name)) : [];
  violations.push(...unknown.map((field) => ({ field, description: "is not a field of the request" })));
  const isMap = isObject(sizes) && Object.keys(sizes).length > 0;
  if (!isMap)
    violations.push({ field: "filenameToSize", description: "is required: a map from file name to size in bytes" });
  const wrong = Object.entries(isMap ? sizes : {}).filter(([, size]) => !/^\d+$/.test(String(size)));
  violations.push(
    ...wrong.map(([file]) => ({ field: pathText(["filenameToSize", file]), description: "must be a size in bytes" })),
  );
  if (body["enableResumableUpload"] !== undefined && typeof body["enableResumableUpload"] !== "boolean")
    violations.push({ field: "enableResumableUpload", description: "must be true or false" });
  if (body["readMask"] !== undefined && typeof body["readMask"] !== "string")
    violations.push({ field: "readMask", description: "must be text" });
  const foreign = maskedMembers(body["readMask"])?.find((name) => !endpointAnswer.includes(name));
  if (foreign !== undefined)
    violations.push({ field: "readMask", description: `\`${foreign}\` is not a member of the answer` });
  if (violations.length > 0) throw invalidRequest(violations);
}

/** The emulator's own store of files, behind a signature that is new each time (A097). */
function signedUrl(
  name: string,
  file: string,
  store: "uploads" | "downloads",
  { world, request, now }: ServiceCall,
): string {
  return `http://${request.headers["host"] ?? "127.0.0.1"}/_emulator/${store}/${name}/${encodeURIComponent(file)}?signature=${signatureFor({ store, model: name, file }, now, world.uuid())}`;
}

/** Notes that a file has arrived, so that `:validateUpload` can compare sizes. Sizes are in bytes. */
export function recordUpload(world: World, name: string, file: string, size: number): void {
  const object = world.get(name);
  if (object?.kind !== spec.kind) return;
  const uploaded = { ...(object.notes?.["uploaded"] as Fields | undefined), [file]: size };
  world.put({ ...object, notes: { ...object.notes, uploaded } });
}

/** Refuses only files of the wrong size: uploads to the emulator's store are optional (A080). */
function validateUpload(object: StoredObject, { world, now }: ServiceCall): Fields {
  if (stateOf(object) === "READY") return {};
  const announced = (object.notes?.["files"] ?? {}) as Fields;
  const wrong = Object.entries((object.notes?.["uploaded"] ?? {}) as Fields).filter(
    ([file, size]) => announced[file] !== size,
  );
  if (wrong.length > 0)
    throw failedPrecondition(
      wrong
        .map(
          ([file, size]) =>
            `the file \`${file}\` has ${String(size)} bytes, not ${String(announced[file] ?? "as announced")}`,
        )
        .join("; "),
    );
  world.put(stopAt({ ...object, fields: withUpdateTime(spec, object.fields, now) }, "READY"));
  return {};
}

function getDownloadEndpoint(object: StoredObject, call: ServiceCall): Fields {
  rejectUnready(object);
  const files = Object.keys((object.notes?.["files"] ?? { "config.json": 0, "model.safetensors": 0 }) as Fields);
  return {
    filenameToSignedUrls: Object.fromEntries(
      files.map((file) => [file, signedUrl(object.name, file, "downloads", call)]),
    ),
  };
}

function rejectUnready(object: StoredObject): void {
  if (stateOf(object) !== "READY")
    throw failedPrecondition(
      `${object.name} is ${stateOf(object)}; upload its files and call \`:validateUpload\` first`,
    );
}

export const models: Service = {
  detail: withRefs,
  verbs: {
    getUploadEndpoint,
    getDownloadEndpoint,
    validateUpload,
    prepare: (object) => {
      rejectUnready(object);
      return {};
    },
  },
};

/** The model that a job leaves behind, in place of what had its name (A073). */
export function trainedModel(
  world: World,
  { name, job, training, at }: { name: string; job: StoredObject; training: Fields; at: number },
): StoredObject {
  const baseName = baseOf(world, String(training["warmStartFrom"] ?? training["baseModel"] ?? ""));
  const base = world.get(baseName);
  const full = training["loraRank"] === 0;
  const inherited = [
    "contextLength",
    "conversationConfig",
    "supportsTools",
    "supportsImageInput",
    "calibrated",
  ] as const;
  const whole = { kind: "HUB_BASE_MODEL", baseModelDetails: base?.fields["baseModelDetails"] ?? {} };
  const peftDetails = {
    baseModel: baseName,
    r: training["loraRank"] ?? 8,
    targetModules: ["q_proj", "k_proj", "v_proj", "o_proj"],
  };
  const details = full ? whole : { kind: "HUB_PEFT_ADDON", peftDetails };
  const fields = withUpdateTime(
    spec,
    {
      name,
      displayName: lastSegment(name),
      ...Object.fromEntries(
        inherited.flatMap((member) => (base?.fields[member] === undefined ? [] : [[member, base.fields[member]]])),
      ),
      ...details,
      fineTuningJob: job.name,
      state: "READY",
      status: { code: "OK" },
    },
    at,
  );
  return {
    kind: spec.kind,
    name,
    fields: { ...fields, createTime: fields["updateTime"] },
    notes: full ? { trainedFrom: shapeModels(world, baseName).at(-1)! } : undefined,
  };
}

/** Refuses work with a model that does not exist, or is not uploaded yet, where the settings ask for it. */
export function rejectUnusableModel(
  { world, settings, caller, account }: ServiceCall,
  field: string,
  name: unknown,
): void {
  if (settings.models === "any" || typeof name !== "string" || name === "") return;
  const model = world.get(name);
  if (!model || !canRead(caller, accountOf(name) ?? account, model))
    throw invalidField(field, `${name} does not exist`);
  if (stateOf(model) === "UPLOADING")
    throw failedPrecondition(`${name} is UPLOADING; upload its files and validate them first`);
}

/** Refuses training of a model that is known not to be tunable that way. What is not known is not refused. */
export function rejectUntunable(world: World, name: string, flagName: string): void {
  if (world.get(baseOf(world, name))?.fields[flagName] === false)
    throw invalidField("baseModel", `${name} cannot be fine-tuned this way (\`${flagName}\` is false)`);
}
