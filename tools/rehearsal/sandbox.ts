import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** What a program needs on any machine: where programs are, the language, and how to reach the network. */
const isCommon = (name: string): boolean =>
  /^(PATH|LANG|LC_\w+|TZ|SHELL|SYSTEMROOT|COMSPEC|PATHEXT|(HTTPS?|ALL|NO)_PROXY)$/i.test(name) ||
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|GIT_SSL_CAINFO)$/.test(name);

const loopback = "127.0.0.1,localhost";

/**
 * The environment of somebody else on this machine, with an empty home: no settings, tokens or caches, and no programs
 * of a checkout, whose `node_modules/.bin` npm puts on the PATH of a script.
 */
export function strangerEnvironment(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const common = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isCommon(name) ? [[name, value] as const] : [],
  );
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => !/[\\/]node_modules[\\/]/.test(folder));
  const direct = [env["NO_PROXY"] ?? env["no_proxy"], loopback].filter(Boolean).join(",");
  return {
    ...Object.fromEntries(common),
    PATH: folders.join(delimiter),
    HOME: home,
    USERPROFILE: home,
    // The CLI asks the system for the user's home, regardless of HOME.
    PULUMI_HOME: join(home, ".pulumi"),
    NO_PROXY: direct,
    no_proxy: direct,
  };
}

/** A command that could not be started, or ended with another code than 0. */
export class SandboxCommandError extends Error {
  override readonly name = "SandboxCommandError";
  constructor(
    readonly commandLine: string,
    /** Its exit code, the signal that ended it, or why it was not started. */
    readonly ending: number | string,
    /** The last lines of what it printed. */
    readonly output: string,
  ) {
    super(`\`${commandLine}\` ended with ${ending}:\n${output}`);
  }
}

/** Where a command runs. */
export interface Place {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

interface ExitResult {
  code: number;
  /** The last lines of what it printed. */
  output: string;
}

/** No command of a rehearsal, and no start of a server, takes as long: they only end one that hangs. */
const maxCommandMs = 20 * 60_000;
const maxStartMs = 5 * 60_000;
const maxOutputLines = 30;

const commandLineOf = (command: string, args: readonly string[]): string =>
  [command === process.execPath ? "node" : command, ...args].join(" ");

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-maxOutputLines).join("\n");

/** A temporary folder with everything that a rehearsal writes, and the processes that it has started. */
export class Sandbox {
  readonly folder: string;
  readonly #children = new Set<ChildProcess>();
  readonly #closers: (() => void)[] = [];
  readonly #close = (): void => this.close();

  constructor(parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "rehearsal-"));
    process.once("exit", this.#close);
  }

  /** Has `close` end something that is not a process. */
  closeWith(closer: () => void): void {
    this.#closers.push(closer);
  }

  newFolder(...path: string[]): string {
    const folder = join(this.folder, ...path);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Writes a file below the folder; its path. */
  write(text: string, ...path: string[]): string {
    const file = join(this.folder, ...path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Copies a file or a folder from elsewhere; its path. */
  copy(source: string, ...path: string[]): string {
    const target = join(this.folder, ...path);
    cpSync(source, target, { recursive: true });
    return target;
  }

  /** An empty home, and the environment of its user. */
  home(name: string): Record<string, string> {
    const temporary = this.newFolder(name, "tmp");
    return { ...strangerEnvironment(process.env, this.newFolder(name, "home")), TMPDIR: temporary, TEMP: temporary };
  }

  /** Runs a command to its end; rejects unless it ends with 0. */
  async run(command: string, args: readonly string[], place: Place): Promise<string> {
    const { code, stdout, output } = await this.#complete(command, args, place);
    if (code !== 0) throw new SandboxCommandError(commandLineOf(command, args), code, lastLines(output));
    return stdout;
  }

  /** The same for a command whose exit codes have meanings. */
  async attempt(command: string, args: readonly string[], place: Place): Promise<ExitResult> {
    const { code, output } = await this.#complete(command, args, place);
    if (typeof code === "string") throw new SandboxCommandError(commandLineOf(command, args), code, lastLines(output));
    return { code, output: lastLines(output) };
  }

  /** Starts a server that runs until the end; its first line. */
  async serve(command: string, args: readonly string[], place: Place): Promise<string> {
    const child = this.#start(command, args, { ...place, stdio: "pipe" });
    let errors = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => void (errors = lastLines(errors + text)));
    const lines = createInterface({ input: child.stdout! });
    const ended = endOf(child).then((ending) => {
      throw new SandboxCommandError(commandLineOf(command, args), ending, errors);
    });
    const printed = once(lines, "line", { signal: AbortSignal.timeout(maxStartMs) }).catch(() => {
      throw new SandboxCommandError(commandLineOf(command, args), `no line for ${maxStartMs / 60_000} minutes`, errors);
    });
    // The race settles with one of them; the other may be rejected later.
    for (const promise of [printed, ended]) promise.catch(() => {});
    const [line] = (await Promise.race([printed, ended])) as [string];
    lines.on("line", () => {});
    return line;
  }

  async #complete(command: string, args: readonly string[], place: Place) {
    const child = this.#start(command, args, {
      ...place,
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.timeout(maxCommandMs),
    });
    let [stdout, output] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => void (output += text));
    return { code: await endOf(child), stdout, output };
  }

  #start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, {
      ...options,
      killSignal: "SIGKILL",
      shell: command === "npm" && process.platform === "win32",
    });
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    return child;
  }

  /** Ends every process and removes the folder. Without a wait, so that an exit of any kind can call it. */
  close(): void {
    process.off("exit", this.#close);
    for (const closer of this.#closers) closer();
    for (const id of descendantsOf(this.#children)) kill(id);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The exit code, the signal, or why there is no such process. */
async function endOf(child: ChildProcess): Promise<number | string> {
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    return code ?? signal!;
  } catch (error) {
    if ((error as Error).name === "AbortError") return `nothing for ${maxCommandMs / 60_000} minutes`;
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "ENOENT: there is no such program" : String(error);
  }
}

/** The processes, and all that they have started: a program's provider is in a process group of its own. */
function descendantsOf(children: Iterable<ChildProcess>): number[] {
  const ids = [...children].flatMap(({ pid }) => pid ?? []);
  const parents = parentById();
  for (const id of ids) ids.push(...[...parents].flatMap(([child, parent]) => (parent === id ? [child] : [])));
  return ids;
}

function parentById(): Map<number, number> {
  try {
    const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return new Map(
      table
        .trim()
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
    );
  } catch {
    return new Map();
  }
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}
