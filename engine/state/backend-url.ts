import { isAbsolute, join, resolve } from "node:path";

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
  // A Windows path stands in a URL with a slash before its drive.
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
