import type { ContractSubject } from "../subject";

export const secret: ContractSubject = {
  kind: "Secret",
  inputs: { keyName: "STORAGE_KEY", value: "first value" },
  chosen: { secretId: "storage" },
  other: { keyName: "TRACKING_KEY", value: "another value" },
  updates: [{ changes: { keyName: { to: "ARCHIVE_KEY" }, value: { to: "second value" } } }],
  replacements: { secretId: { to: "elsewhere" }, accountId: { to: "beta" } },
  secret: (text) => ({ keyName: "STORAGE_KEY", value: text }),
  drift: { keyName: "CHANGED_KEY" },
};
