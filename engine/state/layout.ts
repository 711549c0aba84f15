import { join } from "node:path";

/** Where Pulumi's file backend keeps what belongs to one stack; all paths are absolute. */
export interface StackLayout {
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

/** Throws for a name that Pulumi would not take. */
export function layoutOf(folder: string, project: string, stack: string): StackLayout {
  checkName("project", project);
  checkName("stack", stack);
  const root = join(folder, ".pulumi");
  return {
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

function checkName(what: string, name: string): void {
  if (!isName(name))
    throw new Error(`The ${what} name \`${name}\` is not valid: 1 to 100 letters, digits, \`-\`, \`_\` and \`.\`.`);
}
