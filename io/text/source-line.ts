/**
 * `index.ts:3` of `project:///index.ts#3,14`, Pulumi's position of a declaration. Lines of packages are not the
 * program's.
 */
export function sourceLineOf(sourcePosition: string | undefined): string | undefined {
  const [, path, line] = /^project:\/\/\/((?!(?:.*\/)?node_modules\/).+)#(\d+)/.exec(sourcePosition ?? "") ?? [];
  return path === undefined ? undefined : `${decodePath(path)}:${line}`;
}

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
