import { dayMs } from "../../provider/core/values/day";
import { platform } from "../access";
import { timestamp } from "../times";
import type { Fields, World } from "../types";
import { baseModels, models } from "./base-models";
import { type BaseShape, deploymentShapes } from "./base-shapes";

const shapes = `accounts/${platform}/deploymentShapes`;
const firstDay = Date.UTC(2025, 0, 1);

/** Fills an empty world with what `accounts/platform` offers. Times are fixed, so that two emulators offer the same. */
export function fillCatalogue(world: World): void {
  const createTime = timestamp(firstDay);
  const account = `accounts/${platform}`;
  world.put({
    kind: "Account",
    name: account,
    fields: { name: account, displayName: "Platform", createTime, updateTime: createTime, suspendState: "UNSUSPENDED" },
  });
  for (const { id, ...fields } of baseModels) {
    const name = `${models}/${id}`;
    world.put({
      kind: "Model",
      name,
      fields: {
        name,
        ...fields,
        createTime,
        updateTime: createTime,
        state: "READY",
        status: { code: "OK" },
        public: true,
      },
    });
  }
  for (const [index, shape] of deploymentShapes.entries()) putShape(world, shape, firstDay + index * 10 * dayMs);
}

function putShape(world: World, { id, model, displayName, versions }: BaseShape, from: number): void {
  const name = `${shapes}/${id}`;
  const details = (world.get(`${models}/${model}`)!.fields["baseModelDetails"] ?? {}) as Fields;
  const common = {
    name,
    baseModel: `${models}/${model}`,
    displayName,
    modelType: details["modelType"],
    parameterCount: details["parameterCount"],
    createTime: timestamp(from),
  };
  const known = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
  const latest = versions.findLast((version) => version.validated);
  for (const [index, version] of versions.entries()) {
    const time = timestamp(from + index * dayMs);
    const snapshot = { ...known, updateTime: time, ...version.snapshot };
    const versionName = `${name}/versions/${version.id}`;
    const fields = {
      name: versionName,
      createTime: time,
      snapshot,
      validated: version.validated,
      public: true,
      latestValidated: version === latest,
    };
    world.put({ kind: "DeploymentShapeVersion", name: versionName, fields });
    if (version === latest) world.put({ kind: "DeploymentShape", name, fields: snapshot });
  }
}
