import type { Project } from "../state/project";
import type { PropertyMap } from "../state/types";
import { stripSecrets } from "../values/values";
import { executableOf } from "./executables";
import type { Launch } from "./plugins";

interface LaunchOptions {
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
    env: packageEnvironment(project, stackConfig),
    hearsCancel: true,
  };
}

/** What a package's provider finds in its environment, as the CLI puts it there. */
export const packageEnvironment = ({ name }: Project, stackConfig: PropertyMap): Record<string, string> => ({
  PULUMI_PROJECT: name,
  PULUMI_CONFIG: JSON.stringify(stripSecrets(stackConfig)),
});
