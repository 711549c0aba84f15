import * as pulumi from "@pulumi/pulumi";
import { hiddenInput } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { dynamicToken, pluginToken } from "../core/fields/tokens";
import { lastSegment } from "../core/values/names";
import { providerText } from "./provider-text";
import { type Wiring, wiringOf } from "./wiring";

/** The wiring of a kind as a dynamic resource. What the plugin has made of the same name becomes one. */
export const dynamicWiring = (kind: string): Wiring =>
  wiringOf(kind, {
    type: dynamicToken(kind),
    otherType: pluginToken(kind),
    ownInputs: (name, spec, opts, { urn, formerUrns: aliases }) => {
      assertNotImported(spec, name, opts.import);
      const hidden = { kind, urn, organization: organization(), stack: pulumi.getStack(), aliases };
      return { [hiddenInput]: hidden, __provider: providerText };
    },
  });

/**
 * Pulumi reads what it imports before it has the inputs that say which provider reads it, so that the option fails
 * for every dynamic resource, with an error of the SDK's that says nothing of it. `adopt` does the same.
 */
function assertNotImported({ kind, fields: { resourceId } }: ResourceSpec, name: string, id: unknown): void {
  if (id === undefined || id === "") return;
  const known =
    typeof id === "string" && resourceId ? ` and \`${resourceId.name}: ${JSON.stringify(lastSegment(id))}\`` : "";
  throw new pulumi.RunError(
    `${kind} ${name}: the resource option \`import\` does not work for dynamic resources. Drop it, and set \`adopt: "ifEqual"\`${known} among the inputs: that adopts what exists.`,
  );
}

/** Unit tests of programs need not name one. */
function organization(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return "organization";
  }
}
