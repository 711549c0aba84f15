import { PolicyPack } from "@pulumi/policy";
import { policies } from "pulumi-modelplatform/policies";

new PolicyPack("modelplatform", {
  policies: policies({
    "residency-required": { allowed: ["EUROPE"] },
    "capacity-capped": { replicas: 8, accelerators: 16 },
    "admins-listed": { emails: ["ada@example.com"] },
    "annotations-required": "advisory",
    "scale-to-zero-outside-production": { production: "^prod" },
    "secrets-from-elsewhere": "mandatory",
    "no-shapeless-deployment": "mandatory",
  }),
});
