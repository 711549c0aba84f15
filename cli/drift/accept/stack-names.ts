/** `organization/project/stack`, or the end of that. */
export const projectIn = (stack: string): string | undefined => stack.split("/").at(-2);

/** Whether two such names are of one stack. */
export const isSameStack = (one: string, other: string): boolean => tail(one) === tail(other);

const tail = (stack: string): string => stack.split("/").slice(-2).join("/");
