import type { IJob } from "kubernetes-models/batch/v1";

type PodSpec = NonNullable<NonNullable<IJob["spec"]>["template"]["spec"]>;

const volumeKinds = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** What a namespace whose Pod Security is `restricted` refuses about a pod. */
export function refusalsOf(pod: PodSpec): string[] {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => pod[field]);
  const kinds = (pod.volumes ?? []).flatMap(({ name: _, ...kind }) => Object.keys(kind));
  const volumes = kinds.filter((kind) => !volumeKinds.includes(kind)).map((kind) => `a volume of kind ${kind}`);
  const containers = [...(pod.initContainers ?? []), ...pod.containers].flatMap((container) =>
    refusedIn(container, pod.securityContext).map((what) => `${container.name}: ${what}`),
  );
  return [...shared, ...volumes, ...containers];
}

/** What a container does not say itself, its pod says for it. */
function refusedIn(
  { securityContext: own = {}, ports = [] }: PodSpec["containers"][number],
  pod: PodSpec["securityContext"],
) {
  const { runAsNonRoot, runAsUser, seccompProfile } = { ...pod, ...own };
  const { drop = [], add = [] } = own.capabilities ?? {};
  const judged: Readonly<Record<string, boolean>> = {
    runAsNonRoot: runAsNonRoot === true,
    runAsUser: runAsUser !== 0,
    seccompProfile: ["RuntimeDefault", "Localhost"].includes(seccompProfile?.type ?? ""),
    privileged: !own.privileged,
    allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
    capabilities: drop.includes("ALL") && add.every((name) => name === "NET_BIND_SERVICE"),
    hostPort: ports.every(({ hostPort }) => !hostPort),
  };
  return Object.keys(judged).filter((rule) => !judged[rule]);
}
