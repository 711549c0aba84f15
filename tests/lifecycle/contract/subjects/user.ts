import type { ContractSubject } from "../subject";

export const user: ContractSubject = {
  kind: "User",
  inputs: { email: "ada@example.com", role: "contributor", displayName: "Ada" },
  chosen: { userId: "ada" },
  other: { email: "grace@example.com", role: "user" },
  updates: [
    {
      changes: {
        role: { to: "admin", dropped: "kept" },
        displayName: { to: "Ada L.", dropped: "cleared" },
        serviceAccount: { to: true, dropped: "kept" },
        email: { to: "lovelace@example.com" },
      },
    },
    {
      inputs: { email: "ada@example.com", role: "custom", permissionPreset: "readers" },
      changes: { permissionPreset: { to: "writers", dropped: "cleared" } },
    },
  ],
  replacements: {},
  drift: { role: "admin" },
};
