/** Tells the processes of the built-in engine which engine they work for. */
export const engineVariable = "MODELPLATFORM_ENGINE";
export const builtInEngine = "built-in";

/** The command of the engine that a process with this environment works for. */
export const engineCommand = (env: Readonly<Record<string, string | undefined>> = {}): string =>
  env[engineVariable] === builtInEngine ? "npx pulumi-modelplatform" : "pulumi";
