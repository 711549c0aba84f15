import type { RecordedStack } from "../../../drift/scan/recorded-object";
import { stacksIn } from "../../../drift/scan/stacks";
import { configuredStacks, type Project } from "../../../engine/state/project";
import type { CliContext } from "../../command/context";
import { ownBackend } from "../../command/own-backend";
import { isSameStack, projectIn } from "./stack-names";

/** What is known of the stacks of a project. */
export interface ProjectStacks {
  /** Full names of those that were not looked at. An edit of the program is one for them, too. */
  siblings: readonly string[];
  /** The states at hand. */
  recorded: readonly RecordedStack[];
}

/** Finds the stacks by the states at hand, those of the project's own backend, and the config files. */
export async function stacksOfProject(
  looked: readonly string[],
  given: readonly RecordedStack[],
  project: Project,
  context: CliContext,
): Promise<ProjectStacks> {
  const isGiven = ({ stack }: RecordedStack): boolean => given.some((each) => isSameStack(each.stack, stack));
  const backend = ownBackend(project, context);
  const own = backend ? await stacksIn(backend, project.name) : [];
  const recorded = [...given, ...own.filter((each) => !isGiven(each))].filter(
    ({ stack }) => projectIn(stack) === project.name,
  );
  const configured = (await configuredStacks(project)).map((name) => `organization/${project.name}/${name}`);
  const names = [...recorded.map(({ stack }) => stack), ...configured];
  const siblings = names.filter(
    (name, index) =>
      !looked.some((each) => isSameStack(each, name)) && names.findIndex((each) => isSameStack(each, name)) === index,
  );
  return { siblings, recorded };
}
