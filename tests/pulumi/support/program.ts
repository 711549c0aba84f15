import * as pulumi from "@pulumi/pulumi";

/** What a program registered. */
export interface Registered {
  type: string;
  name: string;
  id: string | undefined;
  inputs: Record<string, unknown>;
  provider: string | undefined;
}

/** Runs what follows as a program of project `demo`, stack `dev`, against Pulumi's own mocks. */
export async function runAsProgram({
  isPreview = false,
  config = {},
}: {
  isPreview?: boolean;
  config?: Record<string, string>;
} = {}): Promise<Registered[]> {
  const registered: Registered[] = [];
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([name, value]) => [`modelplatform:${name}`, value])),
  );
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, id, inputs, provider }) => {
        registered.push({
          type,
          name,
          id: id === "" ? undefined : id,
          inputs: inputs as Record<string, unknown>,
          provider,
        });
        return { id: id ?? `${name}-id`, state: inputs as Record<string, unknown> };
      },
      call: () => ({}),
    },
    "demo",
    "dev",
    isPreview,
  );
  return registered;
}

/** The value of an output, once it is there. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));
