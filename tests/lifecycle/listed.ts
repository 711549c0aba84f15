import type { ListMember } from "../../provider/api/types";

/** An object as a list of its collection has it. */
export const listed = <T extends { name: string }>(object: T): ListMember<T> => ({
  name: object.name,
  read: () => object,
});
