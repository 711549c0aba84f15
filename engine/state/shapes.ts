import { isObject, type JsonObject, parseUrn, type StateValue, secretSignature } from "./resource-state";

/** The file is not a state, or is incomplete. */
export class DamagedStateError extends Error {
  override readonly name = "DamagedState";
  constructor(
    readonly why: string,
    readonly file = "The state file",
    advice = "",
    options?: { cause?: unknown },
  ) {
    super(`${file} cannot be read as a state: ${why}.${advice}`, options);
  }
}

/** What the value of a key may be. Null is Pulumi's zero value, and as good as no value. */
interface Shape {
  name: string;
  fits(value: StateValue): boolean;
}

type Shapes = Readonly<Record<string, Shape>>;

const isText = (value: StateValue | undefined): value is string => typeof value === "string";
const isTexts = (value: StateValue): boolean => Array.isArray(value) && value.every(isText);

function isUrn(value: StateValue): boolean {
  try {
    return isText(value) && parseUrn(value).type !== "";
  } catch {
    return false;
  }
}

const text: Shape = { name: "text", fits: isText };
const flag: Shape = { name: "true or false", fits: (value) => typeof value === "boolean" };
const texts: Shape = { name: "a list of texts", fits: isTexts };
const list: Shape = { name: "a list", fits: Array.isArray };
const object: Shape = { name: "an object", fits: isObject };
const urn: Shape = { name: "a URN", fits: isUrn };
const optionalUrn: Shape = { name: "a URN", fits: (value) => value === "" || isUrn(value) };
const reference: Shape = {
  name: "`<urn>::<id>`",
  fits: (value) => value === "" || (isText(value) && isUrn(value.slice(0, value.lastIndexOf("::")))),
};
const textsByName: Shape = {
  name: "an object of lists of texts",
  fits: (value) => isObject(value) && Object.values(value).every((each) => each === null || isTexts(each)),
};
const seconds: Shape = {
  name: "an object of seconds",
  fits: (value) => isObject(value) && Object.values(value).every((each) => each === null || typeof each === "number"),
};
const changes: Shape = { ...seconds, name: "an object of counts" };
/** What a date can hold. */
const time: Shape = {
  name: "a time in seconds",
  fits: (value) => Math.abs(Number(value)) <= 8.64e12 && isNumber(value),
};
const isNumber = (value: StateValue): boolean => typeof value === "number";

/** The keys of a resource that this package acts on. */
const resourceShapes: Shapes = {
  urn,
  type: text,
  custom: flag,
  id: text,
  inputs: object,
  outputs: object,
  parent: optionalUrn,
  dependencies: texts,
  propertyDependencies: textsByName,
  provider: reference,
  delete: flag,
  pendingReplacement: flag,
  external: flag,
  protect: flag,
  taint: flag,
  retainOnDelete: flag,
  deletedWith: optionalUrn,
  initErrors: texts,
  additionalSecretOutputs: texts,
  aliases: texts,
  ignoreChanges: texts,
  replaceOnChanges: texts,
  customTimeouts: seconds,
  sourcePosition: text,
  created: text,
  modified: text,
};

const deploymentShapes: Shapes = {
  manifest: object,
  secrets_providers: object,
  resources: list,
  pending_operations: list,
};

const recordShapes: Shapes = {
  kind: text,
  startTime: time,
  endTime: time,
  message: text,
  environment: object,
  config: object,
  result: text,
  resourceChanges: changes,
};

function assertShapes(of: string, value: JsonObject, shapes: Shapes, required: readonly string[] = []): void {
  for (const [key, shape] of Object.entries(shapes)) {
    const member = value[key] ?? null;
    if (member === null ? required.includes(key) : !shape.fits(member))
      throw new DamagedStateError(`the \`${key}\` of ${of} is ${kindOf(member)}, and must be ${shape.name}`);
  }
}

/** Never the value, which may be a secret. */
function kindOf(value: StateValue): string {
  if (value === null) return "missing";
  if (Array.isArray(value)) return "a list";
  return { string: "another text", number: "a number", boolean: "true or false", object: "an object" }[
    typeof value as "string" | "number" | "boolean" | "object"
  ];
}

/** Throws where a key of the `deployment` has another shape than Pulumi writes. */
export const assertDeployment = (deployment: JsonObject): void =>
  assertShapes("the deployment", deployment, deploymentShapes);

/** The names of Pulumi's features that a state of version 4 says it uses. */
export function assertFeatures(features: StateValue): void {
  if (features !== null && !isTexts(features))
    throw new DamagedStateError(`its \`features\` are ${kindOf(features)}, and must be a list of texts`);
}

/** A record of the history. */
export function assertRecord(record: unknown): asserts record is JsonObject {
  if (!isObject(record)) throw new DamagedStateError("it is not a JSON object");
  assertShapes("the record", record, recordShapes, ["kind", "startTime", "endTime", "result"]);
}

/** A resource whose keys are of the shapes that Pulumi writes; those that are null are left out. */
export function readShapes(
  resource: StateValue,
  place: string,
): JsonObject & { urn: string; type: string; custom: boolean } {
  if (!isObject(resource)) throw new DamagedStateError(`${place} is ${kindOf(resource)}, and must be an object`);
  const of = isText(resource["urn"]) && resource["urn"] !== "" ? resource["urn"] : place;
  assertShapes(of, resource, resourceShapes, ["urn", "type", "custom"]);
  for (const key of ["inputs", "outputs"]) assertSecrets(of, key, resource[key] ?? null);
  return withoutNull(resource) as ReturnType<typeof readShapes>;
}

/** Older engines wrote null for what is empty. */
function withoutNull(resource: JsonObject): JsonObject {
  const { propertyDependencies } = resource;
  const hasNull = isObject(propertyDependencies) && Object.values(propertyDependencies).includes(null);
  if (!hasNull && !Object.keys(resourceShapes).some((key) => resource[key] === null)) return resource;
  const entries = Object.entries(resource).filter(([key, value]) => value !== null || !(key in resourceShapes));
  const kept = Object.fromEntries(entries);
  if (!hasNull) return kept;
  const lists = Object.entries(propertyDependencies).map(([name, urns]) => [name, urns ?? []]);
  return { ...kept, propertyDependencies: Object.fromEntries(lists) };
}

/** Without a text of its own, a secret would be taken for null. The values may be deep: a list in place of calls. */
function assertSecrets(of: string, key: string, properties: StateValue): void {
  const rest: StateValue[] = [properties];
  while (rest.length > 0) {
    const value = rest.pop()!;
    if (isObject(value) && value[secretSignature.key] === secretSignature.value && !hasText(value))
      throw new DamagedStateError(`a secret in the \`${key}\` of ${of} has neither a ciphertext nor a value`);
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) rest.push(member);
  }
}

const hasText = ({ ciphertext, plaintext, value }: JsonObject): boolean =>
  isText(ciphertext) || (isText(plaintext) ? isJson(plaintext) : value !== undefined);

function isJson(plaintext: string): boolean {
  try {
    JSON.parse(plaintext);
    return true;
  } catch {
    return false;
  }
}
