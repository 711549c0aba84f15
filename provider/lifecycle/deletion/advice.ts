import type { Call } from "../types";

/**
 * What is recorded decides, so that an option is recorded first: with this resource as the only target, since an `up`
 * of everything makes again what the same command has deleted.
 */
export const recordFirst = ({ hidden }: Call, option: string): string =>
  `declare it with ${option}, run \`up --target '**:${tailOf(hidden.urn)}'\`, and delete again.`;

/** `Deployment::chat`: the type without its package, and the name. */
const tailOf = (urn: string): string => urn.slice(urn.lastIndexOf(":", urn.lastIndexOf("::") - 1) + 1);
