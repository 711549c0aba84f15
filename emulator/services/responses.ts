import type { Service } from "./service";

/** A response that is not stored cannot be read back. */
export const responses: Service = { isHidden: (object) => object.fields["store"] === false };
