import type { Project } from "../../state/project";
import type { PropertyMap } from "../../state/types";
import { stripSecrets } from "../values/values";
import { executableOf } from "./executables";
import type { Launch } from "./plugins";

export interface LaunchOptions {
  project: Project;
  env: NodeJS.ProcessEnv;
  /** The package's settings in the stack's config. */
  stackConfig: PropertyMap;
}

/** How to start a package's plugin, as the CLI does. Throws if its executable is not found. */
export function pluginLaunch(pkg: string, config: PropertyMap, { project, env, stackConfig }: LaunchOptions): Launch {
  const version = typeof config["version"] === "string" ? config["version"] : undefined;
  return {
    title: `the provider plugin "${pkg}"`,
    command: executableOf(pkg, version, { project, env }),
    args: [],
    env: { PULUMI_PROJECT: project.name, PULUMI_CONFIG: JSON.stringify(stripSecrets(stackConfig)) },
    hearsCancel: true,
  };
}
