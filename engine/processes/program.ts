import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { realPath } from "../../io/paths";
import { unsupportedError } from "../errors";
import type { Project } from "../state/project";
import type { ResolvedConfig } from "../state/stack-config";
import { Child, type ChildExit } from "./child";

/** Finds a module of the SDK as the program itself would. */
export function resolveFromProgram(folder: string, module: string): string {
  try {
    return createRequire(join(folder, "package.json")).resolve(module);
  } catch {
    throw new Error(`"@pulumi/pulumi" is not installed in ${folder} or above it: run \`npm install\` there first`);
  }
}

/** Where the program runs and what is run, from the project's `main`. */
export function entryOf(project: Pick<Project, "folder" | "main">): { folder: string; entry: string } {
  if (project.main === undefined || project.main === "") return { folder: project.folder, entry: "." };
  const named = resolve(project.folder, project.main);
  if (!existsSync(named))
    throw new Error(
      `Pulumi.yaml names "${project.main}" as \`main\`, and there is no such file or folder in ${project.folder}`,
    );
  // A link leads to where the program's packages are installed; a process started there resolves them so, too.
  const main = realPath(named);
  return statSync(main).isDirectory() ? { folder: main, entry: "." } : { folder: dirname(main), entry: basename(main) };
}

export interface ProgramRunOptions {
  project: Project;
  stack: string;
  organization: string;
  config: ResolvedConfig;
  monitorAddress: string;
  engineAddress: string;
  preview: boolean;
  parallel: number;
  env: NodeJS.ProcessEnv;
  onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** Receives each request to check types, from a program that runs before they are known. */
  onRequest: (line: string) => void;
}

/** The SDK's exit code after it has logged its error. */
const alreadyReported = 32;

/** Programs of other languages have runners of their own. */
export function requireNodeRuntime({ runtime }: Pick<Project, "runtime">): void {
  if (runtime.name !== "nodejs") throw unsupportedError(`The runtime "${runtime.name}"`);
}

export function startProgram(options: ProgramRunOptions): Child {
  const { project } = options;
  const { folder, entry } = entryOf(project);
  return new Child({
    args: [
      ...nodeArguments(project),
      resolveFromProgram(folder, "@pulumi/pulumi/cmd/run"),
      ...programArguments(options, folder),
      entry,
    ],
    cwd: folder,
    env: { ...options.env, ...programEnvironment(options) },
    onLine: options.onLine,
    // With this switch, the SDK checks types itself before the program runs, or nothing does.
    onRequest: options.env["PULUMI_NODEJS_TRANSPILE_ONLY"] ? undefined : options.onRequest,
  });
}

function nodeArguments(project: Project): string[] {
  const text = project.runtime.options["nodeargs"];
  return typeof text === "string"
    ? (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((each) => each.replace(/^(["'])(.*)\1$/, "$2"))
    : [];
}

function programArguments(options: ProgramRunOptions, folder: string): string[] {
  const { project } = options;
  return [
    ...["--monitor", options.monitorAddress],
    ...["--engine", options.engineAddress],
    ...["--organization", options.organization],
    ...["--project", project.name],
    ...["--root-directory", project.folder],
    ...["--stack", options.stack],
    ...["--pwd", folder],
    ...(options.preview ? ["--dry-run"] : []),
    ...["--parallel", String(options.parallel)],
  ];
}

/**
 * Node.js 20.20 hangs when it inspects an error in colour whose stack names node_modules, and the SDK does
 * so with any error of a program. Loaded before the SDK, this takes the colours off errors.
 */
const safeInspection = `
  import util from "node:util";
  const { inspect } = util;
  const plain = (value, options, ...rest) =>
    inspect(value, value instanceof Error && options?.colors ? { ...options, colors: false } : options, ...rest);
  util.inspect = Object.assign(plain, inspect);
`;

function programEnvironment({ project, stack, organization, config, env }: ProgramRunOptions): NodeJS.ProcessEnv {
  const runtime = project.runtime.options;
  const { typescript, tsconfig } = runtime as { typescript?: unknown; tsconfig?: unknown };
  return {
    NODE_OPTIONS: [env["NODE_OPTIONS"] ?? "", `--import=data:text/javascript,${encodeURIComponent(safeInspection)}`]
      .join(" ")
      .trim(),
    // The cache is in the folder for temporary files, where another user may write, and hides errors of other files.
    TS_NODE_CACHE: env["TS_NODE_CACHE"] ?? "false",
    PULUMI_CONFIG: JSON.stringify(config.values),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(config.secretKeys),
    PULUMI_NODEJS_PROJECT: project.name,
    PULUMI_NODEJS_STACK: stack,
    PULUMI_NODEJS_ORGANIZATION: organization,
    PULUMI_NODEJS_TYPESCRIPT: typescript === false ? env["PULUMI_NODEJS_TYPESCRIPT"] : "true",
    PULUMI_NODEJS_TSCONFIG_PATH: typeof tsconfig === "string" ? tsconfig : env["PULUMI_NODEJS_TSCONFIG_PATH"],
  };
}

/** What a program has printed, and what to do where it is of ES modules that its Node.js does not load. */
export function withLoaderAdvice(text: string): string {
  const cause = text.includes("ERR_UNKNOWN_FILE_EXTENSION")
    ? 'this Node.js loads no TypeScript as ES modules, which `"type": "module"` in package.json asks for: drop `type`, or use one of these ways'
    : text.includes("ERR_MODULE_NOT_FOUND") && text.includes(".js' imported from ")
      ? "Node.js looks for the compiled file of an `import`; where the file is TypeScript, use one of these ways"
      : undefined;
  return cause === undefined ? text : `${text}\n${cause}: docs/install.md#es-modules`;
}

/** How a program ended: successfully, with an error that it reported itself, or with one still to report. */
export function programFailure({ code, signal }: ChildExit): { message: string | undefined } | undefined {
  if (code === 0) return undefined;
  if (code === alreadyReported) return { message: undefined };
  return { message: signal ? `The program was ended by ${signal}.` : `The program exited with code ${code}.` };
}
