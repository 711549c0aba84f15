/**
 * `index.ts:3` of `project:///index.ts#3,14`, as Pulumi says where a program declares a resource. Lines of packages are
 * not the program's.
 */
export function sourceLineOf(sourcePosition: string | undefined): string | undefined {
  const [, path, line] = /^project:\/\/\/((?!(?:.*\/)?node_modules\/).+)#(\d+)/.exec(sourcePosition ?? "") ?? [];
  return path === undefined ? undefined : `${decoded(path)}:${line}`;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
