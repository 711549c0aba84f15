import { isAbsolute, join, resolve } from "node:path";

/** Where Pulumi's file backend keeps what belongs to one stack; all paths are absolute. */
export interface StackLayout {
  stack: string;
  /** `organization/<project>/<stack>`, Pulumi's full name. */
  fullName: string;
  /** The state file's path without `.json` and what follows it. */
  base: string;
  stacks: string;
  history: string;
  backups: string;
  locks: string;
}

const projectName = /^[A-Za-z0-9_.-]{1,100}$/;
const dots = /^\.+$/;

/** Throws for a name that Pulumi would not accept. */
export function layoutOf(folder: string, project: string, stack: string): StackLayout {
  checkName("project", project);
  checkName("stack", stack);
  const root = join(folder, ".pulumi");
  return {
    stack,
    fullName: `organization/${project}/${stack}`,
    base: join(root, "stacks", project, stack),
    stacks: join(root, "stacks", project),
    history: join(root, "history", project, stack),
    backups: join(root, "backups", project, stack),
    locks: join(root, "locks", "organization", project, stack),
  };
}

export function isName(name: string): boolean {
  return projectName.test(name) && !dots.test(name);
}

/** A state that is being renamed, aside: neither engine takes it for a stack's, for it does not end in `.json`. */
export const asidePath = (state: string, { to, project }: Renamed): string =>
  `${state}@${to}${project === undefined ? "" : `@${project}`}.renamed`;

/** What a stack becomes. */
export interface Renamed {
  to: string;
  /** Where that is another project's. */
  project?: string | undefined;
}

/** What the name of such a file says; no stack and no project has an `@` in its name. */
export function parseAside(file: string): (Renamed & { from: string; state: string }) | undefined {
  const form = /^(([^@]+)\.json(?:\.gz|\.zst)?)@([^@]+)(?:@([^@]+))?\.renamed$/;
  const [, state = "", from = "", to = "", project] = form.exec(file) ?? [];
  return [from, to, project ?? to].every(isName) ? { from, to, state, project } : undefined;
}

function checkName(what: string, name: string): void {
  if (!isName(name))
    throw new Error(`The ${what} name \`${name}\` is not valid: 1 to 100 letters, digits, \`-\`, \`_\` and \`.\`.`);
}

/**
 * Query parameters of the CLI's storage library. They say how it writes, and
 * change nothing for a reader of the same files.
 */
const ignored = new Set(["create_dir", "dir_file_mode", "metadata", "no_tmp_dir"]);

/**
 * The folder of a `file://` URL, resolved as Pulumi does: `~` is the home folder,
 * anything else relative is relative to `cwd`.
 */
export function locate(url: string, cwd: string, home: string): string {
  if (!url.startsWith("file://")) {
    throw new Error(
      `The backend ${withoutCredentials(url)} is not a \`file://\` one. Set PULUMI_BACKEND_URL=file://<folder>, or use the Pulumi CLI for this backend.`,
    );
  }
  const [path = "", query = ""] = url.slice("file://".length).split("?", 2);
  const unknown = [...new URLSearchParams(query).keys()].find((name) => !ignored.has(name));
  if (unknown !== undefined)
    throw new Error(
      `The backend URL ${url} has the parameter \`${unknown}\`, which is not supported here. Drop it, or use the Pulumi CLI.`,
    );
  return folderOf(decode(path, url), cwd, home);
}

function folderOf(path: string, cwd: string, home: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  // In a URL, a Windows path has a slash before its drive.
  const local = /^\/[A-Za-z]:/.test(path) && process.platform === "win32" ? path.slice(1) : path;
  return isAbsolute(local) ? resolve(local) : resolve(cwd, local);
}

function decode(path: string, url: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new Error(`The backend URL ${url} is not well formed: a \`%\` in it must be written \`%25\`.`, { cause });
  }
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//****@");
}
