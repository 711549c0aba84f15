import type { Project } from "../../state/project";
import type { PropertyMap } from "../../state/types";
import { stripSecrets } from "../values/values";
import { executableOf } from "./executables";
import type { Launch } from "./plugins";

export interface LaunchOptions {
  project: Project;
  env: NodeJS.ProcessEnv;
  /** What the stack's config says of the package. */
  stackConfig: PropertyMap;
}

/** How the plugin of a package is started, as the CLI starts it. Throws where its executable is not at hand. */
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
