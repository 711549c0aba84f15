import type { KindHooks } from "./hooks";

export const secret: KindHooks = {
  // The value cannot be read: a program takes it from a variable of the name that jobs know it by.
  onImport: ({ keyName }) => ({ valueFrom: { env: keyName } }),
};
