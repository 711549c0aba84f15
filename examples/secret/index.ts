import * as pulumi from "@pulumi/pulumi";
import { Secret } from "pulumi-modelplatform";

const config = new pulumi.Config();

// From the stack's config: encrypted there, and encrypted in state.
const storage = new Secret("storage", {
  keyName: "STORAGE_KEY",
  value: config.getSecret("storageKey") ?? pulumi.secret("only-for-the-emulator"),
});

// Read at the moment it is sent: in no program, no config and no state. Another `valueVersion` sends it again.
const tracking = new Secret("tracking", {
  keyName: "TRACKING_KEY",
  valueFrom: { env: "TRACKING_KEY" },
  valueVersion: config.get("trackingKeyVersion") ?? "1",
});

// The names are what jobs refer to; they are not secret.
export const names = [storage.name, tracking.name];
