import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CronJob, Job } from "kubernetes-models/batch/v1";
import { Role, RoleBinding } from "kubernetes-models/rbac.authorization.k8s.io/v1";
import { PersistentVolumeClaim, ServiceAccount } from "kubernetes-models/v1";
import ts from "typescript";
import { repository } from "../e2e/engines";
import { everyNth } from "../nightly";
import { options } from "../types/compiler-options";
import { cluster, containerOf, jobNamed, jobs, type Manifest, manifestsIn } from "./manifests";
import { misspellingsOf } from "./misspelt";
import { objectionsTo, operatorShapes } from "./operator-fields";
import { refusalsOf } from "./restricted";

const models = { CronJob, Job, PersistentVolumeClaim, Role, RoleBinding, ServiceAccount } as unknown as {
  [kind: string]: new (data: unknown) => { validate(): void };
};
const modules: Readonly<Record<string, string>> = {
  CronJob: "kubernetes-models/batch/v1",
  Job: "kubernetes-models/batch/v1",
  PersistentVolumeClaim: "kubernetes-models/v1",
  Role: "kubernetes-models/rbac.authorization.k8s.io/v1",
  RoleBinding: "kubernetes-models/rbac.authorization.k8s.io/v1",
  ServiceAccount: "kubernetes-models/v1",
};
const all: Manifest[] = [...cluster, ...jobs];
const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const titled = all.map((manifest): [string, Manifest] => [titleOf(manifest), manifest]);

const parsed = new Map<string, ts.SourceFile | undefined>();

/** Which of the manifests the compiler refuses as literals of their types. */
function refused(manifests: readonly { kind: string; value: unknown }[]): Set<number> {
  const file = join(repository, "tests/scale/literals.ts");
  const imports = Object.entries(modules).map(([kind, from]) => `import type { I${kind} } from "${from}";`);
  const literals = manifests.map(({ kind, value }, at) => `export const m${at}: I${kind} = ${JSON.stringify(value)};`);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (name, version, ...rest) => {
    if (name === file) return ts.createSourceFile(name, [...imports, ...literals].join("\n"), version);
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, version, ...rest));
    return parsed.get(name);
  };
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  const program = ts.createProgram([file], { ...options, types: [], lib: ["lib.es2022.d.ts"] }, host);
  const source = program.getSourceFile(file)!;
  const lines = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ start = 0 }) => source.getLineAndCharacterOfPosition(start).line - imports.length,
  );
  return new Set(lines);
}

test("there is a volume, a Job that scans and one that merges, each by the clock", () => {
  expect(titled.map(([title]) => title)).toEqual([
    "PersistentVolumeClaim drift",
    "CronJob drift-scan",
    "ServiceAccount drift-merge",
    "Role drift-merge",
    "RoleBinding drift-merge",
    "CronJob drift-merge",
    "Job drift-scan",
    "Job drift-merge",
  ]);
});

test.each(titled)("%s is what its kind's schema describes", (_, manifest) => {
  expect(() => new models[manifest.kind]!(manifest).validate()).not.toThrow();
});

test("manifests are literals of their types", () => {
  expect(refused(all.map((value) => ({ kind: value.kind, value })))).toEqual(new Set());
});

const misspelt = cluster.flatMap((manifest) =>
  misspellingsOf(manifest, ["labels", "requests", "limits"]).map(([path, value]) => ({
    kind: manifest.kind,
    path,
    value,
  })),
);

everyNth(12, 5, misspelt, (some) => {
  test("a misspelt key is no literal of its manifest's type", () => {
    expect(some.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["PersistentVolumeClaim", "Role", "CronJob"]));
    const wrong = refused(some);
    expect(some.filter((_, at) => !wrong.has(at)).map(({ path }) => path)).toEqual([]);
  });
});

describe("the two Jobs", () => {
  const scan = jobNamed("drift-scan");
  const merge = jobNamed("drift-merge");
  const envOf = (job: typeof scan, name: string) => containerOf(job).env?.find((each) => each.name === name)?.value;

  test("begin at the same minute, never twice at once", () => {
    const clocks = cluster.filter(({ kind }) => kind === "CronJob").map(({ spec }) => spec as Manifest);
    expect(new Set(clocks.map(({ schedule, timeZone }) => `${schedule} ${timeZone}`)).size).toBe(1);
    expect(clocks.map(({ concurrencyPolicy }) => concurrencyPolicy)).toEqual(["Forbid", "Forbid"]);
  });

  test("agree on how many shards there are", () => {
    expect(scan.spec).toMatchObject({ completionMode: "Indexed", parallelism: scan.spec.completions });
    expect([scan, merge].map((job) => Number(envOf(job, "SHARDS")))).toEqual(Array(2).fill(scan.spec.completions));
  });

  test("a wait is longer than the scan may last, and shorter than the Job that waits", () => {
    const wait = Number(envOf(merge, "WAIT_SECONDS"));
    expect(wait).toBeGreaterThan(scan.spec.activeDeadlineSeconds!);
    expect(wait).toBeLessThan(merge.spec.activeDeadlineSeconds!);
  });

  test.each([scan, merge])("$metadata.name mounts every path that it names, and has limits", (job) => {
    const { env, volumeMounts, resources } = containerOf(job);
    const mounted = volumeMounts!.map(({ mountPath }) => mountPath);
    const paths = env!.flatMap(({ value = "" }) => /^(?:file:\/\/)?(\/[^/]+)/.exec(value)?.[1] ?? []);
    expect(paths.length).toBeGreaterThan(1);
    expect(paths.filter((path) => !mounted.includes(path))).toEqual([]);
    const volumes = job.spec.template.spec!.volumes!.map(({ name }) => name);
    expect(volumeMounts!.map(({ name }) => name)).toEqual(volumes);
    expect(resources).toEqual({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: expect.anything() },
    });
  });

  test.each([scan, merge])("$metadata.name runs where Pod Security is `restricted`", (job) => {
    expect(refusalsOf(job.spec.template.spec!)).toEqual([]);
  });

  test("the merging Job may read Jobs alone, and the scanning one has no token", () => {
    const [role] = cluster.filter(({ kind }) => kind === "Role");
    expect(role!["rules"]).toEqual([{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] }]);
    const specs = [scan, merge].map((job) => job.spec.template.spec!);
    expect(specs.map((spec) => spec.automountServiceAccountToken)).toEqual([false, false]);
    const tokens = specs.map((spec) => JSON.stringify(spec.volumes).split("serviceAccountToken").length - 1);
    expect(tokens).toEqual([0, 1]);
  });

  test("keys come from a Secret, which the merging Job does not see", () => {
    const secrets = [scan, merge].map((job) => job.spec.template.spec!.volumes!.filter(({ secret }) => secret).length);
    expect(secrets).toEqual([1, 0]);
    expect(JSON.stringify(cluster)).not.toMatch(/apiKey/);
  });
});

test.each<[refusal: string, broken: { pod?: object; ofPod?: object; container?: object; ofContainer?: object }]>([
  ["hostNetwork", { pod: { hostNetwork: true } }],
  ["a volume of kind hostPath", { pod: { volumes: [{ name: "root", hostPath: { path: "/" } }] } }],
  ["scan: runAsNonRoot", { ofPod: { runAsNonRoot: false } }],
  ["scan: runAsUser", { ofPod: { runAsUser: 0 } }],
  ["scan: seccompProfile", { ofPod: { seccompProfile: { type: "Unconfined" } } }],
  ["scan: runAsUser", { ofContainer: { runAsUser: 0 } }],
  ["scan: privileged", { ofContainer: { privileged: true } }],
  ["scan: allowPrivilegeEscalation", { ofContainer: { allowPrivilegeEscalation: undefined } }],
  ["scan: capabilities", { ofContainer: { capabilities: {} } }],
  ["scan: capabilities", { ofContainer: { capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } } }],
  ["scan: hostPort", { container: { ports: [{ containerPort: 80, hostPort: 80 }] } }],
])("Pod Security `restricted` refuses %s", (refusal, { pod, ofPod, container, ofContainer }) => {
  const spec = structuredClone(jobNamed("drift-scan").spec.template.spec!);
  Object.assign(spec, pod);
  Object.assign(spec.securityContext!, ofPod);
  Object.assign(spec.containers[0]!, container);
  Object.assign(spec.containers[0]!.securityContext!, ofContainer);
  expect(refusalsOf(spec)).toEqual([refusal]);
});

describe("resources of the Pulumi Kubernetes Operator", () => {
  const files = ["operator/program.yaml", "operator/repository.yaml"];
  const own = files.flatMap(manifestsIn).map((manifest): [string, Manifest] => [titleOf(manifest), manifest]);
  const free = ["config", "configuration", "envRefs", "outputs", "properties", "resources"];

  test.each(own)("%s has fields that version 2.9.0 knows, and no key can be misspelt", (_, manifest) => {
    const objections = (value: unknown): string[] => objectionsTo(value, operatorShapes[manifest.kind]);
    expect(objections(manifest)).toEqual([]);
    const accepted = misspellingsOf(manifest, free).filter(([, value]) => objections(value).length === 0);
    expect(accepted.map(([path]) => path)).toEqual([]);
  });

  test("a stack of a program names one that is there", () => {
    const programs = own.filter(([, { kind }]) => kind === "Program").map(([, { metadata }]) => metadata.name);
    const named = own.flatMap(([, { spec }]) => (spec as { programRef?: { name: string } })?.programRef?.name ?? []);
    expect(named).toEqual(programs);
  });

  test("the program's resources have types and properties of the plugin", () => {
    const schema = JSON.parse(readFileSync(join(repository, "schema.json"), "utf8")) as {
      resources: Record<string, { inputProperties: object }>;
    };
    const { program } = own[0]![1] as unknown as {
      program: { resources: Record<string, { type: string; properties: object }> };
    };
    for (const { type, properties } of Object.values(program.resources)) {
      const declared = schema.resources[type.replace(":", ":index:")];
      expect(Object.keys(declared?.inputProperties ?? {})).toEqual(expect.arrayContaining(Object.keys(properties)));
    }
  });
});
